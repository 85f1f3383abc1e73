import AFReachability
import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite("What a manager reports, and when", .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"))
struct ManagerTests {
  @Test("AF-T115, AF-T119, H07: the notification carries the status, and the manager as its object")
  func notification() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    let received = Recorder<Int?>()
    let token = NotificationCenter.default.addObserver(
      forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
    ) { note in
      received.record(note.userInfo?[AFNetworkingReachabilityNotificationStatusItem] as? Int)
      #expect(note.userInfo?[AFNetworkingReachabilityNotificationStatusItem] is NSNumber)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    manager.startMonitoring()
    try await received.wait(for: 1)
    #expect(received.values == [AFNetworkReachabilityStatus.reachableViaWiFi.rawValue])
  }

  @Test("AF-T117: the block of a manager for general connectivity gets a reachable status")
  func generalBlock() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    try await statuses.wait(for: 1)
    #expect(statuses.values == [.reachableViaWiFi])
    #expect(manager.isReachable && manager.isReachableViaWiFi && !manager.isReachableViaWWAN)
    #expect(manager.localizedNetworkReachabilityStatusString() == "Reachable via WiFi")
  }

  @Test("AF-T116, AF-T118: localhost is reachable wherever loopback is up, and nowhere else")
  func localhost() async throws {
    let namespace = try TestNamespace()
    let monitor = try await namespace.monitor()
    let manager = monitor.manager(.host("localhost"))
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    try await statuses.wait(for: 1)
    try await namespace.ip("link set lo up")
    try await statuses.wait(for: 2)
    #expect(statuses.values == [.notReachable, .reachableViaWiFi])
  }

  @Test("By default block and notification come on the main queue, the status first")
  func mainQueue() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let monitor = try await namespace.monitor()
    let manager = AFNetworkReachabilityManager(target: .general, monitor: monitor.monitor)
    let mark = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: mark, value: true)
    defer { DispatchQueue.main.setSpecific(key: mark, value: nil) }
    let calls = Recorder<String>()
    manager.setReachabilityStatusChange { [weak manager] status in
      let isOnMain = DispatchQueue.getSpecific(key: mark) ?? false
      calls.record("block \(isOnMain) \(manager?.networkReachabilityStatus == status)")
    }
    let token = NotificationCenter.default.addObserver(
      forName: .AFNetworkingReachabilityDidChange, object: manager, queue: nil
    ) { _ in calls.record("notification \(DispatchQueue.getSpecific(key: mark) ?? false)") }
    defer { NotificationCenter.default.removeObserver(token) }
    manager.startMonitoring()
    try await calls.wait(for: 2)
    #expect(calls.values == ["block true true", "notification true"])
  }

  @Test("AF-X064: start, stop, start: one first report for each start, the status kept in between")
  func startStopStart() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    try await statuses.wait(for: 1)
    manager.stopMonitoring()
    try await namespace.ip("link set v0 down")
    #expect(manager.networkReachabilityStatus == .reachableViaWiFi)
    manager.startMonitoring()
    try await statuses.wait(for: 2)
    #expect(statuses.values == [.reachableViaWiFi, .notReachable])
  }

  @Test("AF-X064, AF-X065: starting twice gives one first report; stopping without a start is safe")
  func doubleStart() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    let statuses = manager.recordStatuses()
    manager.stopMonitoring()
    manager.startMonitoring()
    manager.startMonitoring()
    try await statuses.wait(for: 1)
    try await namespace.ip("link set v0 down")
    try await statuses.wait(for: 2)
    #expect(statuses.values == [.reachableViaWiFi, .notReachable])
  }

  @Test("AF-X064: a manager released while monitoring is freed, and its block is not called again")
  func releaseWhileMonitoring() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let monitor = try await namespace.monitor()
    var manager: AFNetworkReachabilityManager? = monitor.manager()
    weak let released = manager
    let statuses = manager?.recordStatuses()
    manager?.startMonitoring()
    try await statuses?.wait(for: 1)
    manager = nil
    try await eventually { released == nil }
    let witness = monitor.manager()
    let seen = witness.recordStatuses()
    witness.startMonitoring()
    try await seen.wait(for: 1)
    try await namespace.ip("link set v0 down")
    try await seen.wait(for: 2)
    #expect(statuses?.values == [.reachableViaWiFi])
  }

  @Test("AF-X064: a block set while monitoring takes over; nil is silence")
  func blockReplaced() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    let first = manager.recordStatuses()
    manager.startMonitoring()
    try await first.wait(for: 1)
    let second = manager.recordStatuses()
    try await namespace.ip("link set v0 down")
    try await second.wait(for: 1)
    manager.setReachabilityStatusChange(nil)
    try await namespace.ip("link set v0 up", "route add default via 192.0.2.1")
    try await eventually { manager.isReachable }
    #expect(first.values == [.reachableViaWiFi])
    #expect(second.values == [.notReachable])
  }

  @Test("AF-X065: 50 toggles give exactly one report each, in order, each within 250 ms")
  func toggles() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    let reports = Recorder<(AFNetworkReachabilityStatus, MonotonicTime)>()
    manager.setReachabilityStatusChange { reports.record(($0, .now)) }
    manager.startMonitoring()
    try await reports.wait(for: 1)
    var delays: [Double] = []
    for round in 0..<50 {
      let isDown = round.isMultiple(of: 2)
      try await namespace.ip(isDown ? "route del default" : "route add default via 192.0.2.1")
      let done = MonotonicTime.now
      let (status, time) = try await reports.wait(for: round + 2)[round + 1]
      #expect(status == (isDown ? .notReachable : .reachableViaWiFi))
      delays.append(time - done)
    }
    // Not the slowest: the machine may be busy with other tests.
    #expect(delays.sorted()[44] < 0.25)
    #expect(reports.count == 51)
  }

  @Test("AF-X065: toggles in one batch are all reported, in order")
  func batchedToggles() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    let statuses = manager.recordStatuses()
    manager.startMonitoring()
    try await statuses.wait(for: 1)
    try await namespace.ip(
      lines: (0..<50).map { $0.isMultiple(of: 2) ? "route del default" : "route add default via 192.0.2.1" }
    )
    try await statuses.wait(for: 51)
    let expected: [AFNetworkReachabilityStatus] = [.reachableViaWiFi, .notReachable]
    #expect(statuses.values == (0...50).map { expected[$0 % 2] })
  }
}
