import AFSecurity
import Foundation

/// The part of a download in the spool.
final class PartFile: Sendable {
  private let descriptor: Int32
  private let path: String
  let size: Int64
  let inode: UInt64

  /// Opens or makes it. What is beyond `checkpoint` was not synced, and is cut off; a shorter file has lost something, and is emptied.
  init(path: String, keeping checkpoint: Int64) throws(AttemptFailure) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw Self.failure("open", path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      close(descriptor)
      throw Self.failure("fstat", path)
    }
    let kept = Int64(status.st_size) >= checkpoint ? max(0, checkpoint) : 0
    guard ftruncate(descriptor, off_t(kept)) == 0 else {
      close(descriptor)
      throw Self.failure("ftruncate", path)
    }
    self.descriptor = descriptor
    self.path = path
    size = kept
    inode = UInt64(status.st_ino)
  }

  deinit { close(descriptor) }

  func truncate(to size: Int64) throws(AttemptFailure) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw Self.failure("ftruncate", path) }
  }

  func write(_ data: Data, at offset: Int64) throws(AttemptFailure) {
    var code: Int32 = 0
    data.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset) + off_t(done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          code = count == 0 ? ENOSPC : errno
          return
        }
        done += count
      }
    }
    guard code == 0 else { throw Self.failure("write", path, code) }
  }

  func synchronize() throws(AttemptFailure) {
    guard fdatasync(descriptor) == 0 else { throw Self.failure("fdatasync", path) }
  }

  /// Whether the file system has so many bytes left, as far as it tells.
  func hasRoom(for bytes: Int64) -> Bool {
    var status = statvfs()
    guard fstatvfs(descriptor, &status) == 0 else { return true }
    let (room, isMore) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return isMore || bytes <= 0 || UInt64(bytes) <= room
  }

  /// The SHA-256 of all of it; nil if it cannot be read.
  func sha256() -> String? {
    guard let digest = RunningDigest(.sha256) else { return nil }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    var offset: off_t = 0
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, offset)
      guard count >= 0 else { return nil }
      if count == 0 { return digest.finish() }
      digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      offset += off_t(count)
    }
  }

  private static func failure(_ call: String, _ path: String, _ code: Int32 = errno) -> AttemptFailure {
    let isFull = code == ENOSPC || code == EDQUOT
    return AttemptFailure(isFull ? .diskSpace : .cannotWrite, "\(call) \(path): \(String(cString: strerror(code)))")
  }
}
