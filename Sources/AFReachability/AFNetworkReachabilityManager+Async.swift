import AFSupport
public import Foundation

extension AFNetworkReachabilityManager {
  /// What this manager watches the way to.
  public var target: AFReachabilityTarget { core.target }

  /// The present state, once it is known, and then every change, until the loop over it ends or its task is cancelled.
  ///
  /// Each call makes a stream of its own; ``startMonitoring()`` is not needed for it, and no queue. A change of the path
  /// (another interface, another address) is a change too. The manager's debounce applies.
  /// - Parameter bufferingPolicy: what happens when the loop is slower than the network; by default no state is lost.
  /// - Returns: a stream that never ends by itself.
  public func states(
    bufferingPolicy: AsyncStream<AFReachabilityState>.Continuation.BufferingPolicy = .unbounded
  ) -> AsyncStream<AFReachabilityState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: AFReachabilityState.self, bufferingPolicy: bufferingPolicy
    )
    let monitor = core.monitor
    let id = monitor.add(core.target, debounce: core.debounce) { report in
      if case .state(let state) = report { continuation.yield(state) }
    }
    continuation.onTermination = { _ in monitor.remove(id) }
    return stream
  }

  /// Waits until there is a way to the target. ``startMonitoring()`` is not needed for it, and no queue.
  /// - Parameter timeout: how long to wait at most, in seconds.
  /// - Returns: the state in which the target was first seen reachable: at once, if it is.
  /// - Throws: ``AFReachabilityError/timedOut(seconds:status:)``; ``AFReachabilityError/netlinkUnavailable(call:code:)``
  ///   at once if nobody can tell; `CancellationError` if the task is cancelled.
  @discardableResult
  public func waitUntilReachable(timeout: TimeInterval = .infinity) async throws -> AFReachabilityState {
    let wait = ReachabilityWait(target: core.target, timeout: timeout, monitor: core.monitor)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait.begin { continuation.resume(with: $0) }
      }
    } onCancel: {
      wait.cancel()
    }
  }

  /// The same for code that is not asynchronous: a wait that can be kept before it begins.
  package func makeWait(timeout: TimeInterval) -> ReachabilityWait {
    ReachabilityWait(target: core.target, timeout: timeout, monitor: core.monitor)
  }
}
