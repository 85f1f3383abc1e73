import AFReachability
import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite("Names", .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"))
struct NameTests {
  /// A resolver that says what the test wants, and counts.
  final class Answers: Sendable {
    let current: Locked<NameResolution>
    let questions = Recorder<String>()
    init(_ first: NameResolution) { current = Locked(first) }

    var resolver: NameResolver {
      NameResolver { name in
        self.questions.record(name)
        return self.current.withLock { $0 }
      }
    }

    func set(_ answer: NameResolution) { current.withLock { $0 = answer } }
  }

  private func monitor(_ namespace: TestNamespace, _ answers: Answers) async throws -> NamespaceMonitor {
    var configuration = NetworkMonitor.Configuration()
    configuration.resolver = answers.resolver
    return try await namespace.monitor(configuration)
  }

  private static func addresses(_ texts: String...) -> NameResolution {
    .addresses(texts.compactMap { IPAddress($0) }.map { SocketAddress(address: $0) })
  }

  @Test("A name is reachable when one of its addresses is")
  func resolved() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let answers = Answers(Self.addresses("2001:db8::9", "198.51.100.7"))
    let state = try await monitor(namespace, answers).state(.host("api.example.com"))
    #expect(state.status == .reachableViaWiFi && state.supportsIPv4 && !state.supportsIPv6)
    #expect(answers.questions.values == ["api.example.com"])
  }

  @Test("F83 a link-local address of a name is looked for on the interface that the resolver named")
  func linkLocal() async throws {
    let namespace = try TestNamespace()
    try await namespace.ip(
      "link add v0 type veth peer name v0p", "link set v0 up", "link set v0p up", "addr add fe80::2/64 dev v0 nodad")
    let monitor = try await namespace.monitor()
    let index = Int32(try #require(try await monitor.state(.host("fe80::9%v0")).paths.first?.interfaceIndex))
    let address = try #require(IPAddress("fe80::9"))
    for (scope, isReachable) in [(index, true), (index + 100, false)] {
      let answers = Answers(.addresses([SocketAddress(address: address, scope: scope)]))
      let state = try await self.monitor(namespace, answers).state(.host("device.local"))
      #expect(state.isReachable == isReachable)
      #expect(state.interfaceName == (isReachable ? "v0" : nil))
    }
  }

  @Test("A name without an address is not reachable, with the resolver's reason")
  func unresolved() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let answers = Answers(.failed(reason: "Name or service not known", isFinal: true))
    let state = try await monitor(namespace, answers).state(.host("nowhere.invalid"))
    #expect(state.status == .notReachable)
    #expect(state.failure == .nameNotResolved(name: "nowhere.invalid", reason: "Name or service not known"))
  }

  @Test("H47: a name whose resolution hangs blocks neither the caller nor other targets, and is given up after a while")
  func hangingResolver() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let release = DispatchSemaphore(value: 0)
    defer { release.signal() }
    var configuration = NetworkMonitor.Configuration()
    configuration.resolver = NameResolver { _ in
      release.wait()
      return .addresses([])
    }
    let monitor = try await namespace.monitor(configuration)
    let hanging = monitor.manager(.host("slow.example.com"))
    let statuses = hanging.recordStatuses()
    hanging.startMonitoring()
    #expect(try await monitor.state(.host("198.51.100.7")).isReachable)
    #expect(try await monitor.state().isReachable)
    #expect(hanging.networkReachabilityStatus == .unknown)
    try await statuses.wait(for: 1, within: 15)
    #expect(statuses.values == [.notReachable])
  }

  @Test("Names are resolved again when the network changes, and the new address counts")
  func resolvedAgain() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    let answers = Answers(Self.addresses("198.51.100.7"))
    let monitor = try await monitor(namespace, answers)
    let recording = monitor.record(.host("api.example.com"))
    #expect(try await recording.next().status == .notReachable)
    answers.set(Self.addresses("192.0.2.9"))
    try await namespace.ip("addr add 203.0.113.5/24 dev v0")
    try await recording.settle { $0.isReachable }
    #expect(answers.questions.count >= 2)
  }

  @Test("When the resolver is out of reach, the last addresses stand; a failed name is tried again")
  func resolverOutOfReach() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let answers = Answers(.failed(reason: "Temporary failure in name resolution", isFinal: false))
    let recording = try await monitor(namespace, answers).record(.host("api.example.com"))
    #expect(try await recording.next().status == .notReachable)
    answers.set(Self.addresses("198.51.100.7"))
    #expect(try await recording.next().isReachable)
    answers.set(.failed(reason: "Temporary failure in name resolution", isFinal: false))
    let asked = answers.questions.count
    try await namespace.ip("addr add 203.0.113.5/24 dev v0")
    try await answers.questions.wait(for: asked + 1)
    #expect(recording.states.count == 2)
  }

  @Test("localhost and the names below it are never asked for", arguments: ["localhost", "LOCALHOST.", "a.localhost"])
  func localhost(name: String) async throws {
    let namespace = try TestNamespace()
    try await namespace.ip("link set lo up")
    let answers = Answers(.addresses([]))
    let state = try await monitor(namespace, answers).state(.host(name))
    #expect(state.isReachable && state.interfaceKind == .loopback)
    #expect(answers.questions.count == 0)
  }

  @Test("1,000 managers for one name ask once")
  func sharedName() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let answers = Answers(Self.addresses("198.51.100.7"))
    let monitor = try await monitor(namespace, answers)
    let recordings = (0..<1_000).map { _ in monitor.record(.host("api.example.com")) }
    for recording in recordings { #expect(try await recording.next().isReachable) }
    #expect(answers.questions.count == 1)
  }

  @Test("The system's resolver knows the hosts file and refuses nonsense")
  func systemResolver() {
    guard case .failed(_, let isFinal) = NameResolver.system.resolve("no such name") else {
      Issue.record("resolved")
      return
    }
    #expect(isFinal)
    guard case .addresses(let addresses) = NameResolver.system.resolve("localhost") else {
      Issue.record("not resolved")
      return
    }
    #expect(addresses.contains { $0.address.isLoopback })
  }
}
