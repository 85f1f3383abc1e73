/// A budget of bytes per second, which several transfers may share. The caller asks before it moves bytes and is told how
/// many it may move now, or when to ask again; nobody sleeps.
package protocol RateLimiter: AnyObject, Sendable {
  /// Takes up to `count` bytes (at least 1) from the budget.
  func take(upTo count: Int, now: MonotonicTime) -> RateGrant

  /// Gives bytes back that were taken and not moved.
  func giveBack(_ count: Int)
}

package enum RateGrant: Sendable, Equatable {
  case bytes(Int)
  case wait(until: MonotonicTime)
}
