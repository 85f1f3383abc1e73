import CNetlink

/// What one rtnetlink message tells.
package enum NetworkEvent: Hashable, Sendable {
  case link(LinkUpdate)
  case linkRemoved(index: Int32)
  case address(NetworkAddress)
  case addressRemoved(NetworkAddress)
  /// A route that matters for general connectivity. `replaces`: in the place of the one with the same key.
  case route(NetworkRoute, replaces: Bool)
  case routeRemoved(NetworkRoute)
  /// Some other route came or went: only look-ups for single destinations may answer differently now.
  case narrowRoute
  case rule(RoutingRule)
  case ruleRemoved(RoutingRule)

  /// What `message` tells; nil if it is none of the network's affairs.
  package init?(_ message: NetlinkMessage) throws(NetlinkFormatError) {
    switch message.type {
    case MessageType.newLink:
      guard let update = try LinkUpdate(message) else { return nil }
      self = .link(update)
    case MessageType.deleteLink:
      guard let update = try LinkUpdate(message) else { return nil }
      self = .linkRemoved(index: update.index)
    case MessageType.newAddress:
      guard let address = try NetworkAddress(message) else { return nil }
      self = .address(address)
    case MessageType.deleteAddress:
      guard let address = try NetworkAddress(message) else { return nil }
      self = .addressRemoved(address)
    case MessageType.newRoute, MessageType.deleteRoute:
      switch try RouteRelevance(message) {
      case .none: return nil
      case .narrow: self = .narrowRoute
      case .wide:
        guard let route = try NetworkRoute(message) else { return nil }
        let replaces = message.flags & MessageFlag.replace != 0
        self = message.type == MessageType.newRoute ? .route(route, replaces: replaces) : .routeRemoved(route)
      }
    case MessageType.newRule:
      guard let rule = try RoutingRule(message) else { return nil }
      self = .rule(rule)
    case MessageType.deleteRule:
      guard let rule = try RoutingRule(message) else { return nil }
      self = .ruleRemoved(rule)
    default: return nil
    }
  }
}

/// What a link message says. Some drivers' messages say only a part.
package struct LinkUpdate: Hashable, Sendable {
  package let index: Int32
  package var flags: UInt32
  package var hardwareType: UInt16
  package var name: String?
  package var mtu: Int?
  package var operationalState: UInt8?
  package var driverKind: String?
  package var lowerIndex: Int32?
  package var group: UInt32?
}

extension NetlinkMessage {
  /// The fixed part at the start of the payload.
  func fixedPart<Part: BitwiseCopyable>(_ type: Part.Type) throws(NetlinkFormatError) -> Part {
    guard payload.count >= MemoryLayout<Part>.size else { throw .truncatedPayload(type: self.type) }
    return payload.loadUnaligned(as: type)
  }

  func attributes<Part: BitwiseCopyable>(after type: Part.Type) -> NetlinkAttributes {
    NetlinkAttributes(payload, after: MemoryLayout<Part>.size)
  }
}
