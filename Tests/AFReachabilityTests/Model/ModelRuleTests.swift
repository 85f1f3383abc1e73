import CNetlink
import Foundation
import Testing

@testable import AFReachability

/// Rules of the network model that a single message, route or rule shows.
@Suite struct ModelRuleTests {
  private static let works = LinkFlag.up | LinkFlag.lowerUp

  private static func link(
    _ index: Int32, _ name: String?, flags: UInt32 = works, state: UInt8? = 6, driver: String? = nil,
    lower: Int32? = nil, group: UInt32? = nil
  ) -> NetworkEvent {
    .link(
      LinkUpdate(
        index: index, flags: flags, hardwareType: 1, name: name, mtu: 1500, operationalState: state, driverKind: driver,
        lowerIndex: lower, group: group))
  }

  private static func address(
    _ text: String, on link: Int32, length: Int = 24, flags: UInt32 = 128, scope: UInt8 = 0
  ) throws -> NetworkAddress {
    NetworkAddress(
      linkIndex: link, address: try #require(IPAddress(text)), prefixLength: length, flags: flags, scope: scope)
  }

  private static func route(
    _ destination: String = "0.0.0.0", over links: [Int32], table: UInt32 = 254, kind: RouteKind = .unicast,
    metric: UInt32 = 0, preferred: String? = nil, service: UInt8 = 0
  ) throws -> NetworkRoute {
    NetworkRoute(
      kind: kind, table: table, destination: IPPrefix(try #require(IPAddress(destination)), 0), source: nil,
      typeOfService: service, metric: metric, preferredSource: preferred.flatMap { IPAddress($0) }, mtu: nil,
      hops: links.map { NextHop(linkIndex: $0, gateway: nil) })
  }

  /// eth0 with 192.0.2.2, and the usual rules.
  private static func model(_ events: [NetworkEvent] = []) throws -> NetworkModel {
    var model = NetworkModel()
    model.useDefaultRules()
    for event in [link(2, "eth0"), .address(try address("192.0.2.2", on: 2))] + events { _ = model.apply(event) }
    return model
  }

  private func names(_ model: NetworkModel) -> [String] { model.generalPaths(user: 0).map(\.interfaceName) }

  // MARK: Addresses

  @Test func `what loopback is, and what holds what`() throws {
    let addresses = try ["::1", "::", "::2", "127.0.0.1", "127.255.0.9", "128.0.0.1"].map {
      try #require(IPAddress($0))
    }
    #expect(addresses.map(\.isLoopback) == [true, false, false, true, true, false])
    func prefix(_ text: String, _ length: Int) throws -> IPPrefix { IPPrefix(try #require(IPAddress(text)), length) }
    #expect(try prefix("10.0.0.0", 8).contains(prefix("10.1.0.0", 16)))
    #expect(try prefix("10.1.0.0", 16).contains(prefix("10.1.0.0", 16)))
    #expect(try !prefix("10.1.0.0", 16).contains(prefix("10.0.0.0", 8)))
    #expect(try !prefix("10.0.0.0", 16).contains(prefix("10.0.0.0", 8)), "the shorter is more than the longer holds")
    #expect(try !prefix("0.0.0.0", 0).contains(prefix("::", 0)))
  }

  @Test func `an address is a source once nothing speaks against it`() throws {
    let (tentative, optimistic, failed) = (
      UInt32(IFA_F_TENTATIVE), UInt32(IFA_F_OPTIMISTIC), UInt32(IFA_F_DADFAILED)
    )
    for (flags, isSource) in [
      (0, true), (tentative, false), (tentative | optimistic, true), (failed, false),
      (tentative | optimistic | failed, false),
    ] {
      #expect(try Self.address("2001:db8::2", on: 2, flags: flags).isUsableSource == isSource)
    }
    for (text, scope, isSource) in [("192.0.2.2", UInt8(0), true), ("192.0.2.2", 253, false), ("127.0.0.1", 0, false)] {
      #expect(try Self.address(text, on: 2, scope: scope).isUsableSource == isSource)
    }
    let first = try Self.address("192.0.2.2", on: 2)
    #expect(first.isSame(as: try Self.address("192.0.2.2", on: 2, flags: 0)))
    #expect(!first.isSame(as: try Self.address("192.0.2.2", on: 2, length: 25)))
    #expect(!first.isSame(as: try Self.address("192.0.2.2", on: 3)))
  }

  @Test func `of a link's addresses the first that came is the source`() throws {
    let model = try Self.model([
      .address(try Self.address("192.0.2.3", on: 2)), .route(try Self.route(over: [2]), replaces: false),
    ])
    #expect(model.generalPaths(user: 0).map(\.sourceAddress) == ["192.0.2.2"])
  }

  // MARK: Rules

  private func withRule(_ rule: RoutingRule, _ routes: [NetworkRoute]) throws -> NetworkModel {
    try Self.model([.rule(rule)] + routes.map { .route($0, replaces: false) })
  }

  @Test func `a rule of one family does not concern the other`() throws {
    let refusal = RoutingRule(family: .ipv6, priority: 1, action: .refuse)
    #expect(names(try withRule(refusal, [Self.route(over: [2])])) == ["eth0"])
    let own = RoutingRule(family: .ipv4, priority: 1, action: .refuse)
    #expect(names(try withRule(own, [Self.route(over: [2])])).isEmpty)
  }

  @Test func `goto goes on at the rule of just that priority`() throws {
    let jump = RoutingRule(family: .ipv4, priority: 1, action: .goTo(priority: 32_766))
    #expect(names(try withRule(jump, [Self.route(over: [2])])) == ["eth0"])
    let over = RoutingRule(family: .ipv4, priority: 1, action: .goTo(priority: 32_767))
    #expect(names(try withRule(over, [Self.route(over: [2])])).isEmpty)
  }

  @Test func `throw ends the search in its table, and unreachable ends it altogether`() throws {
    let first = RoutingRule(family: .ipv4, priority: 1, action: .lookUp(table: 100))
    for (kind, expected) in [(RouteKind.throw, ["eth0"]), (.unreachable, []), (.blackhole, []), (.prohibit, [])] {
      let model = try withRule(first, [Self.route(over: [], table: 100, kind: kind), Self.route(over: [2])])
      #expect(names(model) == expected)
    }
  }

  @Test func `IPv6's null entry in one table does not keep from looking into the next`() throws {
    let null = try Self.route("::", over: [], kind: .unreachable, metric: .max)
    let model = try Self.model([
      .address(try Self.address("2001:db8::2", on: 2)), .route(null, replaces: false),
      .route(try Self.route("::", over: [2], table: 253), replaces: false),
    ])
    #expect(names(model) == ["eth0"])
  }

  @Test func `a rule may leave out routes over links of a group, or of few bits`() throws {
    var rule = RoutingRule(family: .ipv4, priority: 1, action: .lookUp(table: 100))
    rule.suppressedGroup = 5
    for (group, expected) in [(UInt32(5), [String]()), (6, ["eth0"])] {
      let model = try Self.model([
        .rule(rule), Self.link(2, "eth0", group: group), .route(try Self.route(over: [2], table: 100), replaces: false),
      ])
      #expect(names(model) == expected)
    }
    rule.suppressedGroup = nil
    for (length, expected) in [(0, [String]()), (-1, ["eth0"])] {
      rule.suppressedPrefixLength = length
      #expect(names(try withRule(rule, [Self.route(over: [2], table: 100)])) == expected)
    }
  }

  @Test(
    arguments: [(0, 0, true), (1, 2, true), (1, 1, false), (3, 2, false), (1, .max, false)] as [(UInt32, UInt32, Bool)])
  func `a rule for marked packets matches one without a mark if the mask leaves none`(
    mark: UInt32, mask: UInt32, matches: Bool
  ) throws {
    var rule = RoutingRule(family: .ipv4, priority: 1, action: .refuse)
    (rule.mark, rule.markMask) = (mark, mask)
    #expect(rule.matches(destination: IPPrefix(.unspecified(.ipv4), 1), user: 0) == matches)
  }

  @Test func `a rule counts once`() throws {
    var model = try Self.model()
    let rule = RoutingRule(family: .ipv4, priority: 1, action: .refuse)
    #expect(model.apply(.rule(rule)) == [.paths, .lookUps])
    #expect(model.apply(.rule(rule)) == [])
    #expect(model.apply(.ruleRemoved(rule)) == [.paths, .lookUps])
    #expect(model.apply(.ruleRemoved(rule)) == [])
  }

  // MARK: Paths

  @Test func `a route over loopback leads nowhere`() throws {
    let model = try Self.model([
      Self.link(1, "lo", flags: Self.works | LinkFlag.loopback), .route(try Self.route(over: [1]), replaces: false),
    ])
    #expect(names(model).isEmpty)
  }

  @Test func `a preferred source counts while it is owned`() throws {
    for (preferred, expected) in [("192.0.2.3", "192.0.2.3"), ("192.0.2.9", "192.0.2.2")] {
      let model = try Self.model([
        .address(try Self.address("192.0.2.3", on: 2)),
        .route(try Self.route(over: [2], preferred: preferred), replaces: false),
      ])
      #expect(model.generalPaths(user: 0).map(\.sourceAddress) == [expected])
    }
  }

  @Test func `a VLAN is what it stands on, once`() throws {
    var model = try Self.model([
      Self.link(3, "v3", driver: "vlan", lower: 2), Self.link(4, "v4", driver: "vlan", lower: 3),
    ])
    model.setMedium(.wifi, ofLink: 2)
    model.setMedium(.wifi, ofLink: 3)
    let links = try [3, 4].map { try #require(model.links[$0]) }
    #expect(links.map { model.kind(of: $0) } == [.wifi, .ethernet])
  }

  @Test func `a tunnel is metered by the uplinks that work`() throws {
    var model = try Self.model([
      Self.link(3, "wwan0"), Self.link(4, "tun0", driver: "tun"), .address(try Self.address("192.0.4.2", on: 4)),
      .route(try Self.route(over: [4]), replaces: false), .route(try Self.route(over: [2], metric: 1), replaces: false),
      .route(try Self.route(over: [3], metric: 2), replaces: false),
    ])
    #expect(model.generalPaths(user: 0).map(\.isLikelyMetered) == [false])
    // eth0 loses its carrier, and keeps its route.
    _ = model.apply(Self.link(2, "eth0", flags: LinkFlag.up))
    #expect(model.generalPaths(user: 0).map(\.isLikelyMetered) == [true])
  }

  @Test(arguments: [
    (RouteKind.unicast, true), (.local, true), (.prohibit, false), (.unreachable, false), (.blackhole, false),
  ])
  func `a way that the kernel names is one only if it lets packets through`(kind: RouteKind, isWay: Bool) throws {
    let route = NetworkRoute(
      kind: kind, table: 254, destination: IPPrefix(try #require(IPAddress("192.0.2.9")), 32), source: nil,
      typeOfService: 0, metric: 0, preferredSource: IPAddress("192.0.2.2"), mtu: nil,
      hops: [NextHop(linkIndex: 2, gateway: nil)])
    #expect((try Self.model().path(lookedUp: route) != nil) == isWay)
  }

  @Test func `loopback has a path of its own when it is asked for by name`() throws {
    let model = try Self.model([
      Self.link(1, "lo", flags: Self.works | LinkFlag.loopback),
      .address(try Self.address("127.0.0.1", on: 1, length: 8, scope: 254)),
    ])
    #expect(model.interfacePaths("lo")?.map(\.sourceAddress) == ["127.0.0.1"])
    #expect(model.interfacePaths("none") == nil)
  }

  @Test func `up to which length a route is wide`() {
    #expect([0, 1, 2].map { NetworkRoute.isWide(prefixLength: $0, family: .ipv4) } == [true, true, false])
    #expect([0, 4, 5].map { NetworkRoute.isWide(prefixLength: $0, family: .ipv6) } == [true, true, false])
  }

  // MARK: Changes

  @Test func `a message that leaves out the state, and one about a known link, change nothing else`() throws {
    var model = try Self.model([Self.link(2, nil, state: 5)])
    model.setMedium(.wifi, ofLink: 2)
    #expect(model.links[2]?.isUsable == false)
    _ = model.apply(Self.link(2, nil, state: nil))
    #expect(model.links[2]?.operationalState == 5 && model.links[2]?.name == "eth0" && model.links[2]?.medium == .wifi)
  }

  @Test func `routes over a link go with it, whole ones and those of several hops apart`() throws {
    let alone = try Self.route(over: [2])
    let shared = try Self.route(over: [2, 3], metric: 1)
    let hopless = try Self.route(over: [], kind: .blackhole, metric: 2)
    for (event, addresses) in [(Self.link(2, nil, flags: 0), 1), (.linkRemoved(index: 2), 0)] {
      var model = try Self.model(
        [Self.link(3, "eth1")] + [alone, shared, hopless].map { .route($0, replaces: false) })
      let change = model.apply(event)
      #expect(model.routes == [shared, hopless])
      #expect(change.contains(.routesUncertain) && change.contains(.paths))
      #expect(model.addresses[2]?.count ?? 0 == addresses)
    }
    // One that is only shared makes the rest uncertain, too.
    var model = try Self.model([Self.link(3, "eth1"), .route(shared, replaces: false)])
    #expect(model.apply(Self.link(2, nil, flags: 0)).contains(.routesUncertain))
    var other = try Self.model([Self.link(3, "eth1"), .route(shared, replaces: false)])
    #expect(!other.apply(Self.link(4, "eth2", flags: 0)).contains(.routesUncertain))
  }

  @Test func `IPv4 routes go with the last address of their link, and with their preferred source`() throws {
    let (first, second) = (try Self.address("192.0.2.2", on: 2), try Self.address("192.0.2.3", on: 2))
    let (plain, preferring) = (try Self.route(over: [2]), try Self.route(over: [3], metric: 1, preferred: "192.0.2.2"))
    var model = try Self.model([
      .address(second), Self.link(3, "eth1"), .route(plain, replaces: false), .route(preferring, replaces: false),
    ])
    _ = model.apply(.addressRemoved(first))
    #expect(model.routes == [plain])
    _ = model.apply(.addressRemoved(second))
    #expect(model.routes.isEmpty)

    // An address that another link has, too, is still owned.
    var twice = try Self.model([
      Self.link(3, "eth1"), .address(try Self.address("192.0.2.2", on: 3)), .route(preferring, replaces: false),
    ])
    _ = twice.apply(.addressRemoved(first))
    #expect(twice.routes == [preferring])
  }

  @Test func `a route that replaces one of several, or is added to one of its key, makes the rest uncertain`() throws {
    func change(_ known: [NetworkRoute], _ route: NetworkRoute, replaces: Bool) throws -> (NetworkModel.Change, Int) {
      var model = try Self.model(known.map { .route($0, replaces: false) })
      let change = model.apply(.route(route, replaces: replaces))
      return (change, model.routes.count)
    }
    let routes = try [2, 3, 4].map { try Self.route(over: [$0]) }
    #expect(try change([routes[0]], routes[1], replaces: true) == ([.paths, .lookUps], 1))
    let ambiguous = try change([routes[0], routes[1]], routes[2], replaces: true)
    #expect(ambiguous.0.isSuperset(of: .uncertain) && ambiguous.1 == 3)
    #expect(try change([routes[0]], routes[1], replaces: false) == ([.paths, .lookUps], 2))
    let six = try [2, 3].map { try Self.route("::", over: [$0]) }
    #expect(try change([six[0]], six[1], replaces: false).0.isSuperset(of: .uncertain), "IPv6 joins hops in silence")
    #expect(try change([], six[1], replaces: false).0.isDisjoint(with: .uncertain))
    #expect(try !routes[0].hasSameKey(as: Self.route(over: [2], service: 0x10)))
    #expect(try !routes[0].hasSameKey(as: Self.route(over: [2], metric: 1)))
    #expect(routes[0].hasSameKey(as: routes[1]))
  }
}
