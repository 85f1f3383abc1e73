import AFReachability
import AFTestSupport
import Foundation
import Testing

@Suite("Which way it goes", .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"))
struct PathTests {
  @Test("IPv4 alone: interface, kind, addresses, MTU, and since when")
  func onlyIPv4() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    try await namespace.ip("link set v0 mtu 1400")
    let state = try await namespace.monitor().state()
    #expect(state.status == .reachableViaWiFi)
    #expect(state.supportsIPv4 && !state.supportsIPv6)
    #expect(state.interfaceName == "v0")
    #expect(state.interfaceKind == .ethernet)
    #expect(state.sourceAddress == "192.0.2.2")
    #expect(state.gateway == "192.0.2.1")
    #expect(state.mtu == 1400)
    #expect(!state.isLikelyMetered)
    #expect(state.failure == nil)
    #expect(abs(state.since.timeIntervalSinceNow) < 60)
  }

  @Test("IPv6 alone")
  func onlyIPv6() async throws {
    let namespace = try TestNamespace()
    try await namespace.ip("link add v0 type veth peer name v0p", "link set v0 up", "link set v0p up")
    try await namespace.addIPv6()
    let state = try await namespace.monitor().state()
    #expect(state.status == .reachableViaWiFi)
    #expect(!state.supportsIPv4 && state.supportsIPv6)
    #expect(state.sourceAddress == "2001:db8::2")
    #expect(state.gateway == "2001:db8::1")
  }

  @Test("Both families; then each alone, as the other's route goes and comes")
  func dualStack() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    try await namespace.addIPv6()
    let recording = try await namespace.monitor().record()
    var state = try await recording.next()
    #expect(state.supportsIPv4 && state.supportsIPv6)
    #expect(state.paths.map(\.family) == [.ipv4, .ipv6])
    try await namespace.ip("route del default")
    state = try await recording.next()
    #expect(!state.supportsIPv4 && state.supportsIPv6)
    try await namespace.ip("route add default via 192.0.2.1", "route del ::/0")
    state = try await recording.next()
    #expect(state.supportsIPv4 && state.supportsIPv6)
    state = try await recording.next()
    #expect(state.supportsIPv4 && !state.supportsIPv6)
  }

  @Test("A default route with a better metric takes over, and gives back")
  func betterMetric() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink("v0", metric: 100)
    let recording = try await namespace.monitor().record()
    let first = try await recording.next()
    #expect(first.interfaceName == "v0")
    try await namespace.addLink("v1", address: "198.51.100.2/24")
    try await namespace.ip("route add default via 198.51.100.1 metric 50")
    let second = try await recording.next()
    #expect(second.interfaceName == "v1")
    #expect(second.gateway == "198.51.100.1")
    #expect(second.since == first.since)
    try await namespace.ip("route replace default via 198.51.100.7 metric 50")
    #expect(try await recording.next().gateway == "198.51.100.7")
    try await namespace.ip("route del default metric 50")
    #expect(try await recording.next().interfaceName == "v0")
  }

  @Test("A carrier that is lost makes the next route count, and its return the first again")
  func carrierLost() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink("v0", metric: 10)
    let monitor = try await namespace.monitor()
    let recording = monitor.record()
    #expect(try await recording.next().interfaceName == "v0")
    try await namespace.ip("link set v0p down")
    #expect(try await recording.next().status == .notReachable)
    try await namespace.addLink("v1", address: "198.51.100.2/24")
    try await namespace.ip("route add default via 198.51.100.1 metric 50")
    #expect(try await recording.next().interfaceName == "v1")
    try await namespace.ip("link set v0p up")
    #expect(try await recording.next().interfaceName == "v0")
    #expect(recording.states.count == 4)
  }

  @Test("50 losses of the carrier and returns give one report each, in order")
  func carrierToggles() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let recording = try await namespace.monitor().record()
    #expect(try await recording.next().isReachable)
    for round in 0..<50 {
      let isDown = round.isMultiple(of: 2)
      try await namespace.ip("link set v0p \(isDown ? "down" : "up")")
      #expect(try await recording.next().isReachable == !isDown)
    }
    #expect(recording.states.count == 51)
  }

  @Test("A link set down takes its routes along; set up again, it has none until one is added")
  func linkDownDropsRoutes() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let monitor = try await namespace.monitor()
    let recording = monitor.record()
    #expect(try await recording.next().isReachable)
    try await namespace.ip("link set v0 down", "link set v0 up")
    #expect(try await recording.next().status == .notReachable)
    #expect(try await namespace.command("ip", "route", "show", "default") == "")
    try await namespace.ip("route add default via 192.0.2.1")
    #expect(try await recording.next().isReachable)
    #expect(recording.states.count == 3)
  }

  @Test("An IPv4 address removed takes routes along without a word; they are missed")
  func addressRemovedIPv4() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let recording = try await namespace.monitor().record()
    #expect(try await recording.next().isReachable)
    try await namespace.ip("addr del 192.0.2.2/24 dev v0")
    #expect(try await recording.next().status == .notReachable)
    try await namespace.ip("addr add 192.0.2.2/24 dev v0")
    #expect(try await namespace.command("ip", "route", "show", "default") == "")
    try await namespace.ip("route add default via 192.0.2.1")
    #expect(try await recording.next().isReachable)
    #expect(recording.states.count == 3)
  }

  @Test("An IPv6 route left without an address leads nowhere, for everything and for one host")
  func addressRemovedRouteLeft() async throws {
    let namespace = try TestNamespace()
    try await namespace.ip("link add v0 type veth peer name v0p", "link set v0 up", "link set v0p up")
    try await namespace.addIPv6()
    let monitor = try await namespace.monitor()
    let recording = monitor.record()
    let host = monitor.record(.host("2001:db8:1::1"))
    #expect(try await recording.next().isReachable)
    #expect(try await host.next().isReachable)
    try await namespace.ip("addr del 2001:db8::2/64 dev v0")
    #expect(try await recording.next().status == .notReachable)
    try await host.settle { !$0.isReachable }
    #expect(try await namespace.command("ip", "-6", "route").contains("default"))
  }

  @Test("A VPN over halves of the address space is the way while its device is up, and the uplink after it")
  func vpn() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let recording = try await namespace.monitor().record()
    #expect(try await recording.next().interfaceKind == .ethernet)
    var device: TunDevice? = try await namespace.run { try TunDevice("tun0") }
    try await namespace.ip(
      "addr add 10.8.0.2/24 dev tun0", "link set tun0 up", "route add 0.0.0.0/1 dev tun0",
      "route add 128.0.0.0/1 dev tun0"
    )
    try await recording.settle { $0.interfaceName == "tun0" && $0.interfaceKind == .tunnel }
    #expect(recording.states.last?.sourceAddress == "10.8.0.2")
    #expect(recording.states.last?.isLikelyMetered == false)
    device = nil
    try await recording.settle { $0.interfaceName == "v0" }
    #expect(device == nil)
  }

  @Test("Half of the address space is not everything")
  func oneHalf() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    try await namespace.ip("route add 0.0.0.0/1 via 192.0.2.1")
    let recording = try await namespace.monitor().record()
    #expect(try await recording.next().status == .notReachable)
    try await namespace.ip("route add 128.0.0.0/1 via 192.0.2.1")
    #expect(try await recording.next().isReachable)
  }

  @Test("Policy rules: the way may be in another table, suppressed in main, refused, or for marked packets only")
  func policyRules() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    let monitor = try await namespace.monitor()
    let recording = monitor.record()
    #expect(try await recording.next().status == .notReachable)
    try await namespace.ip("route add default via 192.0.2.1 table 100")
    #expect(try await monitor.state().status == .notReachable)
    try await namespace.ip("rule add fwmark 1 lookup 100 priority 1000")
    #expect(try await monitor.state().status == .notReachable)
    try await namespace.ip("rule add lookup 100 priority 1001")
    #expect(try await recording.next().isReachable)
    try await namespace.ip("rule add unreachable priority 900")
    #expect(try await recording.next().status == .notReachable)
    try await namespace.ip("rule del priority 900")
    #expect(try await recording.next().isReachable)
    // The rules of wg-quick: main without its default routes, everything unmarked to a table of its own.
    try await namespace.ip(
      "rule del priority 1001", "route add default via 192.0.2.7", "rule add not fwmark 51820 lookup 100 priority 800",
      "rule add lookup main suppress_prefixlength 0 priority 700"
    )
    try await recording.settle { $0.gateway == "192.0.2.1" }
    #expect(try await namespace.command("ip", "route", "get", "198.51.100.1").contains("via 192.0.2.1"))
  }

  @Test("A blackhole or unreachable default is no way, and hides a worse one")
  func refusals() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink(metric: 100)
    let recording = try await namespace.monitor().record()
    #expect(try await recording.next().isReachable)
    try await namespace.ip("route add unreachable default metric 5")
    #expect(try await recording.next().status == .notReachable)
    try await namespace.ip("route del unreachable default metric 5", "route add throw default metric 5")
    try await recording.settle { $0.status == .notReachable }
    try await namespace.ip("route del throw default metric 5")
    try await recording.settle { $0.isReachable }
  }

  @Test("A modem is told by its name or kind, and makes the status WWAN and the path metered")
  func cellular() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink("wwan0", metric: 700)
    let monitor = try await namespace.monitor()
    let recording = monitor.record()
    let manager = monitor.manager()
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    let state = try await recording.next()
    #expect(state.status == .reachableViaWWAN && state.isLikelyMetered && state.interfaceKind == .cellular)
    try await statuses.wait(for: 1)
    #expect(manager.isReachableViaWWAN && manager.isReachable && !manager.isReachableViaWiFi)
    let device = try await namespace.run { try TunDevice("tun0") }
    try await namespace.ip("addr add 10.8.0.2/24 dev tun0", "link set tun0 up", "route add default dev tun0")
    try await recording.settle { $0.status == .reachableViaWiFi && $0.interfaceKind == .tunnel && $0.isLikelyMetered }
    withExtendedLifetime(device) {}
  }

  @Test("A default route over several next hops works while one of their links does")
  func multipath() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink("v0")
    try await namespace.addLink("v1", address: "198.51.100.2/24")
    try await namespace.ip("route add default nexthop via 192.0.2.1 nexthop via 198.51.100.1")
    let recording = try await namespace.monitor().record()
    #expect(try await recording.next().interfaceName == "v0")
    try await namespace.ip("link set v0p down")
    #expect(try await recording.next().interfaceName == "v1")
    try await namespace.ip("link set v1 down")
    #expect(try await recording.next().status == .notReachable)
    try await namespace.ip("link set v0p up")
    try await recording.settle { $0.interfaceName == "v0" }
  }

  @Test("ifb and bridges with a live port count like any link that a default route leads over")
  func ifbAndLiveBridge() async throws {
    let namespace = try TestNamespace()
    try await namespace.ip(
      "link add br0 type bridge", "link add p0 type veth peer name p1", "link set p0 master br0", "link set p0 up",
      "link set p1 up", "link set br0 up", "addr add 172.17.0.1/16 dev br0"
    )
    let recording = try await namespace.monitor().record()
    #expect(try await recording.next().status == .notReachable)
    try await namespace.ip("route add default via 172.17.0.9")
    try await recording.settle { $0.interfaceName == "br0" }
    try await namespace.ip("link set p0 nomaster")
    try await recording.settle { $0.status == .notReachable }
    try await namespace.ip(
      "link add ifb7 type ifb", "link set ifb7 up", "addr add 203.0.113.2/24 dev ifb7",
      "route add default via 203.0.113.1 metric 9"
    )
    try await recording.settle { $0.interfaceName == "ifb7" }
  }
}
