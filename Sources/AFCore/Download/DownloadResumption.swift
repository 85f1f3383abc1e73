import AFSerialization
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// The key, in an error's user info, of what ``AFURLSessionManager/downloadTask(withResumeData:progress:destination:completionHandler:)``
/// takes.
let resumeDataKey = "NSURLSessionDownloadTaskResumeData"

/// What one download takes from an interrupted one, and leaves to the next.
struct DownloadResumption: Sendable {
  let task: TaskCore

  /// Makes the task go on with an interrupted download; with data that is none, makes it fail. Where the part is gone, the
  /// task asks for the whole.
  func begin(with data: Data, _ resume: ResumeData?) {
    guard let resume else {
      return task.refuse(URLError.make(.cannotDecodeRawData, url: "", "The resume data cannot be read"))
    }
    guard let size = (try? FileManager.default.attributesOfItem(atPath: resume.path))?[.size] as? NSNumber,
      size.int64Value >= resume.offset
    else { return }
    task.state.withLock { state in
      state.downloading.kept = resume
      state.downloading.keptData = data
      state.downloading.isResumed = true
      state.downloading.asksForRest = true
      state.current = state.original.forRest(of: resume.part)
    }
  }

  /// Leaves the partial file in place and puts the way to go on with it into the error, if there is one. Else the file goes.
  func keepForResuming(_ file: DownloadFile, _ length: Int64) {
    let (original, writing, isDropped, isResumed) = task.state.withLock { state in
      (state.original, state.downloading.writing, state.isDropped, state.downloading.isResumed)
    }
    guard !isDropped else {
      // The app has resume data of this part from before.
      if isResumed { file.keep() }
      return
    }
    guard let data = writing?.resumeData(original, length: length, path: file.path)?.data else { return }
    file.keep()
    offer(data)
  }

  /// A task that ends before it has opened the part gives back the way to it.
  func offerKeptPart() {
    let (data, kept, isDropped, isResumed) = task.state.withLock { state in
      (
        state.isOver || state.downloading.resumeData != nil || (state.failure.told) == nil
          ? nil : state.downloading.keptData, state.downloading.kept, state.isDropped, state.downloading.isResumed
      )
    }
    guard let data, let kept else { return }
    guard isDropped else { return offer(data) }
    if !isResumed { unlink(kept.path) }
  }

  private func offer(_ data: Data) {
    guard let error = task.state.withLock({ $0.failure.told }) else { return }
    let amended = error.carrying(resumeData: data)
    task.state.withLock { state in
      guard !state.isOver else { return }
      state.downloading.resumeData = data
      if state.failure.reason != nil { state.failure.reason = amended } else { state.failure.error = amended }
    }
  }

  /// Tells the block how much has been written. On the callback queue.
  func tellWritten(_ counts: TaskCounts, _ manager: AFURLSessionManager, _ session: SessionCore) {
    guard task.isDownload, let shell = task.downloadShell else { return }
    let written = task.state.withLock { state in
      defer { state.downloading.reported = counts.received }
      return counts.received - state.downloading.reported
    }
    guard written > 0 else { return }
    manager.urlSession(
      session.shell, downloadTask: shell, didWriteData: written, totalBytesWritten: counts.received,
      totalBytesExpectedToWrite: counts.expectedToReceive)
  }
}

extension Error {
  /// The same error with resume data in its user info, if it has one that can hold it.
  fileprivate func carrying(resumeData: Data) -> any Error {
    let more: [String: Any] = [resumeDataKey: resumeData]
    switch self {
    case let error as URLError: return URLError(error.code, userInfo: error.errorUserInfo.merging(more) { $1 })
    case let error as AFURLResponseSerializationError: return error.with(data: error.data, more)
    default:
      // A Swift error would lose its type.
      return type(of: self) == NSError.self ? (self as NSError).adding(more) : self
    }
  }
}
