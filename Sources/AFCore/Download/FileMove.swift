import AFSupport
import Foundation

/// Moves a finished file without ever showing half of it, and without replacing another.
enum FileMove {
  static func move(_ source: String, to destination: String) throws {
    if try rename(source, destination) { return }
    // Another file system: copied beside the destination first.
    let copy = "\(destination).\(UUID().uuidString).part"
    do {
      try FileManager.default.copyItem(atPath: source, toPath: copy)
      guard try rename(copy, destination) else { throw failure(EXDEV, source, destination) }
    } catch {
      unlink(copy)
      throw error
    }
    unlink(source)
  }

  /// - Returns: False if the two are on different file systems.
  private static func rename(_ source: String, _ destination: String) throws -> Bool {
    switch renameExclusively(source, to: destination) {
    case 0: return true
    case EXDEV: return false
    case EINVAL, ENOSYS:
      // A file system without exclusive rename. A link is as exclusive, and the name of the source goes afterwards.
      guard link(source, destination) == 0 else { throw failure(errno, source, destination) }
      unlink(source)
      return true
    case let code: throw failure(code, source, destination)
    }
  }

  private static func failure(_ code: Int32, _ source: String, _ destination: String) -> CocoaError {
    let cause = POSIXFailure(call: "rename", path: destination, code: code)
    let cocoa: CocoaError.Code =
      switch code {
      case EEXIST, ENOTEMPTY: .fileWriteFileExists
      case ENOENT, ENOTDIR: .fileNoSuchFile
      case EACCES, EPERM: .fileWriteNoPermission
      case EROFS: .fileWriteVolumeReadOnly
      case ENOSPC, EDQUOT: .fileWriteOutOfSpace
      default: .fileWriteUnknown
      }
    return CocoaError(
      cocoa,
      userInfo: [
        NSFilePathErrorKey: destination, NSUnderlyingErrorKey: cause,
        NSLocalizedDescriptionKey: "The download cannot be moved to \(destination): \(cause.description)",
      ])
  }
}
