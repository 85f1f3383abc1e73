import CNetlink
import Glibc

/// The messages a monitor sends, as bytes.
enum NetlinkRequests {
  /// Asks for everything of one kind, in every family.
  static func dump(_ type: UInt16, sequence: UInt32) -> [UInt8] {
    // rtgenmsg is one byte, but kernels before 4.20 read the whole of ifinfomsg; zeros mean "no filter" in each kind.
    message(type, flags: MessageFlag.request | MessageFlag.dump, sequence: sequence) { bytes in
      append(ifinfomsg(), to: &bytes)
    }
  }

  /// Asks which route a new connection of this process to `address` takes.
  static func lookUp(_ address: IPAddress, scope: Int32?, sequence: UInt32) -> [UInt8] {
    message(MessageType.getRoute, flags: MessageFlag.request, sequence: sequence) { bytes in
      var header = rtmsg()
      header.rtm_family = address.family.rawValue
      header.rtm_dst_len = UInt8(address.family.bitCount)
      append(header, to: &bytes)
      append(RouteAttribute.destination, address.bytes, to: &bytes)
      if let scope { append(RouteAttribute.outgoingLink, withUnsafeBytes(of: scope) { Array($0) }, to: &bytes) }
    }
  }

  static func message(
    _ type: UInt16, flags: UInt16, sequence: UInt32, _ fill: (inout [UInt8]) -> Void
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    fill(&bytes)
    var header = nlmsghdr()
    header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + bytes.count)
    header.nlmsg_type = type
    header.nlmsg_flags = flags
    header.nlmsg_seq = sequence
    return withUnsafeBytes(of: header) { Array($0) } + bytes
  }

  static func append<Part: BitwiseCopyable>(_ part: Part, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: part) { bytes.append(contentsOf: $0) }
    pad(&bytes)
  }

  static func append(_ type: UInt16, _ value: [UInt8], to bytes: inout [UInt8]) {
    append(nlattr(nla_len: UInt16(MemoryLayout<nlattr>.size + value.count), nla_type: type), to: &bytes)
    bytes.append(contentsOf: value)
    pad(&bytes)
  }

  private static func pad(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: repeatElement(0, count: aligned(bytes.count) - bytes.count))
  }
}
