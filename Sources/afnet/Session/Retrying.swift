import AFSupport
import Foundation

/// Attempts with growing pauses.
struct Retrying: Sendable {
  /// How many more there may be after the first.
  var limit: Int
  /// Whether a request that a server may have seen can be sent again.
  var isIdempotent: Bool
  /// Whether failures are told on standard error.
  var isQuiet = false

  /// Whether there is another attempt after this failure, the `count`th.
  func allows(_ failure: ToolFailure, count: Int) -> Bool {
    guard count <= limit, failure.isTransient else { return false }
    // A name that was not resolved has led to no server. A connection that broke off may have.
    return isIdempotent || failure.status == .notResolved
  }

  /// Seconds before the next attempt: 1, 2, 4, … up to a minute, or what the server asks for, up to ten.
  func pause(_ failure: ToolFailure, count: Int) -> Double {
    let own = min(pow(2, Double(count - 1)), 60)
    return max(own, min(failure.retryAfter ?? 0, 600))
  }

  /// Calls `attempt` until it succeeds, or no other may follow. It is told which failures would be followed by another.
  ///
  /// Where `hasMoved` says that the attempt brought something, it does not count. `say` is told of failures that are followed by another
  /// attempt.
  func run<Value>(
    hasMoved: () -> Bool = { false }, say: (String) -> Void = { Console.note($0) },
    _ attempt: ((ToolFailure) -> Bool) async throws(ToolFailure) -> Value
  ) async throws(ToolFailure) -> Value {
    var count = 0
    while true {
      do {
        let next = count + 1
        return try await attempt { allows($0, count: next) }
      } catch {
        count = hasMoved() ? 1 : count + 1
        guard allows(error, count: count) else { throw error }
        let seconds = pause(error, count: count)
        if !isQuiet {
          let pause = "trying again in \(Int(seconds.rounded(.up))) s"
          say("\(error.message.printable()); \(pause) (\(count) of \(limit))")
        }
        try? await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
      }
    }
  }
}
