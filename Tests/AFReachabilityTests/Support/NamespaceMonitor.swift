import AFReachability
import AFSupport
import AFTestSupport
import Foundation

extension TestNamespace {
  /// A monitor whose thread and socket are in this namespace; it has looked once when this returns.
  func monitor(_ configuration: NetworkMonitor.Configuration = .init()) async throws -> NamespaceMonitor {
    let monitor = NetworkMonitor(configuration: configuration)
    let first = Recorder<AFReachabilityState>()
    // Whoever registers first makes the thread, which inherits the namespace.
    let registration = try await run {
      monitor.add(.general) { if case .state(let state) = $0 { first.record(state) } }
    }
    try await first.wait(for: 1)
    return NamespaceMonitor(monitor: monitor, registration: registration)
  }
}

/// A monitor in a namespace, kept alive while this object is.
final class NamespaceMonitor: Sendable {
  let monitor: NetworkMonitor
  private let registration: UInt64

  init(monitor: NetworkMonitor, registration: UInt64) {
    self.monitor = monitor
    self.registration = registration
  }

  deinit {
    monitor.remove(registration)
  }

  func manager(
    _ target: AFReachabilityTarget = .general, debounce: Double = 0
  ) -> AFNetworkReachabilityManager {
    AFNetworkReachabilityManager(
      target: target, debounce: debounce, callbackQueue: DispatchQueue(label: "test.callbacks"), monitor: monitor
    )
  }
}

extension NamespaceMonitor {
  /// Records the states of `target` from here on, for as long as the recording is kept.
  func record(_ target: AFReachabilityTarget = .general, debounce: Double = 0) -> StateRecording {
    let states = Recorder<AFReachabilityState>()
    let id = monitor.add(target, debounce: debounce) { if case .state(let state) = $0 { states.record(state) } }
    return StateRecording(states: states, monitor: monitor, registration: id)
  }

  /// What a newcomer is told about `target` now.
  func state(_ target: AFReachabilityTarget = .general) async throws -> AFReachabilityState {
    try await record(target).next()
  }
}

/// What a monitor told about a target.
final class StateRecording: Sendable {
  let states: Recorder<AFReachabilityState>
  private let monitor: NetworkMonitor
  private let registration: UInt64
  private let taken = Locked(0)

  init(states: Recorder<AFReachabilityState>, monitor: NetworkMonitor, registration: UInt64) {
    self.states = states
    self.monitor = monitor
    self.registration = registration
  }

  deinit {
    monitor.remove(registration)
  }

  /// The first state that has not been taken yet.
  func next(file: String = #fileID, line: Int = #line) async throws -> AFReachabilityState {
    let index = taken.withLock { taken in
      taken += 1
      return taken - 1
    }
    return try await states.wait(for: index + 1, file: file, line: line)[index]
  }

  /// Waits until the last state is such a one.
  func settle(
    _ what: String = "state", file: String = #fileID, line: Int = #line,
    _ condition: @Sendable (AFReachabilityState) -> Bool
  ) async throws {
    try await eventually("\(what), last was \(states.last as Any)", file: file, line: line) {
      states.last.map(condition) ?? false
    }
  }
}

extension AFNetworkReachabilityManager {
  /// Records what the block is called with, from here on.
  func recordStatuses() -> Recorder<AFNetworkReachabilityStatus> {
    let recorder = Recorder<AFNetworkReachabilityStatus>()
    setReachabilityStatusChange { recorder.record($0) }
    return recorder
  }
}
