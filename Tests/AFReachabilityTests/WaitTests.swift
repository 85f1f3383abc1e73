import AFReachability
import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite("Waiting, streams, debounce", .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"))
struct WaitTests {
  @Test("Waiting ends at once if the target is reachable, without a start")
  func alreadyReachable() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let manager = try await namespace.monitor().manager()
    #expect(try await manager.waitUntilReachable(timeout: 5).interfaceName == "v0")
    #expect(manager.networkReachabilityStatus == .unknown)
  }

  @Test("Waiting ends when the network returns")
  func returns() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    let manager = try await namespace.monitor().manager()
    async let state = manager.waitUntilReachable(timeout: 30)
    try await namespace.ip("route add default via 192.0.2.1")
    #expect(try await state.isReachable)
  }

  @Test("Waiting ends with an error when its time is over, and says what the status was")
  func timeout() async throws {
    let namespace = try TestNamespace()
    let manager = try await namespace.monitor().manager()
    await #expect(throws: AFReachabilityError.timedOut(seconds: 0.05, status: .notReachable)) {
      try await manager.waitUntilReachable(timeout: 0.05)
    }
    await #expect(throws: AFReachabilityError.self) { try await manager.waitUntilReachable(timeout: 0) }
    await #expect(throws: AFReachabilityError.self) { try await manager.waitUntilReachable(timeout: -1) }
  }

  @Test("A cancelled task stops waiting, also if it was cancelled before")
  func cancellation() async throws {
    let namespace = try TestNamespace()
    let manager = try await namespace.monitor().manager()
    let task = Task { try await manager.waitUntilReachable() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let later = Task { try await manager.waitUntilReachable() }
    // The sleep lets the task get as far as waiting, which nothing shows; it may also be cancelled before.
    try await Task.sleep(nanoseconds: 20_000_000)
    later.cancel()
    await #expect(throws: CancellationError.self) { try await later.value }
  }

  @Test("The form with a closure calls it once, whatever ends the wait")
  func closureForm() async throws {
    let namespace = try TestNamespace()
    try await namespace.addLink()
    let manager = try await namespace.monitor().manager()
    let results = Recorder<String>()
    let record: @Sendable (Result<AFReachabilityState, any Error>) -> Void = { result in
      switch result {
      case .success: results.record("reachable")
      case .failure(let error): results.record(error is CancellationError ? "cancelled" : "late")
      }
    }
    let cancelled = manager.makeWait(timeout: 30)
    cancelled.begin(record)
    cancelled.cancel()
    cancelled.cancel()
    manager.makeWait(timeout: 0.01).begin(record)
    try await results.wait(for: 2)
    let reached = manager.makeWait(timeout: 30)
    reached.begin(record)
    // The monitor's thread tells the present state first; the way must not open before.
    try await eventually { reached.hasSeenOutage }
    try await namespace.ip("route add default via 192.0.2.1")
    try await results.wait(for: 3)
    reached.cancel()
    #expect(results.values == ["cancelled", "late", "reachable"])
  }

  @Test("A stream gives the present state, then changes of status and of path, and ends with its task")
  func stream() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink(metric: 10)
    let manager = try await namespace.monitor().manager()
    let seen = Recorder<String>()
    let task = Task {
      for await state in manager.states() { seen.record(state.gateway ?? "none") }
      seen.record("ended")
    }
    try await seen.wait(for: 1)
    try await namespace.ip("route add default via 192.0.2.5 metric 5")
    try await seen.wait(for: 2)
    try await namespace.ip("route flush all")
    try await eventually { seen.last == "none" }
    task.cancel()
    try await eventually { seen.last == "ended" }
    #expect(seen.values.prefix(2) == ["192.0.2.1", "192.0.2.5"])
  }

  @Test("With a debounce, what does not last is not told; what lasts is, once; the first state is not held back")
  func debounce() async throws {
    let namespace = try TestNamespace()
    try await namespace.addUplink()
    let monitor = try await namespace.monitor()
    let recording = monitor.record(debounce: 0.3)
    let raw = monitor.record()
    #expect(try await recording.next().isReachable)
    try await namespace.ip(
      lines: (0..<20).map { $0.isMultiple(of: 2) ? "route del default" : "route add default via 192.0.2.1" }
    )
    try await raw.states.wait(for: 21)
    try await namespace.ip("route del default")
    let gone = try await recording.next()
    #expect(gone.status == .notReachable)
    #expect(recording.states.count == 2)
    #expect(raw.states.count == 22)
  }
}
