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

  /// Opens a new file in `directory`, or the one of an interrupted download.
  init(directory: String, continuing partial: String? = nil, offset: Int64 = 0) throws {
    let path = partial ?? "\(directory)/AFNetworking-\(UUID().uuidString).download"
    let flags = partial == nil ? O_CREAT | O_EXCL : 0
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0o600)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    if partial != nil, ftruncate(descriptor, off_t(offset)) != 0 {
      let failure = POSIXFailure(call: "truncate", path: path)
      Glibc.close(descriptor)
      throw failure
    }
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

  /// Leaves the file where it is.
  func keep() { isKept.withLock { $0 = true } }

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
