import CNetlink
import Glibc

extension LinkUpdate {
  /// What a link message says; nil if it is about a bridge's port and not about the link itself.
  init?(_ message: NetlinkMessage) throws(NetlinkFormatError) {
    let header = try message.fixedPart(ifinfomsg.self)
    guard Int32(header.ifi_family) == AF_UNSPEC else { return nil }
    index = header.ifi_index
    flags = header.ifi_flags
    hardwareType = header.ifi_type
    var isLowerElsewhere = false
    var attributes = message.attributes(after: ifinfomsg.self)
    while let attribute = try attributes.next() {
      switch attribute.type {
      case LinkAttribute.name: name = try attribute.string()
      case LinkAttribute.mtu: mtu = Int(try attribute.uint32())
      case LinkAttribute.operationalState: operationalState = try attribute.uint8()
      case LinkAttribute.lowerLink: lowerIndex = try attribute.int32()
      case LinkAttribute.lowerNamespace: isLowerElsewhere = true
      case LinkAttribute.group: group = try attribute.uint32()
      case LinkAttribute.info: driverKind = try Self.driverKind(attribute.value)
      default: break
      }
    }
    // A number of another namespace would be some other link here; 0 is none.
    if isLowerElsewhere { lowerIndex = 0 }
  }

  private static func driverKind(_ info: UnsafeRawBufferPointer) throws(NetlinkFormatError) -> String? {
    var attributes = NetlinkAttributes(info)
    var kind: String?
    while let attribute = try attributes.next() {
      if attribute.type == LinkAttribute.infoKind { kind = try attribute.string() }
    }
    return kind
  }
}
