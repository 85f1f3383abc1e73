import CLinux
import Glibc

/// A moment on the system's monotonic clock, in nanoseconds: never set back, never affected by the wall clock.
package struct MonotonicTime: Comparable, Hashable, Sendable {
  package var nanoseconds: UInt64

  package init(nanoseconds: UInt64) {
    self.nanoseconds = nanoseconds
  }

  /// The present moment (`CLOCK_MONOTONIC`).
  package static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
  }

  /// A moment that never comes.
  package static let distantFuture = MonotonicTime(nanoseconds: .max)

  package static func < (left: Self, right: Self) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// `time` plus `seconds`; negative or not-a-number counts as zero, too large as `distantFuture`.
  package static func + (time: Self, seconds: Double) -> Self {
    guard seconds > 0 else { return time }
    let added = seconds * 1e9
    guard added < 9e18, time != .distantFuture else { return .distantFuture }
    return MonotonicTime(nanoseconds: time.nanoseconds + UInt64(added))
  }

  /// Seconds from `start` to `end`, negative if `end` is earlier.
  package static func - (end: Self, start: Self) -> Double {
    end >= start
      ? Double(end.nanoseconds - start.nanoseconds) / 1e9
      : -Double(start.nanoseconds - end.nanoseconds) / 1e9
  }
}
