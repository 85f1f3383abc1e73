import AFSupport
import Foundation

/// Counts calls from any thread.
final class CallCounter: Sendable {
  private let value = Locked(0)
  var count: Int { value.withLock { $0 } }
  func increment() { value.withLock { $0 += 1 } }
}
