package import AFSupport
import CNetlink
import Glibc

/// A netlink socket that never blocks. It belongs to the network namespace of the thread that opens it.
package final class NetlinkSocket {
  package let descriptor: Int32
  private var buffer: UnsafeMutableRawBufferPointer

  /// What came of one attempt to receive.
  package enum Reception {
    /// So many bytes stand in the buffer.
    case datagram(Int)
    /// Nothing there.
    case empty
    /// The kernel had to drop messages: the socket's queue was full, or a datagram did not fit the buffer.
    case lost
  }

  /// Opens a socket of `netlinkProtocol` and subscribes it to `groups`.
  ///
  /// `receiveBufferSize` is what the kernel may queue, in bytes; nil is 1 MiB, as far as the system allows it.
  /// - Throws: ``POSIXFailure`` with the call that the system refused.
  package init(netlinkProtocol: Int32, groups: UInt32 = 0, receiveBufferSize: Int? = nil) throws(POSIXFailure) {
    let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_NETLINK, type, netlinkProtocol)
    guard descriptor >= 0 else { throw POSIXFailure(call: "socket(AF_NETLINK)") }
    var size = Int32(clamping: receiveBufferSize ?? 1 << 20)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    address.nl_groups = groups
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
      }
    }
    guard result == 0 else {
      let failure = POSIXFailure(call: "bind(AF_NETLINK)")
      close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    buffer = .allocate(byteCount: 64 << 10, alignment: 8)
  }

  deinit {
    close(descriptor)
    buffer.deallocate()
  }

  /// Sends a request to the kernel.
  func send(_ bytes: [UInt8]) throws(POSIXFailure) {
    var address = sockaddr_nl()
    address.nl_family = sa_family_t(AF_NETLINK)
    var count = -1
    repeat {
      count = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
        }
      }
    } while count < 0 && errno == EINTR
    guard count == bytes.count else { throw POSIXFailure(call: "send(AF_NETLINK)") }
  }

  /// Takes the next datagram, if there is one.
  package func receive() throws(POSIXFailure) -> Reception {
    while true {
      var sender = sockaddr_nl()
      var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
      let count = withUnsafeMutablePointer(to: &sender) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_TRUNC), $0, &length)
        }
      }
      guard count >= 0 else {
        switch errno {
        case EINTR: continue
        case EAGAIN: return .empty
        case ENOBUFS: return .lost
        default: throw POSIXFailure(call: "recv(AF_NETLINK)")
        }
      }
      guard sender.nl_pid == 0 else { continue }  // Only the kernel is believed.
      guard count <= buffer.count else {
        grow(to: count)
        return .lost
      }
      return .datagram(count)
    }
  }

  /// The number by which the kernel addresses the socket, and marks its answers.
  func port() throws(POSIXFailure) -> UInt32 {
    var address = sockaddr_nl()
    var length = socklen_t(MemoryLayout<sockaddr_nl>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw POSIXFailure(call: "getsockname(AF_NETLINK)") }
    return address.nl_pid
  }

  /// The first `count` bytes of the last datagram.
  package func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer[..<count])
  }

  /// Waits until there is something to receive. False if nothing came in `milliseconds`.
  func waitUntilReadable(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    var result: Int32 = -1
    repeat { result = poll(&entry, 1, milliseconds) } while result < 0 && errno == EINTR
    return result > 0
  }

  private func grow(to count: Int) {
    buffer.deallocate()
    buffer = .allocate(byteCount: count.nextPowerOf2, alignment: 8)
  }
}

extension Int {
  fileprivate var nextPowerOf2: Int { 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
