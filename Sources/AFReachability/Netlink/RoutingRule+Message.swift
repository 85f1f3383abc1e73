import CNetlink

extension RoutingRule {
  /// What a rule message says; nil if it is of a family other than IPv4 and IPv6.
  init?(_ message: NetlinkMessage) throws(NetlinkFormatError) {
    let header = try message.fixedPart(fib_rule_hdr.self)
    guard let family = IPAddress.Family(rawValue: header.family) else { return nil }
    for length in [header.dst_len, header.src_len] where Int(length) > family.bitCount {
      throw .prefixLength(Int(length))
    }
    self.init(family: family, priority: 0, action: .nothing)
    isInverted = header.flags & UInt32(FIB_RULE_INVERT) != 0
    asksForMore = header.tos != 0
    var table = UInt32(header.table)
    var target: UInt32 = 0
    var mask: UInt32?
    var attributes = message.attributes(after: fib_rule_hdr.self)
    while let attribute = try attributes.next() {
      switch attribute.type {
      case RuleAttribute.priority: priority = try attribute.uint32()
      case RuleAttribute.table: table = try attribute.uint32()
      case RuleAttribute.gotoTarget: target = try attribute.uint32()
      case RuleAttribute.mark: mark = try attribute.uint32()
      case RuleAttribute.markMask: mask = try attribute.uint32()
      case RuleAttribute.source: source = IPPrefix(try attribute.address(family), Int(header.src_len))
      case RuleAttribute.destination: destination = IPPrefix(try attribute.address(family), Int(header.dst_len))
      case RuleAttribute.incomingInterface: incomingInterface = try attribute.string()
      case RuleAttribute.suppressPrefixLength:
        // "All ones" is the kernel's way to say "none".
        suppressedPrefixLength = try attribute.int32() < 0 ? nil : Int(try attribute.uint32())
      case RuleAttribute.suppressGroup: suppressedGroup = try attribute.int32() < 0 ? nil : try attribute.uint32()
      case RuleAttribute.userRange: userRange = try attribute.userRange()
      case RuleAttribute.flow, RuleAttribute.padding, RuleAttribute.routeProtocol: break
      case RuleAttribute.masterDevice: asksForMore = try attribute.uint8() != 0 || asksForMore
      default: asksForMore = true
      }
    }
    markMask = mask ?? (mark == 0 ? 0 : .max)
    switch header.action {
    case UInt8(FR_ACT_TO_TBL): action = .lookUp(table: table)
    case UInt8(FR_ACT_GOTO): action = .goTo(priority: target)
    case UInt8(FR_ACT_BLACKHOLE), UInt8(FR_ACT_UNREACHABLE), UInt8(FR_ACT_PROHIBIT): action = .refuse
    default: action = .nothing
    }
  }
}

extension NetlinkAttribute {
  fileprivate func userRange() throws(NetlinkFormatError) -> ClosedRange<UInt32> {
    guard value.count == MemoryLayout<fib_rule_uid_range>.size else { throw malformed }
    let range = value.loadUnaligned(as: fib_rule_uid_range.self)
    guard range.start <= range.end else { throw malformed }
    return range.start...range.end
  }
}
