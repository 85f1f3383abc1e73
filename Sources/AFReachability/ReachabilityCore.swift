import AFSupport
import Dispatch
import Foundation

/// What a manager is made of: its settings, its registration with the monitor, and what it has reported.
package final class ReachabilityCore: Sendable {
  typealias Block = @Sendable (AFNetworkReachabilityStatus) -> Void

  let target: AFReachabilityTarget
  let debounce: Double
  /// Serial, so that reports stay in order.
  private let queue: DispatchQueue
  private let state: Locked<State>

  private struct State {
    var monitor: NetworkMonitor
    weak var manager: AFNetworkReachabilityManager?
    var block: Block?
    var status = AFNetworkReachabilityStatus.unknown
    var registration: UInt64?
    /// Counts starts and stops, so that a report on its way across queues can tell that its time is over.
    var generation = 0
    /// Whether this start has had its first report.
    var hasReported = false
  }

  init(target: AFReachabilityTarget, debounce: Double, queue: DispatchQueue?, monitor: NetworkMonitor) {
    self.target = target
    self.debounce = debounce
    state = Locked(State(monitor: monitor))
    self.queue = queue.map { DispatchQueue(label: "af.reachability.callbacks", target: $0) } ?? .main
  }

  package var monitor: NetworkMonitor { state.withLock { $0.monitor } }

  /// Replaces the monitor of a manager that has not been started.
  func watch(through monitor: NetworkMonitor) {
    state.change { $0.monitor = monitor }
  }

  func attach(_ manager: AFNetworkReachabilityManager) {
    state.withLock { $0.manager = manager }
  }

  var status: AFNetworkReachabilityStatus { state.withLock { $0.status } }

  func setBlock(_ block: Block?) {
    state.change { $0.block = block }
  }

  func start() {
    let (generation, old) = beginGeneration()
    let monitor = monitor
    if let old { monitor.remove(old) }
    let id = monitor.add(target, debounce: debounce) { [weak self] report in
      guard case .state(let new) = report, let self else { return }
      queue.async { self.deliver(new.status, generation: generation) }
    }
    let isLate = state.withLock { state in
      guard state.generation == generation else { return true }
      state.registration = id
      return false
    }
    // Somebody else stopped or started in between.
    if isLate { monitor.remove(id) }
  }

  func stop() {
    if let old = beginGeneration().old { monitor.remove(old) }
  }

  private func beginGeneration() -> (generation: Int, old: UInt64?) {
    state.withLock { state in
      state.generation += 1
      state.hasReported = false
      defer { state.registration = nil }
      return (state.generation, state.registration)
    }
  }

  /// Runs on the callback queue: the status first, then the block, then the notification.
  private func deliver(_ status: AFNetworkReachabilityStatus, generation: Int) {
    let receiver = state.withLock { state -> (manager: AFNetworkReachabilityManager, block: Block?)? in
      guard state.generation == generation, !state.hasReported || state.status != status else { return nil }
      state.hasReported = true
      state.status = status
      return state.manager.map { ($0, state.block) }
    }
    guard let (manager, block) = receiver else { return }
    block?(status)
    NotificationCenter.default.post(
      name: .AFNetworkingReachabilityDidChange,
      object: manager,
      userInfo: [AFNetworkingReachabilityNotificationStatusItem: NSNumber(value: status.rawValue)]
    )
  }
}
