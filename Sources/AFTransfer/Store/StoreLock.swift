import Foundation

/// The right to write to a queue's folder: one at a time has it, in one process, until it is given up or the process ends.
final class StoreLock: Sendable {
  private let descriptor: Int32
  /// `fork` gives a copy of the lock to the child, which must not use it.
  private let process = getpid()

  init(_ path: String) throws(AFTransferStoreError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      let owner = Self.owner(in: descriptor)
      close(descriptor)
      throw code == EWOULDBLOCK ? .inUse(processIdentifier: owner) : .system(call: "flock", path: path, code: code)
    }
    // For who looks on: the lock itself is the kernel's, and a stale number means nothing.
    let text = "\(getpid())\n"
    ftruncate(descriptor, 0)
    _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    self.descriptor = descriptor
  }

  deinit {
    // A child between fork and exec has a copy of the descriptor, which would hold the lock a little longer.
    if isHeldHere { flock(descriptor, LOCK_UN) }
    close(descriptor)
  }

  var isHeldHere: Bool { getpid() == process }

  private static func owner(in descriptor: Int32) -> Int32? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let digits = bytes.prefix(count).prefix { (0x30...0x39).contains($0) }
    return Int32(String(decoding: digits, as: UTF8.self))
  }
}
