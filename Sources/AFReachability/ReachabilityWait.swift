import AFSupport
import Foundation

/// One wait for a way to a target. It ends exactly once: reachable, too late, impossible to tell, or cancelled.
package final class ReachabilityWait: Sendable {
  package typealias Completion = @Sendable (Result<AFReachabilityState, any Error>) -> Void

  private enum State {
    case idle
    case waiting(Completion, registration: UInt64?)
    case finished
  }

  /// Whether the target was seen out of reach; known when the completion is called.
  package var hasSeenOutage: Bool { outage.withLock { $0 } }

  private let target: AFReachabilityTarget
  private let timeout: TimeInterval
  private let monitor: NetworkMonitor
  private let state = Locked(State.idle)
  private let outage = Locked(false)

  init(target: AFReachabilityTarget, timeout: TimeInterval, monitor: NetworkMonitor) {
    self.target = target
    self.timeout = timeout
    self.monitor = monitor
  }

  /// Begins to wait. `completion` is called once, on the monitor's thread, and must return at once.
  package func begin(_ completion: @escaping Completion) {
    let isCancelled = state.withLock { state in
      guard case .idle = state else { return true }
      state = .waiting(completion, registration: nil)
      return false
    }
    guard !isCancelled else { return completion(.failure(CancellationError())) }
    let id = monitor.add(target, deadline: .now + timeout) { [self] in take($0) }
    let isOver = state.withLock { state in
      guard case .waiting(let completion, _) = state else { return true }
      state = .waiting(completion, registration: id)
      return false
    }
    if isOver { monitor.remove(id) }
  }

  /// Ends the wait now.
  package func cancel() {
    finish(.failure(CancellationError()))
  }

  private func take(_ report: MonitorRegistration.Report) {
    switch report {
    case .state(let state):
      if state.isReachable {
        finish(.success(state))
      } else if case .netlinkUnavailable? = state.failure, let failure = state.failure {
        finish(.failure(failure))
      } else {
        outage.withLock { $0 = true }
      }
    case .expired(let state):
      finish(.failure(AFReachabilityError.timedOut(seconds: timeout, status: state?.status ?? .unknown)))
    }
  }

  private func finish(_ result: Result<AFReachabilityState, any Error>) {
    let old = state.withLock { state in
      defer { state = .finished }
      return state
    }
    guard case .waiting(let completion, let registration) = old else { return }
    if let registration { monitor.remove(registration) }
    completion(result)
  }
}
