import AFSupport
import Glibc

/// A numeric IPv4 or IPv6 address with a port, in the form that the socket calls take.
struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()
  private var length: socklen_t

  init(host: String, port: UInt16) throws {
    var four = sockaddr_in()
    var six = sockaddr_in6()
    if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutableBytes(of: &storage) { bytes in
        withUnsafeBytes(of: &four) { bytes.copyMemory(from: $0) }
      }
    } else if inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      withUnsafeMutableBytes(of: &storage) { bytes in
        withUnsafeBytes(of: &six) { bytes.copyMemory(from: $0) }
      }
    } else {
      throw TestServerFailure(messages: ["\(host) is not a numeric address"])
    }
  }

  var family: Int32 { Int32(storage.ss_family) }

  /// Calls `body` with the address as the socket calls want it.
  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// The port that the kernel gave a bound socket.
  static func port(of descriptor: Int32) throws -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw POSIXFailure(call: "getsockname", path: "socket") }
    // The port stands at the same place in both families.
    return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
  }
}

/// A TCP port of 127.0.0.1 on which nobody listens, for tests of refused connections.
package func unusedPort() throws -> UInt16 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { throw POSIXFailure(call: "socket", path: "tcp") }
  defer { close(descriptor) }
  let address = try SocketAddress(host: "127.0.0.1", port: 0)
  guard address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
    throw POSIXFailure(call: "bind", path: "127.0.0.1")
  }
  return try SocketAddress.port(of: descriptor)
}
