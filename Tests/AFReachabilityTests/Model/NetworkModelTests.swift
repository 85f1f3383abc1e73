import CNetlink
import Foundation
import Testing

@testable import AFReachability

@Suite("The model, event by event")
struct NetworkModelTests {
  /// A model with a link, its address and a default route.
  private func online() throws -> NetworkModel {
    var model = NetworkModel()
    model.useDefaultRules()
    _ = model.apply(.link(Self.update(2, "eth0")))
    _ = model.apply(.address(try Self.address("192.0.2.2", 24, on: 2)))
    _ = model.apply(.route(try Self.route("0.0.0.0", 0, gateway: "192.0.2.1", over: 2), replaces: false))
    #expect(model.generalPaths(user: 0).map(\.interfaceName) == ["eth0"])
    return model
  }

  private static func update(_ index: Int32, _ name: String?, flags: UInt32? = nil) -> LinkUpdate {
    LinkUpdate(
      index: index, flags: flags ?? LinkFlag.up | LinkFlag.lowerUp, hardwareType: 1, name: name,
      mtu: name == nil ? nil : 1500, operationalState: name == nil ? nil : 6
    )
  }

  private static func address(
    _ text: String, _ length: Int, on link: Int32, flags: UInt32 = 128, scope: UInt8 = 0
  ) throws -> NetworkAddress {
    let address = try #require(IPAddress(text))
    return NetworkAddress(linkIndex: link, address: address, prefixLength: length, flags: flags, scope: scope)
  }

