import AFReachability
import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite("Field reports", .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"))
struct FieldReportTests {
  static let everyKind: [AFReachabilityTarget] = [.general, .host("192.0.2.9"), .host("2001:db8::9")]

  @Test("B21: every kind of monitor reports the present status once, soon, without waiting for a change")
  func firstReport() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    try await namespace.addIPv6()
    for target in Self.everyKind {
      try await expectFirst(.reachableViaWiFi, for: target, in: namespace)
    }
  }

  @Test("B21: in an empty namespace every kind of monitor reports not reachable once, soon")
  func firstReportWithoutNetwork() async throws {
    let namespace = try TestNamespace()
    for target in Self.everyKind {
      try await expectFirst(.notReachable, for: target, in: namespace)
    }
  }

  /// A cold start: the monitor's thread and socket are made by it.
  private func expectFirst(
    _ expected: AFNetworkReachabilityStatus, for target: AFReachabilityTarget, in namespace: TestNamespace
  ) async throws {
    var best = Double.infinity
    // The best of some: other tests make the kernel hold its network lock for long.
    for _ in 0..<20 where best >= 0.25 {
      let manager = AFNetworkReachabilityManager(
        target: target, callbackQueue: DispatchQueue(label: "test.callbacks"), monitor: NetworkMonitor()
      )
      let reports = Recorder<(AFNetworkReachabilityStatus, MonotonicTime)>()
      manager.setReachabilityStatusChange { reports.record(($0, .now)) }
      let start = try await namespace.run {
        let start = MonotonicTime.now
        manager.startMonitoring()
        return start
      }
      let (status, time) = try await reports.wait(for: 1)[0]
      best = min(best, time - start)
      #expect(status == expected, "\(target)")
      #expect(manager.networkReachabilityStatus == expected)
      // Whatever comes when somebody else starts too is not a second first report of this one.
      let witness = AFNetworkReachabilityManager(
        target: target, callbackQueue: .global(), monitor: manager.core.monitor
      )
      let seen = witness.recordStatuses()
      witness.startMonitoring()
      try await seen.wait(for: 1)
      #expect(reports.count == 1)
    }
    #expect(best < 0.25)
  }

  @Test("B22: the property, the last report and the routes agree, however start and change race", arguments: 0..<4)
  func startRacesChange(part: Int) async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let monitor = try await namespace.monitor()
    var random = SystemRandomNumberGenerator()
    var hasRoute = true
    for _ in 0..<75 {
      let manager = monitor.manager()
      let statuses = manager.recordStatuses()
      let delay = Double.random(in: 0...0.02, using: &random)
      let line = hasRoute ? "route del default" : "route add default via 192.0.2.1"
      async let change: Void = namespace.ip(line)
      // The sleep is the report's own: a random moment near the change.
      try await Task.sleep(nanoseconds: UInt64(delay * 1e9))
      manager.startMonitoring()
      try await change
      hasRoute.toggle()
      let truth: AFNetworkReachabilityStatus = hasRoute ? .reachableViaWiFi : .notReachable
      try await eventually("report of \(truth)") { statuses.last == truth }
      #expect(manager.networkReachabilityStatus == truth)
      #expect(zip(statuses.values, statuses.values.dropFirst()).allSatisfy { $0 != $1 })
    }
    #expect(try await namespace.command("ip", "route").contains("default") == hasRoute)
  }

  @Test("B23: neither loopback nor a dead bridge is a network; a working uplink beside one is")
  func loopbackAndDeadBridge() async throws {
    let namespace = try TestNamespace()
    let monitor = try await namespace.monitor()
    let manager = monitor.manager()
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    try await statuses.wait(for: 1)
    try await namespace.ip("link set lo up")
    try await expectNow(.notReachable, monitor)
    let loopback = monitor.manager(.host("127.0.0.1"))
    let loopbackStatuses = loopback.recordStatuses()
    loopback.startMonitoring()
    try await loopbackStatuses.wait(for: 1)
    #expect(loopbackStatuses.values == [.reachableViaWiFi])

    try await namespace.ip(
      "link add br0 type bridge", "link add p0 type veth peer name p1", "link set p0 master br0",
      "addr add 172.17.0.1/16 dev br0", "link set br0 up"
    )
    try await expectNow(.notReachable, monitor)
    try await namespace.ip("route add default via 172.17.0.9")
    try await expectNow(.notReachable, monitor)
    #expect(try await namespace.command("ip", "route").contains("linkdown"))
    // The kernel would take that route; nothing would come of it.
    let beyond = monitor.manager(.host("198.51.100.1"))
    let beyondStatuses = beyond.recordStatuses()
    beyond.startMonitoring()
    try await beyondStatuses.wait(for: 1)
    #expect(beyondStatuses.values == [.notReachable])

    try await namespace.addUplink(metric: 100)
    try await statuses.wait(for: 2)
    #expect(statuses.values == [.notReachable, .reachableViaWiFi])
  }

  /// A newcomer is told what holds now, and so shows it without waiting for a change.
  private func expectNow(_ expected: AFNetworkReachabilityStatus, _ monitor: NamespaceMonitor) async throws {
    let manager = monitor.manager()
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    try await statuses.wait(for: 1)
    #expect(statuses.values == [expected])
  }

  /// The default route goes in the midst of the burst, or goes and comes before it and goes in the part that is lost.
  static let overflows: [[String]] = [
    burst[..<250] + ["route del default"] + burst[250...],
    ["route del default", "route add default via 192.0.2.1"] + burst + ["route del default"],
  ]
  private static let burst = (0..<500).map { "route add 10.\($0 / 250).\($0 % 250).0/24 dev v0" }

  @Test(
    "B24: after an overflow the picture is taken anew: one report, the right one, and toggles still work",
    arguments: overflows
  )
  func overflow(lines: [String]) async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    var configuration = NetworkMonitor.Configuration()
    configuration.receiveBufferSize = 16 << 10
    let monitor = try await namespace.monitor(configuration)
    let manager = monitor.manager()
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    try await statuses.wait(for: 1)

    let stall = DispatchSemaphore(value: 0)
    let isStalled = Recorder<Bool>()
    let registration = monitor.monitor.add(.interface("lo")) { _ in
      guard isStalled.count == 0 else { return }
      isStalled.record(true)
      stall.wait()
    }
    try await isStalled.wait(for: 1)
    try await namespace.ip(lines: lines)
    let before = monitor.monitor.counters
    stall.signal()
    try await statuses.wait(for: 2)
    #expect(statuses.values == [.reachableViaWiFi, .notReachable])
    let after = monitor.monitor.counters
    #expect(after.synchronizations > before.synchronizations)
    #expect(after.wakeUps - before.wakeUps < 50)

    try await namespace.ip("route add default via 192.0.2.1")
    try await statuses.wait(for: 3)
    #expect(statuses.values == [.reachableViaWiFi, .notReachable, .reachableViaWiFi])
    monitor.monitor.remove(registration)
  }
}
