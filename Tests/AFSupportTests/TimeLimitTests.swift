import AFSupport
import AFTestSupport
import Testing

@Suite struct TimeLimitTests {
  @Test func `a limit calls once its time is up; cancelled or dropped, it calls never and keeps nothing`() async throws
  {
    final class Witness: Sendable {}
    let called = Recorder<Int>()
    let kept = TimeLimit(seconds: 0.01) { called.record(1) }
    weak var witness: Witness?
    do {
      let held = Witness()
      witness = held
      let cancelled = TimeLimit(seconds: 1000) { [held] in
        _ = held
        called.record(2)
      }
      cancelled.cancel()
      _ = TimeLimit(seconds: 1000) { [held] in
        _ = held
        called.record(3)
      }
    }
    try await called.wait(for: 1)
    try await eventually("what the closures held is let go") { witness == nil }
    #expect(called.values == [1])
    withExtendedLifetime(kept) {}
  }
}
