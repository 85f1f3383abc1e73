import AFSupport
import Foundation

/// Counts calls from any thread.
final class CallCounter: Sendable {
  private let value = Locked(0)
  var count: Int { value.withLock { $0 } }
  func increment() { value.withLock { $0 += 1 } }
}

/// Returns when the condition holds; throws if it does not within ten seconds.
func eventually(_ condition: () throws -> Bool) async throws {
  let deadline = MonotonicTime.now + 10
  while try !condition() {
    guard MonotonicTime.now < deadline else { throw TimedOut() }
    try await Task.sleep(nanoseconds: 1_000_000)
  }
}
