import AFReachability
import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite("Where the network cannot be watched")
struct RefusalTests {
  @Test("A sandbox without netlink: unknown, never reachable, with the reason, one log line, and no waiting in vain")
  func sandbox() async throws {
    let lines = Recorder<String>()
    let oldHandler = AFReachabilityLog.handler
    AFReachabilityLog.handler = { lines.record($0) }
    defer { AFReachabilityLog.handler = oldHandler }

    let monitor = NetworkMonitor()
    let states = Recorder<AFReachabilityState>()
    let registration = try await NetlinkSandbox.run {
      monitor.add(.general) { if case .state(let state) = $0 { states.record(state) } }
    }
    defer { monitor.remove(registration) }
    try await states.wait(for: 1)
    #expect(states.last?.status == .unknown)
    #expect(states.last?.isReachable == false)
    #expect(states.last?.failure == .netlinkUnavailable(call: "socket(AF_NETLINK)", code: EPERM))

    for target in [AFReachabilityTarget.general, .host("127.0.0.1"), .host("a.example.com"), .interface("lo")] {
      let manager = AFNetworkReachabilityManager(
        target: target, callbackQueue: DispatchQueue(label: "test.callbacks"), monitor: monitor
      )
      let statuses = manager.recordStatuses()
      manager.startMonitoring()
      try await statuses.wait(for: 1)
      #expect(statuses.values == [.unknown])
      #expect(!manager.isReachable)
      await #expect(throws: AFReachabilityError.netlinkUnavailable(call: "socket(AF_NETLINK)", code: EPERM)) {
        try await manager.waitUntilReachable(timeout: 30)
      }
    }
    #expect(states.count == 1)
    #expect(lines.values.filter { $0.contains("Operation not permitted") }.count == 1)
    #expect(monitor.counters.sockets == 0)
  }
}
