import AFReachability
import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite("Targets, good and bad", .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"))
struct TargetTests {
  @Test("An interface: missing, there but down, up without an address, up with one, gone again")
  func interface() async throws {
    let namespace = try TestNamespace()
    let monitor = try await namespace.monitor()
    let recording = monitor.record(.interface("v0"))
    var state = try await recording.next()
    #expect(state.status == .notReachable)
    #expect(state.failure == .noSuchInterface(name: "v0"))
    try await namespace.command("sysctl", "-q", "net.ipv6.conf.default.disable_ipv6=1")
    try await namespace.ip("link add v0 type veth peer name v0p", "link set v0p up")
    state = try await recording.next()
    #expect(state.status == .notReachable && state.failure == nil)
    try await namespace.ip("link set v0 up", "addr add 192.0.2.2/24 dev v0")
    state = try await recording.next()
    #expect(state.status == .reachableViaWiFi && state.sourceAddress == "192.0.2.2" && state.gateway == nil)
    try await namespace.ip("route add default via 192.0.2.1")
    #expect(try await recording.next().gateway == "192.0.2.1")
    try await namespace.ip("link del v0")
    try await recording.settle { $0.failure == .noSuchInterface(name: "v0") }
  }

  @Test("A renamed interface is found under its new name")
  func renamedInterface() async throws {
    let namespace = try TestNamespace()
    let monitor = try await namespace.monitor()
    let recording = monitor.record(.interface("wan"))
    #expect(try await recording.next().failure == .noSuchInterface(name: "wan"))
    try await namespace.addLink()
    try await namespace.ip("link set v0 down", "link set v0 name wan", "link set wan up")
    try await recording.settle { $0.interfaceName == "wan" }
  }

  @Test("A host on the link needs no default route; a host beyond does")
  func hosts() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    let monitor = try await namespace.monitor()
    let near = try await monitor.state(.host("192.0.2.77"))
    #expect(near.status == .reachableViaWiFi && near.gateway == nil && near.sourceAddress == "192.0.2.2")
    let far = monitor.record(.host("198.51.100.7"))
    #expect(try await far.next().status == .notReachable)
    try await namespace.ip("route add 198.51.100.0/24 via 192.0.2.9 mtu 1300")
    let state = try await far.next()
    #expect(state.gateway == "192.0.2.9" && state.mtu == 1300)
    try await namespace.ip("route replace unreachable 198.51.100.0/24")
    #expect(try await far.next().status == .notReachable)
    // Our own address is reached over loopback.
    #expect(try await monitor.state(.host("192.0.2.2")).status == .notReachable)
    try await namespace.ip("link set lo up")
    #expect(try await monitor.state(.host("192.0.2.2")).interfaceKind == .loopback)
  }

  @Test("A link-local host is looked for on the interface that its scope names")
  func linkLocal() async throws {
    let namespace = try TestNamespace()
    try await namespace.ip(
      "link add v0 type veth peer name v0p", "link set v0 up", "link set v0p up", "addr add fe80::2/64 dev v0 nodad"
    )
    let monitor = try await namespace.monitor()
    let state = try await monitor.state(.host("fe80::1%v0"))
    #expect(state.status == .reachableViaWiFi && state.interfaceName == "v0")
    #expect(try await monitor.state(.host("fe80::1%nowhere")).status == .notReachable)
    #expect(try await monitor.state(.host("[fe80::1%v0]")).isReachable)
  }

  @Test("Any and all of a set, and sets of nothing")
  func sets() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    let monitor = try await namespace.monitor()
    let near = AFReachabilityTarget.host("192.0.2.9")
    let far = AFReachabilityTarget.host("198.51.100.7")
    let any = monitor.record(.any([far, near]))
    let all = monitor.record(.all([far, .interface("v0"), near]))
    #expect(try await any.next().isReachable)
    #expect(try await all.next().status == .notReachable)
    try await namespace.ip("route add default via 192.0.2.1")
    try await all.settle { $0.isReachable }
    #expect(any.states.values.allSatisfy { $0.isReachable })
    for empty in [AFReachabilityTarget.any([]), .all([])] {
      let state = try await monitor.state(empty)
      #expect(state.status == .notReachable)
      guard case .invalidTarget = state.failure else {
        Issue.record("no reason: \(state)")
        return
      }
    }
  }

  @Test("A socket address of another family is not reachable, and the state says why")
  func foreignFamily() async throws {
    let namespace = try TestNamespace()
    let monitor = try await namespace.monitor()
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let target = AFNetworkReachabilityManager(forAddress: &address).target
    #expect(try await monitor.state(target).status == .notReachable)
  }
}
