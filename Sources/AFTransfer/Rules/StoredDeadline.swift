import Foundation

/// What the clocks say at one moment.
struct ClockReading: Hashable, Sendable {
  /// Names the boot that ``boottime`` counts from.
  var boot: String
  /// Seconds since the boot, time asleep included (CLOCK_BOOTTIME): never set back or forth.
  var boottime: Double
  /// What the wall clock says, right or wrong.
  var wall: Date

  /// This moment.
  static var now: ClockReading {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return ClockReading(
      boot: thisBoot, boottime: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, wall: Date())
  }

  private static let thisBoot =
    (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?
    .trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
}

/// A moment that is so many seconds away, and stays so when clocks jump.
///
/// Within one boot the boot's clock counts. Over a reboot there is only the wall clock, which may be off by years: what it says is
/// clamped, so that no wait is longer than it was meant to be, and a clock that stands before the deadline was set counts as no time.
struct StoredDeadline: Codable, Hashable, Sendable {
  var boot: String
  /// The boot's clock when it was set.
  var boottime: Double
  /// The wall clock when it was set.
  var wall: Date
  var duration: TimeInterval

  init(after duration: TimeInterval, _ now: ClockReading) {
    boot = now.boot
    boottime = now.boottime
    wall = now.wall
    self.duration = duration.isFinite ? max(0, min(duration, 1e9)) : 1e9
  }

  /// Seconds that are left, 0 to ``duration``.
  func remaining(_ now: ClockReading) -> TimeInterval {
    let passed = now.boot == boot && !boot.isEmpty ? now.boottime - boottime : now.wall.timeIntervalSince(wall)
    guard passed.isFinite else { return duration }
    return max(0, min(duration, duration - passed))
  }

  func isOver(_ now: ClockReading) -> Bool { remaining(now) <= 0 }
}
