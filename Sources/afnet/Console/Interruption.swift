import AFSupport
import Dispatch
import Foundation

/// SIGINT, SIGTERM and SIGHUP: what must be put in order is, and then the signal does what it always does, so that a shell sees it.
enum Interruption {
  private struct State {
    var next = 0
    var cleanups: [Int: @Sendable () -> Void] = [:]
    var sources: [any DispatchSourceSignal] = []
  }

  // Unchecked because a dispatch source is not Sendable; it is kept and never touched again.
  private struct Box: @unchecked Sendable { var state = State() }

  private static let box = Locked(Box())

  /// Begins to watch for the signals, but for those that the parent has ignored, as `nohup` does.
  static func watch() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var previous = sigaction()
      guard sigaction(number, nil, &previous) == 0 else { continue }
      if unsafeBitCast(previous.__sigaction_handler.sa_handler, to: Int.self) == 1 { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { end(number) }
      source.resume()
      box.withLock { $0.state.sources.append(source) }
    }
  }

  private static func end(_ number: Int32) {
    // Under the lock to the end: nothing that is begun now is left behind.
    box.withLock { box in
      for cleanup in box.state.cleanups.values { cleanup() }
      signal(number, SIG_DFL)
      // To this thread: what is sent to the process is read by dispatch's descriptor for signals before it is delivered.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, number)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      raise(number)
      _exit(128 + number)
    }
  }

  /// Adds what is to be done at a signal, quickly, on another thread.
  /// - Returns: What ``remove(_:)`` takes.
  static func add(_ cleanup: @escaping @Sendable () -> Void) -> Int {
    box.withLock { box in
      box.state.next += 1
      box.state.cleanups[box.state.next] = cleanup
      return box.state.next
    }
  }

  static func remove(_ token: Int) {
    box.withLock { $0.state.cleanups[token] = nil }
  }
}
