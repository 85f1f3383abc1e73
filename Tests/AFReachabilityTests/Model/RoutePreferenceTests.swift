import Testing

@testable import AFReachability

/// Which route and which source address count, where several could. The first kernel rules are the usual three.
@Suite struct RoutePreferenceTests {
  /// A model with links that work unless they are named in `down`, each with an address 192.0.INDEX.2.
  private static func model(_ names: [Int32: String], down: Set<Int32> = [], without: Set<Int32> = []) throws
    -> NetworkModel
  {
    var model = NetworkModel()
    model.useDefaultRules()
    for (index, name) in names.sorted(by: { $0.key < $1.key }) {
      let flags = down.contains(index) ? 0 : LinkFlag.up | LinkFlag.lowerUp
      let type: UInt16 = name.hasPrefix("tun") ? 65_534 : 1
      _ = model.apply(
        .link(
          LinkUpdate(index: index, flags: flags, hardwareType: type, name: name, mtu: 1500, operationalState: 6)))
      guard !without.contains(index) else { continue }
      _ = model.apply(.address(try address("192.0.\(index).2", 24, on: index)))
    }
    return model
  }

  private static func address(_ text: String, _ length: Int, on link: Int32, flags: UInt32 = 128, scope: UInt8 = 0)
    throws
    -> NetworkAddress
  {
    NetworkAddress(
      linkIndex: link, address: try #require(IPAddress(text)), prefixLength: length, flags: flags, scope: scope)
  }

  private static func route(
    _ destination: String = "0.0.0.0", _ length: Int = 0, over link: Int32, gateway: String? = nil, metric: UInt32 = 0,
    preferred: String? = nil, mtu: Int? = nil, typeOfService: UInt8 = 0
  ) throws -> NetworkRoute {
    NetworkRoute(
      kind: .unicast, table: 254, destination: IPPrefix(try #require(IPAddress(destination)), length), source: nil,
      typeOfService: typeOfService, metric: metric, preferredSource: preferred.flatMap { IPAddress($0) }, mtu: mtu,
      hops: [NextHop(linkIndex: link, gateway: gateway.flatMap { IPAddress($0) })])
  }

  private static func apply(_ routes: [NetworkRoute], to model: inout NetworkModel) {
    for route in routes { _ = model.apply(.route(route, replaces: false)) }
  }

  @Test("the longer prefix counts before the lower metric")
  func prefixBeforeMetric() throws {
    var model = try Self.model([2: "eth0", 3: "tun0"])
    Self.apply(
      [
        try Self.route(over: 2, metric: 10), try Self.route("0.0.0.0", 1, over: 3, metric: 50),
        try Self.route("128.0.0.0", 1, over: 3, metric: 50),
      ], to: &model)
    #expect(model.generalPaths(user: 0).map(\.interfaceName) == ["tun0"])
  }

  @Test("of two routes of one length the lower metric counts, in whichever order they came", arguments: [false, true])
  func metric(isReversed: Bool) throws {
    var model = try Self.model([2: "eth0", 3: "eth1"])
    let routes = [try Self.route(over: 2, metric: 200), try Self.route(over: 3, metric: 100)]
    Self.apply(isReversed ? routes.reversed() : routes, to: &model)
    #expect(model.generalPaths(user: 0).map(\.interfaceName) == ["eth1"])
  }

  @Test("F83 a route with a type of service is not for ordinary packets", arguments: [UInt8(0x10), 0x08, 0x04, 0x1C])
  func typeOfService(_ value: UInt8) throws {
    var model = try Self.model([2: "eth0", 3: "eth1"])
    Self.apply([try Self.route(over: 2, typeOfService: value)], to: &model)
    #expect(model.generalPaths(user: 0).isEmpty)
    Self.apply([try Self.route(over: 3, metric: 500)], to: &model)
    #expect(model.generalPaths(user: 0).map(\.interfaceName) == ["eth1"])
  }

  @Test("the address of a link that is down is no source for another's packets; of one that is up it is")
  func sourceOfAnotherLink() throws {
    for (down, isOnline) in [(Set<Int32>([3]), false), ([], true)] {
      var model = try Self.model([2: "eth0", 3: "eth1"], down: down, without: [2])
      Self.apply([try Self.route(over: 2)], to: &model)
      #expect(model.generalPaths(user: 0).isEmpty != isOnline)
    }
  }

  @Test("a link-local or host-only address alone is no source", arguments: [UInt8(253), 254])
  func scopes(_ scope: UInt8) throws {
    var model = try Self.model([2: "eth0"], without: [2])
    _ = model.apply(.address(try Self.address("169.254.1.2", 16, on: 2, scope: scope)))
    Self.apply([try Self.route(over: 2)], to: &model)
    #expect(model.generalPaths(user: 0).isEmpty)
    _ = model.apply(.address(try Self.address("192.0.2.9", 24, on: 2)))
    #expect(model.generalPaths(user: 0).map(\.sourceAddress) == ["192.0.2.9"])
  }

  @Test("a tunnel is metered if all that it can run over is a modem, and not if there is nothing under it")
  func tunnels() throws {
    for (other, isMetered) in [(String?.none, false), ("wwan0", true), ("eth0", false)] {
      var names: [Int32: String] = [3: "tun0"]
      names[4] = other
      var model = try Self.model(names)
      Self.apply([try Self.route("0.0.0.0", 1, over: 3), try Self.route("128.0.0.0", 1, over: 3)], to: &model)
      if other != nil { Self.apply([try Self.route(over: 4)], to: &model) }
      #expect(model.generalPaths(user: 0).map(\.interfaceKind) == [.tunnel])
      #expect(model.generalPaths(user: 0).map(\.isLikelyMetered) == [isMetered])
    }
  }

  @Test("a path that is no modem's comes first, though it is the one of IPv6")
  func rank() throws {
    var model = try Self.model([2: "wwan0", 3: "eth0"], without: [3])
    _ = model.apply(.address(try Self.address("2001:db8::2", 64, on: 3)))
    Self.apply([try Self.route(over: 2), try Self.route("::", 0, over: 3, gateway: "2001:db8::1")], to: &model)
    #expect(model.generalPaths(user: 0).map(\.interfaceName) == ["eth0", "wwan0"])
  }

  @Test(
    "a route's MTU counts if it is smaller than the link's; 0 stands for none",
    arguments: [(0, 1500), (1400, 1400), (9000, 1500)])
  func mtu(_ route: Int, _ expected: Int) throws {
    var model = try Self.model([2: "eth0"])
    Self.apply([try Self.route(over: 2, mtu: route)], to: &model)
    #expect(model.generalPaths(user: 0).map(\.mtu) == [expected])
  }

  @Test(
    "F83 what the kernel answers is a way only if the other side can answer",
    arguments: [
      ("192.0.2.9", "192.0.2.2", true), ("192.0.2.9", "0.0.0.0", false), ("192.0.2.9", "127.0.0.1", false),
      ("2001:db8::9", "2001:db8::2", true), ("2001:db8::9", "::1", false), ("2001:db8::9", "::", false),
      ("2001:db8::9", "fe80::2", false), ("fe80::9", "fe80::2", true), ("fe80::9", "::1", false),
      ("127.0.0.5", "127.0.0.1", true),
      ("::1", "::1", true),
    ])
  func lookedUp(_ destination: String, _ source: String, _ isWay: Bool) throws {
    let model = try Self.model([2: "eth0"])
    let length = destination.contains(":") ? 128 : 32
    let route = try Self.route(destination, length, over: 2, preferred: source)
    #expect((model.path(lookedUp: route) != nil) == isWay)
  }
}
