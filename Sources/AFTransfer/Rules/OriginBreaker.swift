import Foundation

/// What was learned about one origin: after a failure it gets time, and then one attempt at a time until one succeeds.
///
/// The wait is the origin's and not a transfer's: ten thousand transfers to a server that is down make one attempt per step.
struct OriginBreaker: Codable, Hashable, Sendable {
  private(set) var failures = 0
  private(set) var pause: StoredDeadline?
  private(set) var successes = 0

  /// Whether another attempt may begin while so many are under way.
  func mayStart(running: Int, limit: Int, _ now: ClockReading) -> Bool {
    guard failures > 0 || pause != nil else { return running < limit }
    return running == 0 && remaining(now) <= 0
  }

  var isProbing: Bool { failures > 0 }

  /// Seconds until another attempt may begin.
  func remaining(_ now: ClockReading) -> TimeInterval { pause?.remaining(now) ?? 0 }

  /// An attempt failed for a reason that others would meet too.
  mutating func fail(
    _ policy: AFTransferRetryPolicy, retryAfter: TimeInterval?, jitter: Double, _ now: ClockReading
  ) {
    failures = min(max(failures, 0), 1000) + 1
    let asked = min(policy.maximumRetryAfter, max(0, retryAfter ?? 0))
    // A shorter wait never takes a longer one's place.
    let wait = max(asked, policy.delay(failures: failures, jitter: jitter), remaining(now))
    pause = StoredDeadline(after: wait, now)
  }

  /// The server has acknowledged something.
  mutating func succeed() {
    failures = 0
    pause = nil
    successes = min(max(successes, 0), 1_000_000) + 1
  }

  /// The network is back: the waits end, spread over some seconds. What a server asked for by `Retry-After` is not known apart from
  /// them, so waits above the policy's longest stay.
  mutating func networkReturned(_ policy: AFTransferRetryPolicy, jitter: Double, _ now: ClockReading) {
    guard let pause, pause.duration <= policy.maximumDelay else { return }
    self.pause = StoredDeadline(after: min(pause.remaining(now), 5 * max(0, min(1, jitter))), now)
  }
}
