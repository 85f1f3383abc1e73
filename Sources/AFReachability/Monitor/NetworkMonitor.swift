package import AFSupport
import Foundation

/// Watches the network for everybody in the process: one thread and one socket, which exist while somebody asks.
///
/// The thread is created by whoever registers first, and thereby looks at that thread's network namespace.
package final class NetworkMonitor: Sendable {
  /// What the public API uses.
  package static let shared = NetworkMonitor()

  /// What a monitor can be told apart from the defaults; for tests.
  package struct Configuration: Sendable {
    package var receiveBufferSize: Int?
    package var classifier = LinkClassifier()
    package var resolver: NameResolver = .system
    /// How long the thread stays when nobody asks any more, in seconds.
    package var linger = 5.0

    package init() {}
  }

  /// What the monitor has done so far.
  package struct Counters: Sendable, Equatable {
    package var threads = 0
    package var sockets = 0
    /// How often the thread has left its wait.
    package var wakeUps = 0
    package var synchronizations = 0
    package var routeRefreshes = 0
    package var lookUps = 0
  }

  private let configuration: Configuration
  private let mailbox = MonitorMailbox()
  private let identifiers = Locked(UInt64(0))
  private let shared = Locked(Counters())

  package init(configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  package var counters: Counters { shared.withLock { $0 } }

  /// Whether the thread exists.
  package var isRunning: Bool { mailbox.isOpen }

  func count(_ change: (inout Counters) -> Void) {
    shared.withLock { change(&$0) }
  }

  /// Tells `receive` the present state of `target`, once, and then every change until ``remove(_:)``.
  /// - Parameters:
  ///   - target: what to watch the way to.
  ///   - debounce: how long a change must have lasted before it is told, in seconds. The first state never waits.
  ///   - deadline: when to say `.expired`, once.
  ///   - receive: called on the monitor's thread, in order; must return at once.
  /// - Returns: what ``remove(_:)`` wants.
  package func add(
    _ target: AFReachabilityTarget,
    debounce: Double = 0,
    deadline: MonotonicTime? = nil,
    receive: @escaping @Sendable (MonitorRegistration.Report) -> Void
  ) -> UInt64 {
    let id = identifiers.withLock { last in
      last += 1
      return last
    }
    let registration = MonitorRegistration(
      id: id, target: target, debounce: debounce, deadline: deadline, receive: receive
    )
    if mailbox.send(.add(registration)) { start() }
    return id
  }

  /// Ends a registration. A report that is being delivered at this moment may still arrive.
  package func remove(_ id: UInt64) {
    _ = mailbox.send(.remove(id))
  }

  private func start() {
    let thread = Thread { [self, configuration, mailbox] in
      count { $0.threads += 1 }
      MonitorLoop(monitor: self, configuration: configuration, mailbox: mailbox).run()
    }
    thread.name = "af.reachability"
    thread.stackSize = 512 << 10
    thread.start()
  }
}
