import AFSupport
import Foundation

/// A tunnel device whose far end is this object: it has a carrier while the object lives.
final class TunDevice: Sendable {
  private let descriptor: Int32

  /// Makes the device in the network namespace of the calling thread.
  init(_ name: String) throws {
    descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: "/dev/net/tun") }
    // struct ifreq: the name in 16 bytes, then the flags IFF_TUN | IFF_NO_PI.
    var request = [UInt8](repeating: 0, count: 40)
    request.replaceSubrange(0..<name.utf8.count, with: name.utf8)
    request[16] = 0x01
    request[17] = 0x10
    guard ioctl(descriptor, 0x4004_54ca, &request) == 0 else {
      close(descriptor)
      throw POSIXFailure(call: "ioctl(TUNSETIFF)")
    }
  }

  deinit {
    close(descriptor)
  }
}
