import AFSupport
import AFTransport
import Foundation

/// The temporary file of a download. It is removed with its last reference unless it was moved or kept.
final class DownloadFile: Sendable {
  let path: String
  let sink: FileSink
  /// Where this transfer's first byte goes.
  let offset: Int64
  private let isKept = Locked(false)

  private let descriptor: Int32
  private static let prefix = "AFNetworking-"
  private static let suffix = "download"

  /// Whether a path can be that of a file which a download has made: no other is written to, or deleted.
  static func isOurs(_ path: String) -> Bool {
    guard path.hasPrefix("/"), !path.utf8.contains(0), let slash = path.lastIndex(of: "/") else { return false }
    let name = path[path.index(after: slash)...]
    return name.hasPrefix(prefix) && name.hasSuffix(".\(suffix)")
  }

  /// Opens a new file in `directory`.
  convenience init(directory: String) throws {
    let path = "\(directory)/\(Self.prefix)\(UUID().uuidString).\(Self.suffix)"
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    _ = flock(descriptor, LOCK_EX | LOCK_NB)
    self.init(descriptor, path, 0)
  }

  /// Opens the file of an interrupted download, of which `offset` bytes count. Only one task at a time can.
  convenience init(continuing path: String, offset: Int64) throws {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    do {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw POSIXFailure(call: "lock", path: path) }
      var info = stat()
      guard fstat(descriptor, &info) == 0 else { throw POSIXFailure(call: "stat", path: path) }
      guard info.st_mode & S_IFMT == S_IFREG, Int64(info.st_size) >= offset else {
        throw POSIXFailure(call: "truncate", path: path, code: EINVAL)
      }
      guard ftruncate(descriptor, off_t(offset)) == 0 else { throw POSIXFailure(call: "truncate", path: path) }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.init(descriptor, path, offset)
  }

  private init(_ descriptor: Int32, _ path: String, _ offset: Int64) {
    self.descriptor = descriptor
    self.path = path
    self.offset = offset
    sink = FileSink(descriptor: descriptor, path: path, offset: offset)
  }

  deinit { discard() }

  var url: URL { URL(fileURLWithPath: path) }

  /// Removes the file, unless it was moved or kept. Nothing more may be written to it.
  func discard() {
    let isOurs = isKept.withLock { isKept in
      defer { isKept = true }
      return !isKept
    }
    if isOurs { unlink(path) }
  }

  /// Leaves the file where it is, for another task. Nothing more may be written to it.
  func keep() {
    isKept.withLock { $0 = true }
    // The sink closes the descriptor with its last reference, which may be long after.
    _ = flock(descriptor, LOCK_UN)
  }

  /// Moves the file to a place where there is none. In one step, also where that is on another file system.
  func move(to destination: URL) throws {
    guard destination.isFileURL else {
      throw CocoaError(
        .fileWriteUnsupportedScheme,
        userInfo: [NSURLErrorKey: destination, NSLocalizedDescriptionKey: "\(destination) is not a file URL"])
    }
    try FileMove.move(path, to: destination.path)
    keep()
  }
}
