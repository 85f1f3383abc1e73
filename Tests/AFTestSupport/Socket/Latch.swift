import AFSupport
import Glibc

/// A gate that a test opens once and that scripts of a server wait for.
package final class Latch: Sendable {
  /// Readable from the moment the latch is open: the other end of the pipe is closed then.
  let descriptor: Int32
  private let writer: Locked<Int32>

  package init() {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "pipe: \(errno)")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    descriptor = ends[0]
    writer = Locked(ends[1])
  }

  deinit {
    open()
    close(descriptor)
  }

  /// Lets everyone pass who waits, now or later.
  package func open() {
    let end = writer.withLock { writer in
      defer { writer = -1 }
      return writer
    }
    if end >= 0 { close(end) }
  }
}
