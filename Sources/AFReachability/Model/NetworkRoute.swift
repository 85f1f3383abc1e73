/// What a route does with a packet, in the kernel's numbering.
package enum RouteKind: UInt8, Sendable {
  case unicast = 1
  case local = 2
  case broadcast = 3
  case anycast = 4
  case multicast = 5
  case blackhole = 6
  case unreachable = 7
  case prohibit = 8
  /// Look on in the next policy rule.
  case `throw` = 9
}

/// A way out: the interface, and the router if there is one.
package struct NextHop: Hashable, Sendable {
  package let linkIndex: Int32
  package let gateway: IPAddress?
}

/// A route, as a table holds it or as a look-up answers it.
package struct NetworkRoute: Hashable, Sendable {
  package let kind: RouteKind
  package let table: UInt32
  package let destination: IPPrefix
  /// Only packets from here take it (IPv6 multihoming).
  package let source: IPPrefix?
  package let typeOfService: UInt8
  package let metric: UInt32
  package let preferredSource: IPAddress?
  package let mtu: Int?
  package let hops: [NextHop]

  package var family: IPAddress.Family { destination.address.family }

  /// Whether a table treats `other` as taking this one's place.
  package func hasSameKey(as other: NetworkRoute) -> Bool {
    destination == other.destination && table == other.table && metric == other.metric && source == other.source
      && typeOfService == other.typeOfService
  }
}

extension NetworkRoute {
  /// The longest prefixes that can carry traffic to everywhere, alone or in a pair.
  ///
  /// Besides 0.0.0.0/0 and ::/0 these are the halves with which VPNs overlay a default route: 0.0.0.0/1 and 128.0.0.0/1;
  /// 2000::/3 or 2000::/4 and 3000::/4. All other routes say nothing about general connectivity, and are not kept.
  static func isWide(prefixLength: Int, family: IPAddress.Family) -> Bool {
    prefixLength <= (family == .ipv4 ? 1 : 4)
  }
}
