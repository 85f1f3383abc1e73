/// Bytes that are not what netlink's rules say. What they would have told is lost, so the monitor asks for everything again.
package enum NetlinkFormatError: Error, Equatable, CustomStringConvertible {
  /// A message header gives a length that is too small or reaches past the datagram.
  case messageLength(Int, available: Int)
  /// A message ends inside the fixed part that its type begins with.
  case truncatedPayload(type: UInt16)
  /// An attribute gives a length that is too small or reaches past its message.
  case attributeLength(Int, available: Int)
  /// An attribute's value has not the size that its type asks for.
  case attributeValue(type: UInt16, count: Int)
  /// A message lacks an attribute that it cannot be understood without.
  case missingAttribute(UInt16)
  /// A prefix is longer than its family's addresses.
  case prefixLength(Int)

  package var description: String {
    switch self {
    case .messageLength(let length, let available): "netlink message of \(length) bytes in \(available)"
    case .truncatedPayload(let type): "netlink message of type \(type) ends too early"
    case .attributeLength(let length, let available): "netlink attribute of \(length) bytes in \(available)"
    case .attributeValue(let type, let count): "netlink attribute \(type) has a value of \(count) bytes"
    case .missingAttribute(let type): "netlink message without attribute \(type)"
    case .prefixLength(let length): "netlink prefix of \(length) bits"
    }
  }
}
