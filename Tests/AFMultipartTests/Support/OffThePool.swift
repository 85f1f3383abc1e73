import AFSupport
import Testing

/// Runs tests that block their thread where that takes none of Swift's own few threads away from the other suites.
struct OffThePool: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(QueueExecutor.shared) { try await function() }
  }
}

extension Trait where Self == OffThePool {
  static var offThePool: Self { Self() }
}
