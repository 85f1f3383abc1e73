import AFSupport

/// Collects what callbacks report, from any thread, in the order of arrival.
package final class Recorder<Element: Sendable>: Sendable {
  private let state = Locked<[Element]>([])

  package init() {}

  package func record(_ element: Element) {
    state.withLock { $0.append(element) }
  }

  package var values: [Element] { state.withLock { $0 } }
  package var count: Int { state.withLock { $0.count } }
  package var first: Element? { state.withLock { $0.first } }
  package var last: Element? { state.withLock { $0.last } }

  /// Waits until there are at least `count`, and returns all there are.
  /// - Throws: ``EventuallyFailure`` if they do not come within so many seconds.
  @discardableResult
  package func wait(
    for count: Int, within seconds: Double = 20, file: String = #fileID, line: Int = #line
  ) async throws -> [Element] {
    try await eventually(within: seconds, "\(count) recorded values, \(self.count) so far", file: file, line: line) {
      self.count >= count
    }
    return values
  }
}
