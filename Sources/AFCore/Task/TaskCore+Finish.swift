import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

extension TaskCore {
  private struct Ending {
    var session: SessionCore?
    var manager: AFURLSessionManager?
    var blocks: BlockTable
    var closures: TaskClosures
    var completion: TaskCompletion
    var counts: TaskCounts
    var hasQueuedCallbacks: Bool
    var body: Data?
    var error: (any Error)?
    var rawError: (any Error)?
    var runningShell: AFURLSessionTask?
    var stream: StreamSink?
    var download: DownloadFile?
    var resumeData: Data?
    var onResumeData: (@Sendable (Data?) -> Void)?
    var question: TaskQuestion.Open?
    var cookies: CookieTicket?
    // What else may hold something of the app's, which is released after the lock is.
    var next: HopRequest?
    var downloading: DownloadState
  }

  /// Marks the task as one that ends as soon as it is resumed or cancelled.
  func refuse(_ error: any Error) {
    state.withLock { state in
      state.failure.refusal = error
      state.machine.refuse()
    }
  }

  /// Ends the task, once, and tells its result. What comes after the first call does nothing.
  func finish(file: URL? = nil) { end(file: file)?() }

  /// Ends the task, once.
  /// - Returns: What tells its result; nil if nobody has to be told, or no longer.
  func end(file: URL? = nil) -> TransferSequel? {
    DownloadResumption(task: self).offerKeptPart()
    let ending = state.withLock { state -> Ending? in
      guard state.machine.end() else { return nil }
      if let reason = state.failure.reason { state.failure.error = reason }
      if state.failure.error == nil { state.progress.counts.settle() }
      defer {
        state.owner.session = nil
        state.owner.manager = nil
        state.owner.blocks = .none
        state.owner.closures = TaskClosures()
        state.owner.completion = .none
        state.body.data = nil
        state.next = nil
        state.transfer = nil
        state.body.chunks = nil
        state.body.stream = nil
        state.body.file = nil
        state.downloading = DownloadState(resumeData: state.downloading.resumeData)
        state.shell.running = nil
        state.question = nil
        state.ledger.cookies = nil
      }
      return Ending(
        session: state.owner.session, manager: state.owner.manager, blocks: state.owner.blocks,
        closures: state.owner.closures,
        completion: state.owner.completion, counts: state.progress.counts, hasQueuedCallbacks: state.hasQueuedCallbacks,
        body: state.body.data, error: state.failure.error, rawError: state.failure.rawError ?? state.failure.error,
        runningShell: state.shell.running, stream: state.body.stream, download: state.body.file,
        resumeData: state.downloading.resumeData, onResumeData: state.downloading.onResumeData,
        question: state.question, cookies: state.ledger.cookies, next: state.next, downloading: state.downloading)
    }
    guard let ending else { return nil }
    ending.session?.forget(identifier)
    // Whoever is told of the failure finds the file gone.
    if ending.error != nil { ending.download?.discard() }
    ending.question?.end()
    ending.onResumeData?(ending.resumeData)
    ending.stream?.finish(ending.error.map { .failure($0) } ?? .success(()))
    let result = TaskResult(
      task: self, data: ending.body, fileURL: file, download: ending.download, error: ending.error,
      resumeData: ending.error == nil ? nil : ending.resumeData, shell: ending.runningShell)
    let last = ending.blocks.interests.intersection([.complete, .metrics])
    guard let queue = ending.session?.callbackQueue, ending.hasQueuedCallbacks || !last.isEmpty else {
      if case .none = ending.completion { return nil }
      return ending.cookies.hold { [completion = ending.completion] in completion.call(result) }
    }
    return ending.cookies.hold { queue.async { self.tell(result, ending, last) } }
  }

  /// The last callbacks and the completion, in order. On the callback queue.
  private func tell(_ result: TaskResult, _ ending: Ending, _ last: Interests) {
    tell(ending.closures, ending.counts)
    guard let manager = ending.manager, let session = ending.session?.shell else {
      ending.completion.call(result)
      return
    }
    if last.contains(.metrics) {
      manager.urlSession(session, task: shell, didFinishCollecting: metrics ?? emptyMetrics)
    }
    ending.completion.call(result)
    if last.contains(.complete) {
      manager.urlSession(session, task: shell, didCompleteWithError: ending.rawError)
    }
  }
}

extension TaskCompletion {
  fileprivate func call(_ result: TaskResult) {
    switch self {
    case .none: break
    case .continuation(let continuation): continuation.resume(returning: result)
    case .handler(let handler): handler(result)
    }
  }
}

extension TaskCounts {
  /// After a success what has come is the whole, whether its length was announced or not.
  fileprivate mutating func settle() {
    if received > 0 { expectedToReceive = received }
    if sent > 0, expectedToSend < 0 { expectedToSend = sent }
  }
}
