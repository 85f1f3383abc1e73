import AFSupport
import Foundation
import Glibc

extension AFMultipartError {
  /// The error of this package that says what `error` means for a part.
  init(wrapping error: any Error, partName: String? = nil, partIndex: Int? = nil, fileURL: URL? = nil) {
    if let error = error as? AFMultipartError {
      // Already ours, from a nested form or an append: only add what it does not know.
      self.init(
        error.code,
        reason: partIndex == nil || error.partIndex == nil ? error.failureReason ?? "" : error.description,
        partName: partName ?? error.partName,
        partIndex: partIndex ?? error.partIndex,
        fileURL: error.fileURL ?? fileURL,
        underlyingError: error.underlyingError
      )
      return
    }
    var path: String?
    let code: Code
    let underlying: (any Error)?
    switch error {
    case let failure as POSIXFailure:
      path = failure.path
      underlying = failure
      switch failure.code {
      case EISDIR: code = .isDirectory
      case EACCES, EPERM: code = .unreadableFile
      default: code = failure.call == "read" ? .readFailed : .unreachableFile
      }
    case let failure as FileBodyError:
      underlying = nil
      switch failure {
      case .unknownLength(let file, _): (code, path) = (.readFailed, file)
      case .notRegular(let file): (code, path) = (.notRegularFile, file)
      // Before it is sent, a range that was there when the part was added means that the file has shrunk.
      case .outOfRange(let file, _, _, _): (code, path) = (partIndex == nil ? .outOfRange : .endedEarly, file)
      case .shrank(let file, _, _): (code, path) = (.endedEarly, file)
      }
    case let failure as StreamBodyError:
      switch failure {
      case .missing: (code, underlying) = (.missingStream, nil)
      case .negativeLength: (code, underlying) = (.outOfRange, nil)
      case .closed: (code, underlying) = (.readFailed, nil)
      case .failed(let reason): (code, underlying) = (.readFailed, reason)
      case .endedEarly: (code, underlying) = (.endedEarly, nil)
      case .notReplayable: (code, underlying) = (.notReplayable, nil)
      }
    default:
      (code, underlying) = (.readFailed, error)
    }
    self.init(
      code,
      reason: error.shownText,
      partName: partName,
      partIndex: partIndex,
      fileURL: fileURL ?? path.map { URL(fileURLWithPath: $0) },
      underlyingError: underlying
    )
  }
}
