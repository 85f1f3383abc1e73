import CNetlink

extension NetworkAddress {
  /// What an address message says; nil if it is of a family other than IPv4 and IPv6.
  init?(_ message: NetlinkMessage) throws(NetlinkFormatError) {
    let header = try message.fixedPart(ifaddrmsg.self)
    guard let family = IPAddress.Family(rawValue: header.ifa_family) else { return nil }
    guard Int(header.ifa_prefixlen) <= family.bitCount else { throw .prefixLength(Int(header.ifa_prefixlen)) }
    var own: IPAddress?
    var peer: IPAddress?
    var flags = UInt32(header.ifa_flags)
    var attributes = message.attributes(after: ifaddrmsg.self)
    while let attribute = try attributes.next() {
      switch attribute.type {
      case AddressAttribute.local: own = try attribute.address(family)
      case AddressAttribute.address: peer = try attribute.address(family)
      case AddressAttribute.flags: flags = try attribute.uint32()
      default: break
      }
    }
    // On a point-to-point link ADDRESS is the far end, and LOCAL is ours.
    guard let address = own ?? peer else { throw .missingAttribute(AddressAttribute.address) }
    self.init(
      linkIndex: Int32(bitPattern: header.ifa_index),
      address: address,
      prefixLength: Int(header.ifa_prefixlen),
      flags: flags,
      scope: header.ifa_scope
    )
  }
}
