public import Foundation

/// How long an origin gets after failures: doubling, with full jitter, so that a thousand devices do not come back together.
public struct AFTransferRetryPolicy: Sendable, Hashable {
  /// Seconds after the first failure: 2 by default.
  public var firstDelay: TimeInterval = 2
  /// Seconds that are not exceeded: 900 by default.
  public var maximumDelay: TimeInterval = 900
  /// The most that a server's `Retry-After` may ask for, in seconds: a day by default.
  public var maximumRetryAfter: TimeInterval = 86_400
  /// Seconds between attempts at a server that the policy does not trust double from 60 to this: 3600 by default.
  public var maximumTrustDelay: TimeInterval = 3600
  /// Answers of 5xx to one transfer, while others succeed at the same origin, that end it: 20 by default.
  public var maximumServerErrors = 20

  /// The defaults.
  public init() {}

  /// The wait after so many failures in a row. `jitter` is 0 to 1, at random.
  func delay(failures: Int, jitter: Double) -> TimeInterval {
    let doublings = Double(min(max(failures, 1) - 1, 60))
    return min(maximumDelay, firstDelay * pow(2, doublings)) * max(0, min(1, jitter))
  }
}
