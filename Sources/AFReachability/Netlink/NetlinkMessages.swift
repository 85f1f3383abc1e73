import CNetlink

/// One message of a datagram. `payload` is what follows the header, and lives as long as the datagram's buffer.
package struct NetlinkMessage {
  package let type: UInt16
  package let flags: UInt16
  package let sequence: UInt32
  package let port: UInt32
  package let payload: UnsafeRawBufferPointer
}

/// Reads the messages of a datagram one after another.
package struct NetlinkMessages {
  private var rest: UnsafeRawBufferPointer

  package init(_ datagram: UnsafeRawBufferPointer) {
    rest = datagram
  }

  /// The next message, or nil after the last.
  package mutating func next() throws(NetlinkFormatError) -> NetlinkMessage? {
    guard !rest.isEmpty else { return nil }
    let headerSize = MemoryLayout<nlmsghdr>.size
    guard rest.count >= headerSize else { throw .messageLength(0, available: rest.count) }
    let header = rest.loadUnaligned(as: nlmsghdr.self)
    let length = Int(header.nlmsg_len)
    guard length >= headerSize, length <= rest.count else { throw .messageLength(length, available: rest.count) }
    let payload = UnsafeRawBufferPointer(rebasing: rest[headerSize..<length])
    rest = UnsafeRawBufferPointer(rebasing: rest[min(rest.count, aligned(length))...])
    return NetlinkMessage(
      type: header.nlmsg_type,
      flags: header.nlmsg_flags,
      sequence: header.nlmsg_seq,
      port: header.nlmsg_pid,
      payload: payload
    )
  }
}

/// Reads the attributes at the end of a message, or inside an attribute, one after another.
struct NetlinkAttributes {
  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  /// The attributes after a fixed part of `size` bytes.
  init(_ bytes: UnsafeRawBufferPointer, after size: Int) {
    rest = UnsafeRawBufferPointer(rebasing: bytes[min(bytes.count, aligned(size))...])
  }

  /// The next attribute, or nil after the last.
  mutating func next() throws(NetlinkFormatError) -> NetlinkAttribute? {
    guard !rest.isEmpty else { return nil }
    let headerSize = MemoryLayout<nlattr>.size
    guard rest.count >= headerSize else { throw .attributeLength(0, available: rest.count) }
    let header = rest.loadUnaligned(as: nlattr.self)
    let length = Int(header.nla_len)
    guard length >= headerSize, length <= rest.count else { throw .attributeLength(length, available: rest.count) }
    let value = UnsafeRawBufferPointer(rebasing: rest[headerSize..<length])
    rest = UnsafeRawBufferPointer(rebasing: rest[min(rest.count, aligned(length))...])
    // The two high bits say "nested" and "network byte order".
    return NetlinkAttribute(type: header.nla_type & 0x3fff, value: value)
  }
}

/// A type and a value.
struct NetlinkAttribute {
  let type: UInt16
  let value: UnsafeRawBufferPointer

  func uint32() throws(NetlinkFormatError) -> UInt32 {
    guard value.count == 4 else { throw malformed }
    return value.loadUnaligned(as: UInt32.self)
  }

  func int32() throws(NetlinkFormatError) -> Int32 {
    Int32(bitPattern: try uint32())
  }

  func uint8() throws(NetlinkFormatError) -> UInt8 {
    guard value.count == 1 else { throw malformed }
    return value[0]
  }

  /// Text up to its terminating zero.
  func string() throws(NetlinkFormatError) -> String {
    guard let end = value.firstIndex(of: 0) else { throw malformed }
    return String(decoding: value[..<end], as: UTF8.self)
  }

  func address(_ family: IPAddress.Family) throws(NetlinkFormatError) -> IPAddress {
    guard let address = IPAddress(value, family: family) else { throw malformed }
    return address
  }

  var malformed: NetlinkFormatError { .attributeValue(type: type, count: value.count) }
}

/// Rounds up to netlink's alignment of four bytes.
func aligned(_ length: Int) -> Int {
  (length + 3) & ~3
}
