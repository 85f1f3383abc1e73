import AFSupport

/// A condition that did not come true in time.
package struct EventuallyFailure: Error, CustomStringConvertible {
  package let description: String
}

/// Waits until `condition` holds; looks at once, and then in steps of 1 ms that grow to 20 ms. The limit is for a test that
/// fails: a loaded machine stays far below it.
/// - Throws: ``EventuallyFailure`` if it does not hold within so many seconds.
package func eventually(
  within seconds: Double = 20, _ what: @autoclosure () -> String = "condition", file: String = #fileID,
  line: Int = #line, _ condition: () async throws -> Bool
) async throws {
  let deadline = MonotonicTime.now + seconds
  var step = 1.0
  while try await !condition() {
    guard MonotonicTime.now < deadline else {
      throw EventuallyFailure(description: "\(what()) did not come true within \(seconds) s [\(file):\(line)]")
    }
    try await Task.sleep(nanoseconds: UInt64(step * 1e6))
    step = min(20, step * 1.5)
  }
}
