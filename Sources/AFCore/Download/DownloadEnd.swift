import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// The end of a download: its file is closed, and brought to where it is wanted; or what is missing is asked for.
struct DownloadEnd: Sendable {
  let task: TaskCore

  /// The transfer into the file is over, well or not.
  func close(_ file: DownloadFile) {
    let (bodyEnd, writing) = task.state.withLock { state in
      state.machine.close(isLast: state.downloading.bodyEnd != .goOn)
      return (state.downloading.bodyEnd, state.downloading.writing)
    }
    file.sink.finish { result in
      var problem: URLError?
      if case .failure(let error) = result {
        let url = task.state.withLock { $0.current.url }
        problem = URLError.unwritableDownload(url, error)
      } else if bodyEnd == .overrun {
        problem = unusable("it is longer than it says")
      } else if bodyEnd == .stuck {
        problem = unusable("it brings nothing")
      }
      let failure = task.state.withLock { state -> (any Error)? in
        if let problem, state.failure.reason == nil, state.failure.error == nil { state.failure.error = problem }
        return state.failure.told
      }
      var length = (try? result.get()) ?? 0
      // What came with too much is not to be relied on.
      if bodyEnd == .overrun, let writing { length = min(length, writing.opened - writing.start) }
      guard failure == nil else {
        DownloadResumption(task: task).keepForResuming(file, length)
        return task.finish()
      }
      if bodyEnd == .goOn { goOn(file, length) } else { place(file) }
    }
  }

  private func unusable(_ reason: String) -> URLError {
    .unusableAnswer(task.state.withLock { $0.current.url }, reason)
  }

  /// The body was a part, in order and short: what follows is asked for.
  private func goOn(_ file: DownloadFile, _ length: Int64) {
    let (original, writing) = task.state.withLock { ($0.original, $0.downloading.writing) }
    guard let kept = writing?.resumeData(original, length: length, path: file.path), let data = kept.data else {
      return task.fail(unusable("it is a part of the whole, and nothing proves what belongs to it"))
    }
    file.keep()
    let request = task.state.withLock { state -> HopRequest in
      state.body.file = nil
      state.downloading.writing = nil
      state.downloading.bodyEnd = nil
      state.downloading.kept = kept
      state.downloading.keptData = data
      state.downloading.asksForRest = true
      state.downloading.hasGoneOn = true
      return state.ledger.firstRequest(state.original, current: state.current).forRest(of: kept.part)
    }
    task.goOn(with: request)
  }

  /// Brings the finished file to where it is wanted.
  private func place(_ file: DownloadFile) {
    let (closures, blocks, manager, session) = task.state.withLock {
      ($0.owner.closures, $0.owner.blocks, $0.owner.manager, $0.owner.session)
    }
    guard let manager, let session, let shell = task.downloadShell,
      closures.destination != nil || blocks.interests.contains(.finishDownload)
    else { return task.finish() }
    task.state.withLock { $0.hasQueuedCallbacks = true }
    session.callbackQueue.async { [task] in
      manager.urlSession(session.shell, downloadTask: shell, didFinishDownloadingTo: file.url)
      task.finish(file: task.state.withLock { $0.body.finalURL })
    }
  }

  /// Asks where the file is to go, and moves it there. On the callback queue, from the manager's method.
  func chooseDestination(_ location: URL) {
    let (file, closures, blocks, manager, session) = task.state.withLock {
      ($0.body.file, $0.owner.closures, $0.owner.blocks, $0.owner.manager, $0.owner.session)
    }
    guard let file, manager != nil, let session, let shell = task.downloadShell else { return }
    let target =
      blocks.blocks.didFinishDownloading?(session.shell, shell, location)
      ?? closures.destination?(location, task.anyResponse)
    guard let target else { return }
    task.state.withLock { $0.body.finalURL = target }
    let center = NotificationCenter.default
    do {
      try file.move(to: target)
      center.post(name: .AFURLSessionDownloadTaskDidMoveFileSuccessfully, object: shell)
    } catch {
      task.state.withLock { $0.failure.error = error }
      let info = (error as NSError).userInfo.reduce(into: [AnyHashable: Any]()) { $0[$1.key] = $1.value }
      center.post(name: .AFURLSessionDownloadTaskDidFailToMoveFile, object: shell, userInfo: info)
    }
  }
}
