import CNetlink

/// How much of a route message is worth reading, by its fixed part alone: tables can hold a million routes.
enum RouteRelevance {
  case none
  case narrow
  case wide

  init(_ message: NetlinkMessage) throws(NetlinkFormatError) {
    let header = try message.fixedPart(rtmsg.self)
    guard let family = IPAddress.Family(rawValue: header.rtm_family), header.rtm_flags & UInt32(RTM_F_CLONED) == 0
    else {
      self = .none
      return
    }
    guard Int(header.rtm_dst_len) <= family.bitCount else { throw .prefixLength(Int(header.rtm_dst_len)) }
    let isWide = NetworkRoute.isWide(prefixLength: Int(header.rtm_dst_len), family: family)
    self = isWide && RouteKind(rawValue: header.rtm_type) != nil ? .wide : .narrow
  }
}

extension NetworkRoute {
  /// What a route message says; nil if it is of a family or kind that is not known.
  package init?(_ message: NetlinkMessage) throws(NetlinkFormatError) {
    let header = try message.fixedPart(rtmsg.self)
    guard let family = IPAddress.Family(rawValue: header.rtm_family), let kind = RouteKind(rawValue: header.rtm_type)
    else { return nil }
    for length in [header.rtm_dst_len, header.rtm_src_len] where Int(length) > family.bitCount {
      throw .prefixLength(Int(length))
    }
    var fields = Fields(table: UInt32(header.rtm_table))
    var attributes = message.attributes(after: rtmsg.self)
    while let attribute = try attributes.next() {
      try fields.take(attribute, family: family)
    }
    let single = fields.outgoingLink.map { [NextHop(linkIndex: $0, gateway: fields.gateway)] }
    self.init(
      kind: kind,
      table: fields.table,
      destination: IPPrefix(fields.destination ?? .unspecified(family), Int(header.rtm_dst_len)),
      source: header.rtm_src_len == 0
        ? nil : IPPrefix(fields.source ?? .unspecified(family), Int(header.rtm_src_len)),
      typeOfService: header.rtm_tos,
      metric: fields.metric,
      preferredSource: fields.preferredSource,
      mtu: fields.mtu,
      hops: fields.hops ?? single ?? []
    )
  }

  private struct Fields {
    var table: UInt32
    var destination: IPAddress?
    var source: IPAddress?
    var metric: UInt32 = 0
    var preferredSource: IPAddress?
    var mtu: Int?
    var outgoingLink: Int32?
    var gateway: IPAddress?
    var hops: [NextHop]?

    init(table: UInt32) {
      self.table = table
    }

    mutating func take(_ attribute: NetlinkAttribute, family: IPAddress.Family) throws(NetlinkFormatError) {
      switch attribute.type {
      case RouteAttribute.table: table = try attribute.uint32()
      case RouteAttribute.destination: destination = try attribute.address(family)
      case RouteAttribute.source: source = try attribute.address(family)
      case RouteAttribute.priority: metric = try attribute.uint32()
      case RouteAttribute.preferredSource: preferredSource = try attribute.address(family)
      case RouteAttribute.outgoingLink: outgoingLink = try attribute.int32()
      case RouteAttribute.gateway: gateway = try attribute.address(family)
      case RouteAttribute.via: gateway = try attribute.via()
      case RouteAttribute.metrics: mtu = try attribute.routeMTU()
      case RouteAttribute.multipath: hops = try attribute.hops(family)
      default: break
      }
    }
  }
}

extension NetlinkAttribute {
  /// A gateway of another family than the route's (RFC 5549): the family, then the address.
  fileprivate func via() throws(NetlinkFormatError) -> IPAddress {
    guard value.count > 2,
      let family = IPAddress.Family(rawValue: UInt8(clamping: value.loadUnaligned(as: UInt16.self))),
      let address = IPAddress(UnsafeRawBufferPointer(rebasing: value[2...]), family: family)
    else { throw malformed }
    return address
  }

  /// The MTU among a route's metrics.
  fileprivate func routeMTU() throws(NetlinkFormatError) -> Int? {
    var attributes = NetlinkAttributes(value)
    var mtu: Int?
    while let attribute = try attributes.next() {
      if attribute.type == RouteAttribute.metricMTU { mtu = Int(try attribute.uint32()) }
    }
    return mtu
  }

  /// The next hops of a multipath route: a fixed part each, with attributes behind it.
  fileprivate func hops(_ family: IPAddress.Family) throws(NetlinkFormatError) -> [NextHop] {
    var rest = value
    var hops: [NextHop] = []
    let headerSize = MemoryLayout<rtnexthop>.size
    while !rest.isEmpty {
      guard rest.count >= headerSize else { throw malformed }
      let header = rest.loadUnaligned(as: rtnexthop.self)
      let length = Int(header.rtnh_len)
      guard length >= headerSize, length <= rest.count else { throw malformed }
      var gateway: IPAddress?
      var attributes = NetlinkAttributes(UnsafeRawBufferPointer(rebasing: rest[headerSize..<length]))
      while let attribute = try attributes.next() {
        switch attribute.type {
        case RouteAttribute.gateway: gateway = try attribute.address(family)
        case RouteAttribute.via: gateway = try attribute.via()
        default: break
        }
      }
      hops.append(NextHop(linkIndex: header.rtnh_ifindex, gateway: gateway))
      rest = UnsafeRawBufferPointer(rebasing: rest[min(rest.count, aligned(length))...])
    }
    return hops
  }
}
