import AFSupport
import CNetlink
import Glibc

/// Asks nl80211, the kernel's own wireless interface, whether an interface is a wireless LAN.
///
/// Two questions over generic netlink: which number the family has, and whether it knows the interface. `exchange` sends a
/// request and returns the datagram that answers it.
struct WirelessQuery {
  private let exchange: ([UInt8]) -> [UInt8]?

  init(exchange: @escaping ([UInt8]) -> [UInt8]?) {
    self.exchange = exchange
  }

  /// Whether `link` is wireless; nil if the kernel cannot be asked, because it has no wireless support loaded or does not
  /// let us.
  func isWireless(_ link: Int32) -> Bool? {
    guard let family = family() else { return nil }
    let answer = ask(family, command: UInt8(NL80211_CMD_GET_INTERFACE.rawValue)) { bytes in
      let index = withUnsafeBytes(of: link) { Array($0) }
      NetlinkRequests.append(UInt16(NL80211_ATTR_IFINDEX.rawValue), index, to: &bytes)
    }
    return answer.map { $0.type == family }
  }

  /// The number of nl80211, which differs from boot to boot.
  private func family() -> UInt16? {
    let name = Array("nl80211".utf8) + [0]
    let controller = UInt16(GENL_ID_CTRL)
    let answer = ask(controller, command: UInt8(CTRL_CMD_GETFAMILY)) { bytes in
      NetlinkRequests.append(UInt16(CTRL_ATTR_FAMILY_NAME), name, to: &bytes)
    }
    guard let answer, answer.type == controller else { return nil }
    return answer.payload.withUnsafeBytes { payload -> UInt16? in
      var attributes = NetlinkAttributes(payload, after: MemoryLayout<genlmsghdr>.size)
      while let attribute = try? attributes.next() {
        guard attribute.type == UInt16(CTRL_ATTR_FAMILY_ID), attribute.value.count == 2 else { continue }
        return attribute.value.loadUnaligned(as: UInt16.self)
      }
      return nil
    }
  }

  /// The first message of the answer; an error message is one too.
  private func ask(
    _ family: UInt16, command: UInt8, _ fill: (inout [UInt8]) -> Void
  ) -> (type: UInt16, payload: [UInt8])? {
    let request = NetlinkRequests.message(family, flags: MessageFlag.request, sequence: 1) { bytes in
      NetlinkRequests.append(genlmsghdr(cmd: command, version: 1, reserved: 0), to: &bytes)
      fill(&bytes)
    }
    return exchange(request)?.withUnsafeBytes { datagram in
      var messages = NetlinkMessages(datagram)
      guard let message = try? messages.next() else { return nil }
      return (message.type, Array(message.payload))
    }
  }
}

extension WirelessQuery {
  /// A query over a socket of its own, in the namespace of the calling thread; nil if there can be none.
  static func overSocket() -> WirelessQuery? {
    guard let socket = try? NetlinkSocket(netlinkProtocol: NETLINK_GENERIC) else { return nil }
    return WirelessQuery { request in
      // The answer is there when the request has been sent; the wait is for a kernel that is not like that.
      guard (try? socket.send(request)) != nil, socket.waitUntilReadable(milliseconds: 100),
        case .datagram(let count)? = try? socket.receive()
      else { return nil }
      return Array(socket.bytes(count))
    }
  }
}
