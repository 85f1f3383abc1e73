import AFSerialization
import AFSupport
public import Foundation
import FoundationNetworking

extension AFURLSessionManager {
  /// Makes a task and its shell.
  func makeTask(
    _ kind: TaskKind, _ request: HopRequest, _ closures: TaskClosures, _ completion: TaskCompletion,
    resume: ResumeSource? = nil
  ) -> AFURLSessionTask {
    let task = session.core.makeTask(
      kind, request, manager: self, blocks: core.blocks, closures: closures, completion: completion)
    if let refusal = refusal(for: request.url) { task.refuse(refusal) }
    task.state.withLock { state in
      state.options.announces = true
      state.options.collectsMetrics = true
    }
    if let resume { DownloadResumption(task: task).begin(with: resume.data, resume.value) }
    return task.shell
  }

  func upload(
    _ request: URLRequest, _ body: TaskBody?, _ progress: (@Sendable (Progress) -> Void)?,
    _ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
  ) -> AFURLSessionUploadTask {
    var hop = HopRequest(request)
    if let body { hop.body = body }
    let task = makeTask(.upload, hop, TaskClosures(uploadProgress: progress), serialized(handler))
    if body == nil { task.core.state.withLock { $0.ledger.wantsFirstStream = true } }
    return task as? AFURLSessionUploadTask ?? AFURLSessionUploadTask(core: task.core)
  }

  func download(
    _ request: HopRequest, _ resume: ResumeSource?, _ progress: (@Sendable (Progress) -> Void)?,
    _ destination: (@Sendable (URL, URLResponse) -> URL)?,
    _ handler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
  ) -> AFURLSessionDownloadTask {
    var closures = TaskClosures(downloadProgress: progress)
    if let destination { closures.destination = { destination($0, $1) } }
    let completion = serialized { response, object, error in handler?(response, object as? URL, error) }
    let task = makeTask(.download, request, closures, completion, resume: resume)
    return task as? AFURLSessionDownloadTask ?? AFURLSessionDownloadTask(core: task.core)
  }

  /// Deletes the partial file that resume data name, where the download is not to go on.
  ///
  /// Data that is no resume data, and a file that is gone already, change nothing. Not for resume data that a task is going on
  /// with.
  /// - Parameter resumeData: What an error or ``AFURLSessionDownloadTask/cancel(byProducingResumeData:)`` gave.
  public class func discardPart(ofResumeData resumeData: Data) {
    if let part = ResumeData(resumeData) { unlink(part.path) }
  }

  func progress(of task: AFURLSessionTask, _ direction: any WritableKeyPath<TaskProgress, Progress?> & Sendable)
    -> Progress?
  {
    let isOurs = task.core.state.withLock { !$0.isOver && $0.owner.manager === self }
    return isOurs ? task.core.progress(direction) : nil
  }

  // MARK: Completion

  /// The way from a task's result to its handler: serializer, completion queue, notification.
  func serialized(_ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?) -> TaskCompletion {
    .handler { result in self.complete(result, handler) }
  }

  // Unchecked because what a serializer makes is `Any`; it is made on one queue and handed to the next, not shared.
  private struct Handed: @unchecked Sendable {
    let object: Any?
  }

  private func complete(_ result: TaskResult, _ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?) {
    // This may be the engine's thread: it neither makes Foundation's response nor asks a subclass for its serializer.
    if let error = result.error {
      return ManagerCore.complete(completionQueue, completionGroup) {
        handler?(result.task.anyResponse, nil, error)
        result.announceCompletion(self.currentResponseSerializer(), object: nil, error: error)
      }
    }
    ManagerCore.processingQueue.async {
      let response = result.task.anyResponse
      let serializer = self.currentResponseSerializer()
      // A download's bytes are in its file: only the response is looked at.
      let data = result.task.isDownload ? Data() : result.data ?? Data()
      var error: NSError?
      let object = serializer.responseObject(for: response, data: data, error: &error)
      let handed = Handed(object: result.fileURL ?? (result.task.isDownload ? nil : object))
      let failure = error
      // Through `self`: a subclass may override either.
      ManagerCore.complete(self.completionQueue, self.completionGroup) {
        handler?(response, handed.object, failure)
        result.announceCompletion(serializer, object: handed.object, error: failure)
      }
    }
  }
}
