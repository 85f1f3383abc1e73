import Foundation

/// A file that only takes up room: given up when the disk is full, so that transfers can still end and be cancelled.
struct StoreBallast: Sendable {
  /// More than the journal grows to before it is written back.
  static let size = 1 << 20
  let path: String

  /// Takes the room if it has not been taken. False if there is none.
  func take() -> Bool {
    var status = stat()
    if stat(path, &status) == 0, status.st_size >= off_t(Self.size) { return true }
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard posix_fallocate(descriptor, 0, off_t(Self.size)) == 0 else {
      unlink(path)
      return false
    }
    return true
  }

  /// Gives the room up. False if there was none to give.
  func giveUp() -> Bool { unlink(path) == 0 }
}
