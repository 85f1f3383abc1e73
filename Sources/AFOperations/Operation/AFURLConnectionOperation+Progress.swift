import AFCore
import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

extension AFURLConnectionOperation {
  /// The closures that the task tells of progress; nil where no block is set, so that the task goes the short way.
  var progressClosures: (upload: (@Sendable (Progress) -> Void)?, download: (@Sendable (Progress) -> Void)?) {
    let blocks = core.withLock { $0.blocks }
    var upload: (@Sendable (Progress) -> Void)?
    var download: (@Sendable (Progress) -> Void)?
    if blocks.uploadProgress != nil {
      upload = { [weak self] progress in self?.didSend(progress.completedUnitCount, of: progress.totalUnitCount) }
    }
    if blocks.downloadProgress != nil {
      download = { [weak self] progress in self?.didReceive(progress.completedUnitCount, of: progress.totalUnitCount) }
    }
    return (upload, download)
  }

  /// A block may be set while the task runs.
  func tellTaskOfProgressBlocks() {
    guard let task = core.withLock({ $0.task }) else { return }
    let (upload, download) = progressClosures
    task.setProgress(upload: upload, download: download)
  }

  private func didSend(_ total: Int64, of expected: Int64) {
    let (block, new) = core.withLock { state -> (OperationBlocks.Progress?, Int64) in
      defer { state.toldUpload = total }
      // A body that is sent again begins again.
      return (state.blocks.uploadProgress, max(0, total - (total < state.toldUpload ? 0 : state.toldUpload)))
    }
    guard let block, new > 0 else { return }
    DispatchQueue.main.async { block(UInt(new), total, expected) }
  }

  /// `total` is of this attempt; what was kept of earlier ones comes on top.
  func didReceive(_ total: Int64, of expected: Int64) {
    let (block, new, offset) = core.withLock { state -> (OperationBlocks.Progress?, Int64, Int64) in
      let offset = state.task?.isRest == true ? state.kept.continuation?.count ?? 0 : 0
      let (all, overflows) = total.addingReportingOverflow(offset)
      let sum = overflows ? Int64.max : all
      defer { state.toldDownload = sum }
      return (state.blocks.downloadProgress, sum - (sum < state.toldDownload ? 0 : state.toldDownload), offset)
    }
    guard let block, new > 0 else { return }
    let (all, _) = total.addingReportingOverflow(offset)
    let (end, overflows) = expected.addingReportingOverflow(offset)
    DispatchQueue.main.async { block(UInt(new), all, expected < 0 || overflows ? -1 : end) }
  }
}

extension AFURLSessionTask {
  /// Whether the response is a part.
  fileprivate var isRest: Bool { (response as? HTTPURLResponse)?.statusCode == 206 }
}
