import AFSupport
import Foundation

/// Keeps other work on the machine out of the figures: waits for quiet before a run, and tells after it if there was none.
struct LoadGate {
  /// Processor use by others that is let pass, in cores.
  static let limit = 0.3
  /// Longest wait before a run.
  static let patience = 60.0

  let isActive: Bool
  /// The processes that belong to the benchmark, which do not count.
  let ours: () -> [pid_t]

  /// A moment: how busy the machine and the benchmark have been until then.
  struct Mark {
    let time = MonotonicTime.now
    let machine = ProcessFile.machineBusySeconds()
    let ours: Double
  }

  func mark() -> Mark {
    Mark(ours: ours().reduce(0) { $0 + ProcessFile.processorSeconds(of: $1) })
  }

  /// Cores in use by others since `start`. `more`: what children of ours that have ended meanwhile have used.
  func others(since start: Mark, more: Double = 0) -> Double {
    let end = mark()
    let elapsed = end.time - start.time
    guard elapsed > 0 else { return 0 }
    return max(0, (end.machine - start.machine) - (end.ours - start.ours) - more) / elapsed
  }

  /// Returns when the machine has been quiet for a quarter of a second, or after the longest wait.
  func waitForQuiet() {
    guard isActive else { return }
    let deadline = MonotonicTime.now + Self.patience
    repeat {
      let start = mark()
      usleep(250_000)
      if others(since: start) < Self.limit { return }
    } while MonotonicTime.now < deadline
  }
}