  private static func route(
    _ destination: String, _ length: Int, gateway: String?, over link: Int32, table: UInt32 = 254, metric: UInt32 = 0,
    kind: RouteKind = .unicast, source: IPPrefix? = nil, preferred: String? = nil
  ) throws -> NetworkRoute {
    let gateway = try gateway.map { try #require(IPAddress($0)) }
    return NetworkRoute(
      kind: kind, table: table, destination: IPPrefix(try #require(IPAddress(destination)), length), source: source,
      typeOfService: 0, metric: metric, preferredSource: preferred.flatMap { IPAddress($0) }, mtu: nil,
      hops: kind == .unicast ? [NextHop(linkIndex: link, gateway: gateway)] : []
    )
  }

  private func isOnline(_ model: NetworkModel, user: UInt32 = 0) -> Bool {
    !model.generalPaths(user: user).isEmpty
  }

  @Test("An empty model is offline, with and without rules")
  func empty() {
    var model = NetworkModel()
    #expect(!isOnline(model))
    model.useDefaultRules()
    #expect(!isOnline(model))
  }

  @Test("A driver's partial link message changes the flags and leaves the rest; for an unknown link it says nothing")
  func partialLinkMessage() throws {
    var model = try online()
    _ = model.apply(.link(Self.update(2, nil)))
    #expect(model.links[2]?.name == "eth0" && isOnline(model))
    _ = model.apply(.link(Self.update(2, nil, flags: LinkFlag.up)))
    #expect(!isOnline(model))
    #expect(model.apply(.link(Self.update(9, nil))) == [])
    #expect(model.links[9] == nil)
  }

  @Test(
    "Addresses that cannot be a source do not count",
    arguments: [
      ("2001:db8::2", UInt32(IFA_F_TENTATIVE), UInt8(0), false), ("2001:db8::2", UInt32(IFA_F_DADFAILED), 0, false),
      ("2001:db8::2", UInt32(IFA_F_TENTATIVE) | UInt32(IFA_F_OPTIMISTIC), 0, true),
      ("2001:db8::2", UInt32(IFA_F_DEPRECATED), 0, true), ("fe80::2", 128, 253, false), ("::1", 128, 254, false),
      ("fd00::2", 128, 0, true), ("2001:db8::2", 128, 200, true),
    ]
  )
  func sources(text: String, flags: UInt32, scope: UInt8, counts: Bool) throws {
    var model = NetworkModel()
    model.useDefaultRules()
    _ = model.apply(.link(Self.update(2, "eth0")))
    _ = model.apply(.address(try Self.address(text, 64, on: 2, flags: flags, scope: scope)))
    _ = model.apply(.route(try Self.route("::", 0, gateway: "fe80::1", over: 2, metric: 1024), replaces: false))
    #expect(isOnline(model) == counts)
  }

  @Test("An address on loopback is a source when the link has none of its own")
  func sourceOnLoopback() throws {
    var model = NetworkModel()
    model.useDefaultRules()
    _ = model.apply(.link(Self.update(2, "eth0")))
    _ = model.apply(.route(try Self.route("::", 0, gateway: "fe80::1", over: 2, metric: 1024), replaces: false))
    #expect(!isOnline(model))
    _ = model.apply(
      .link(
        LinkUpdate(index: 1, flags: LinkFlag.up | LinkFlag.lowerUp | LinkFlag.loopback, hardwareType: 772, name: "lo"))
    )
    _ = model.apply(.address(try Self.address("2001:db8::2", 128, on: 1)))
    #expect(model.generalPaths(user: 0).first?.sourceAddress == "2001:db8::2")
  }

  @Test("A route for a source prefix needs an address in it")
  func sourcePrefix() throws {
    var model = NetworkModel()
    model.useDefaultRules()
    _ = model.apply(.link(Self.update(2, "eth0")))
    _ = model.apply(.address(try Self.address("2001:db8:1::2", 64, on: 2)))
    let prefix = IPPrefix(try #require(IPAddress("2001:db8:2::")), 48)
    _ = model.apply(.route(try Self.route("::", 0, gateway: "fe80::1", over: 2, source: prefix), replaces: false))
    #expect(!isOnline(model))
    _ = model.apply(.address(try Self.address("2001:db8:2::2", 64, on: 2)))
    #expect(model.generalPaths(user: 0).first?.sourceAddress == "2001:db8:2::2")
  }

  @Test("IPv6's global unicast space alone is everything; its built-in last resort refuses nothing")
  func globalUnicast() throws {
    var model = NetworkModel()
    model.useDefaultRules()
    _ = model.apply(.link(Self.update(2, "eth0")))
    _ = model.apply(.address(try Self.address("2001:db8::2", 64, on: 2)))
    _ = model.apply(.route(try Self.route("2000::", 3, gateway: "fe80::1", over: 2), replaces: false))
    _ = model.apply(
      .route(try Self.route("::", 0, gateway: nil, over: 1, metric: .max, kind: .unreachable), replaces: false)
    )
    #expect(isOnline(model))
  }

  @Test("goto skips rules, user ranges hold for their users, inversion turns a match round")
  func rules() throws {
    var model = try online()
    var skip = RoutingRule(family: .ipv4, priority: 100, action: .goTo(priority: 300))
    _ = model.apply(.rule(RoutingRule(family: .ipv4, priority: 200, action: .refuse)))
    #expect(!isOnline(model))
    _ = model.apply(.rule(skip))
    #expect(isOnline(model))
    _ = model.apply(.ruleRemoved(skip))
    skip.userRange = 1000...1999
    _ = model.apply(.rule(skip))
    #expect(isOnline(model, user: 1000) && !isOnline(model, user: 0))
    _ = model.apply(.ruleRemoved(skip))
    skip.isInverted = true
    _ = model.apply(.rule(skip))
    #expect(!isOnline(model, user: 1000) && isOnline(model, user: 0))
  }

  @Test("Rules for what a new connection has not are passed over: marks, sources, other interfaces, ports")
  func rulesForOthers() throws {
    var refusals = (0..<4).map { RoutingRule(family: .ipv4, priority: UInt32(10 + $0), action: .refuse) }
    refusals[0].mark = 1
    refusals[0].markMask = .max
    refusals[1].source = IPPrefix(try #require(IPAddress("10.0.0.0")), 8)
    refusals[2].incomingInterface = "eth7"
    refusals[3].asksForMore = true
    var model = try online()
    for rule in refusals { _ = model.apply(.rule(rule)) }
    #expect(isOnline(model))
    var local = RoutingRule(family: .ipv4, priority: 20, action: .refuse)
    local.incomingInterface = "lo"
    _ = model.apply(.rule(local))
    #expect(!isOnline(model))
  }

  @Test("A route that is not there cannot be removed; one of several that are alike makes the rest uncertain")
  func uncertainty() throws {
    var model = try online()
    let stranger = try Self.route("0.0.0.0", 0, gateway: "192.0.2.9", over: 2, metric: 5)
    #expect(model.apply(.routeRemoved(stranger)) == .lookUps)
    let alike = try Self.route("0.0.0.0", 0, gateway: "192.0.2.9", over: 2)
    #expect(model.apply(.routeRemoved(alike)).contains(.pathsUncertain))
    _ = model.apply(.route(alike, replaces: false))
    let third = try Self.route("0.0.0.0", 0, gateway: "192.0.2.8", over: 2)
    #expect(model.apply(.route(third, replaces: true)).contains(.pathsUncertain))
  }

  @Test(
    "AF-X063: the paths give the status: none, a modem alone, anything else",
    arguments: [
      ([], AFNetworkReachabilityStatus.notReachable), ([AFInterfaceKind.cellular], .reachableViaWWAN),
      ([.cellular, .ethernet], .reachableViaWiFi), ([.wifi], .reachableViaWiFi), ([.ethernet], .reachableViaWiFi),
      ([.tunnel], .reachableViaWiFi), ([.loopback], .reachableViaWiFi), ([.other], .reachableViaWiFi),
    ]
  )
  func status(kinds: [AFInterfaceKind], status: AFNetworkReachabilityStatus) {
    let paths = kinds.map {
      AFReachabilityPath(family: .ipv4, interfaceName: "x", interfaceIndex: 1, interfaceKind: $0, mtu: 1500)
    }
    #expect(Verdict(paths: NetworkModel.ordered(paths)).status == status)
  }
}
