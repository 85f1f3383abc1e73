import CLinux
import Glibc

/// What wakes an engine's thread: an event descriptor that lasts as long as somebody might ring it.
final class Bell: Sendable {
  let descriptor: Int32

  init?() {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard descriptor >= 0 else { return nil }
  }

  deinit {
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  func ring() { eventfd_write(descriptor, 1) }
}
