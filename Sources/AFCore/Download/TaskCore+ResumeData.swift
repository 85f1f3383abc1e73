import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// The key, in an error's user info, of what ``AFURLSessionManager/downloadTask(withResumeData:progress:destination:completionHandler:)``
/// takes.
private let resumeDataKey = "NSURLSessionDownloadTaskResumeData"

extension TaskCore {
  /// Cancels, and calls the handler with resume data, or nil if the download cannot be resumed.
  func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
    let queue = state.withLock { state -> DispatchQueue? in
      guard !state.isOver, !state.isCancelled else { return nil }
      if case .closing = state.phase { return nil }
      let session = state.session
      state.downloading.onResumeData = { data in session?.callbackQueue.async { handler(data) } }
      return session?.callbackQueue
    }
    guard queue != nil else {
      DispatchQueue.global().async { handler(nil) }
      return
    }
    cancel()
  }

  /// Leaves the partial file in place and puts the way to go on with it into the error, if there is one.
  func keepForResuming(_ file: DownloadFile, _ length: Int64) {
    let (request, head, total, error, isWanted, isCancelled) = state.withLock {
      (
        $0.current, $0.head, $0.downloading.total, $0.reason ?? $0.error, $0.downloading.onResumeData != nil,
        $0.isCancelled
      )
    }
    // A plain cancellation means that the download is not wanted any more.
    guard isWanted || !isCancelled || (error as? URLError)?.code != .cancelled else { return }
    guard let head, let resume = ResumeData(request, head, total: total, path: file.path, offset: length),
      let data = resume.data
    else { return }
    file.keep()
    state.withLock { state in
      state.downloading.resumeData = data
      guard let error = error as? URLError else { return }
      let amended = URLError(error.code, userInfo: error.errorUserInfo.merging([resumeDataKey: data]) { $1 })
      if state.reason != nil { state.reason = amended } else { state.error = amended }
    }
  }

  /// Tells the block where the download goes on.
  func announceResume(_ offset: Int64, _ total: Int64?, _ session: SessionCore) {
    let (manager, blocks) = state.withLock { state in
      state.counts.received = offset
      state.counts.expectedToReceive = total ?? -1
      state.hasQueuedCallbacks = true
      return (state.manager, state.blocks)
    }
    guard let manager, blocks.interests.contains(.resumeDownload) else { return }
    session.callbackQueue.async {
      guard let shell = self.downloadShell else { return }
      manager.urlSession(
        session.shell, downloadTask: shell, didResumeAtOffset: offset, expectedTotalBytes: total ?? -1)
    }
  }

  /// Tells the block how much has been written. On the callback queue.
  func tellWritten(_ counts: TaskCounts, _ manager: AFURLSessionManager, _ session: SessionCore) {
    guard isDownload, let shell = downloadShell else { return }
    let written = state.withLock { state in
      defer { state.downloading.reported = counts.received }
      return counts.received - state.downloading.reported
    }
    guard written > 0 else { return }
    manager.urlSession(
      session.shell, downloadTask: shell, didWriteData: written, totalBytesWritten: counts.received,
      totalBytesExpectedToWrite: counts.expectedToReceive)
  }
}
