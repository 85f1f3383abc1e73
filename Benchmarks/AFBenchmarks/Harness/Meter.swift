import AFSupport
import CBenchmarkPeers
import Foundation

/// Measures what this process spends between `start` and `stop`.
final class Meter: Sendable {
  private struct State {
    var startTime = MonotonicTime.now
    var startProcessor = 0.0
    var sample: Sample?
  }

  private let profiles: Bool
  private let state = Locked(State())

  init(profiles: Bool) {
    self.profiles = profiles
  }

  func start() {
    if profiles { afb_profile_start() }
    let processor = Self.processorSeconds()
    state.withLock {
      $0.startTime = .now
      $0.startProcessor = processor
      $0.sample = nil
    }
  }

  /// `units`: the requests or bytes of the work done since `start`.
  func stop(units: Int64) {
    let end = MonotonicTime.now
    let processor = Self.processorSeconds()
    let peak = Self.peakMemory()
    let stages = profiles ? Stage.stopProfile() : nil
    state.withLock {
      $0.sample = Sample(
        units: units, seconds: end - $0.startTime, processorSeconds: processor - $0.startProcessor, peakMemory: peak,
        stages: stages)
    }
  }

  /// Takes over what another process measured of itself.
  func accept(_ sample: Sample) {
    state.withLock { $0.sample = sample }
  }

  var sample: Sample? { state.withLock { $0.sample } }

  /// Seconds of user and system time of all threads, and of child processes that have ended.
  private static func processorSeconds() -> Double {
    var own = rusage()
    var children = rusage()
    getrusage(RUSAGE_SELF.rawValue, &own)
    getrusage(RUSAGE_CHILDREN.rawValue, &children)
    return [own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
  }

  /// The largest resident size that this process has had. Not getrusage's: that is handed down from the parent.
  private static func peakMemory() -> Int64 {
    (ProcessFile.status(of: getpid())["VmHWM"] ?? 0) << 10
  }
}

/// What one run of one client cost.
struct Sample: Codable, Sendable {
  /// Requests made or bytes moved.
  var units: Int64
  var seconds: Double
  var processorSeconds: Double
  /// Bytes.
  var peakMemory: Int64
  /// Shares of the processor time, by stage, if the run was profiled.
  var stages: [Stage: Double]?
}
