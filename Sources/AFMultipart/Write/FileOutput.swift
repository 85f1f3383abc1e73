import AFSupport
import Foundation
import Glibc

/// A file that appears when it is complete, and not before.
///
/// The bytes go into a temporary file of the same directory that in the end takes the place of the destination. If that is
/// a pipe or a device, which nothing can take the place of, they go into it directly.
final class FileOutput: BodyOutput {
  private let fileURL: URL
  private let path: String
  private let temporaryPath: String?
  private let descriptor: Locked<Int32>

  /// - Throws: ``AFMultipartError`` if there is no file URL, or nothing can be written there.
  init(_ fileURL: URL) throws {
    guard fileURL.isFileURL else {
      throw AFMultipartError(.notFileURL, reason: "\(fileURL.absoluteString) is not a file URL", fileURL: fileURL)
    }
    self.fileURL = fileURL
    // The file that a symbolic link leads to is replaced, not the link.
    path = realpath(fileURL.path, nil).map { String(adoptingCString: $0) } ?? fileURL.path
    var info = stat()
    let exists = stat(path, &info) == 0
    guard !exists || info.st_mode & S_IFMT != S_IFDIR else {
      throw Self.failure(POSIXFailure(call: "open", path: path, code: EISDIR), fileURL)
    }
    if exists, info.st_mode & S_IFMT != S_IFREG {
      temporaryPath = nil
      // Not to wait for a pipe that nobody reads.
      let opened = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
      guard opened >= 0 else { throw Self.failure(POSIXFailure(call: "open", path: path), fileURL) }
      _ = fcntl(opened, F_SETFL, 0)
      descriptor = Locked(opened)
    } else {
      let mode = exists ? info.st_mode & 0o7777 : 0o666
      let name = "." + fileURL.lastPathComponent.prefix(40) + "." + UUID().uuidString
      let temporary = (path as NSString).deletingLastPathComponent + "/" + name
      temporaryPath = temporary
      let opened = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      guard opened >= 0 else { throw Self.failure(POSIXFailure(call: "create", path: path), fileURL) }
      if exists { fchmod(opened, mode) }
      descriptor = Locked(opened)
    }
  }

  deinit {
    abandon()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    let descriptor = descriptor.withLock { $0 }
    var offset = 0
    while offset < bytes.count {
      let count = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw Self.failure(POSIXFailure(call: "write", path: path, code: count < 0 ? errno : ENOSPC), fileURL)
      }
      offset += count
    }
  }

  func finish() throws {
    // Network file systems report a full disk only now.
    guard close() == 0 else {
      let failure = POSIXFailure(call: "close", path: path)
      // The descriptor is gone even so: what is left to do is the file.
      if let temporaryPath { unlink(temporaryPath) }
      throw Self.failure(failure, fileURL)
    }
    guard let temporaryPath else { return }
    guard rename(temporaryPath, path) == 0 else {
      let failure = POSIXFailure(call: "rename", path: path)
      unlink(temporaryPath)
      throw Self.failure(failure, fileURL)
    }
  }

  func abandon() {
    let wasOpen = descriptor.withLock { $0 } >= 0
    _ = close()
    if wasOpen, let temporaryPath { unlink(temporaryPath) }
  }

  private func close() -> Int32 {
    let opened = descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
    return opened < 0 ? 0 : Glibc.close(opened)
  }

  private static func failure(_ cause: POSIXFailure, _ fileURL: URL) -> AFMultipartError {
    AFMultipartError(.writeFailed, reason: cause.description, fileURL: fileURL, underlyingError: cause)
  }
}

extension String {
  /// The text of a C string that `malloc` allocated, which is freed.
  fileprivate init(adoptingCString text: UnsafeMutablePointer<CChar>) {
    self.init(cString: text)
    free(text)
  }
}
