/// A policy rule: which packets look in which table.
package struct RoutingRule: Hashable, Sendable {
  package enum Action: Hashable, Sendable {
    case lookUp(table: UInt32)
    case goTo(priority: UInt32)
    case nothing
    /// Blackhole, unreachable, prohibit.
    case refuse
  }

  package var family: IPAddress.Family
  package var priority: UInt32
  package var action: Action
  package var source: IPPrefix?
  package var destination: IPPrefix?
  package var isInverted = false
  package var mark: UInt32 = 0
  package var markMask: UInt32 = 0
  package var incomingInterface: String?
  package var userRange: ClosedRange<UInt32>?
  /// It asks for something an ordinary new connection does not have: an outgoing interface, a protocol, a port, a tunnel.
  package var asksForMore = false
  /// A route with at most so many bits does not count; the search goes on.
  package var suppressedPrefixLength: Int?
  /// A route over an interface of this group does not count.
  package var suppressedGroup: UInt32?

  package init(family: IPAddress.Family, priority: UInt32, action: Action) {
    self.family = family
    self.priority = priority
    self.action = action
  }

  /// The three that every system starts with, for kernels built without policy routing.
  package static let defaults: [RoutingRule] = [IPAddress.Family.ipv4, .ipv6].flatMap { family in
    [(0, 255), (32_766, 254), (32_767, 253)].map {
      RoutingRule(family: family, priority: $0, action: .lookUp(table: $1))
    }
  }

  /// Whether it holds for a new connection of user `user`, unmarked and not bound to an address, into `destination`.
  package func matches(destination target: IPPrefix, user: UInt32) -> Bool {
    var matches = !asksForMore && source.map { $0.length == 0 } ?? true
    matches = matches && mark & markMask == 0
    matches = matches && (incomingInterface == nil || incomingInterface == "lo")
    matches = matches && destination.map { $0.contains(target) } ?? true
    matches = matches && userRange.map { $0.contains(user) } ?? true
    return matches != isInverted
  }
}
