import Foundation
import Testing

@testable import AFTransfer

/// Waits are as long as they were meant to be, whatever the wall clock says.
@Suite struct ClockTests {
  private static let start = ClockReading(boot: "a", boottime: 100, wall: Date(timeIntervalSince1970: 1_700_000_000))
  private static let years = 10 * 365 * 86_400.0

  /// Boot, the boot's clock, how far the wall clock has gone, what is left of 60 s.
  @Test(
    arguments: [
      ("a", 100, 0, 60), ("a", 130, 30, 30), ("a", 160, 60, 0), ("a", 1000, 900, 0),
      // The wall clock jumps within a boot: it does not count.
      ("a", 130, years, 30), ("a", 130, -years, 30), ("a", 130, .infinity, 30), ("a", 130, .nan, 30),
      // Another boot: the wall clock, clamped.
      ("b", 5, 20, 40), ("b", 5, 0, 60), ("b", 5, 60, 0), ("b", 5, years, 0), ("b", 5, -1, 60), ("b", 5, -years, 60),
      ("b", 500, 20, 40), ("b", 5, .nan, 60),
      // A boot's clock that stands before the moment: of another machine, perhaps.
      ("a", 50, 0, 60), ("", 130, 10, 50),
    ] as [(String, Double, Double, Double)])
  func `what is left of a wait`(boot: String, boottime: Double, passed: Double, wanted: Double) {
    let deadline = StoredDeadline(after: 60, Self.start)
    let now = ClockReading(boot: boot, boottime: boottime, wall: Self.start.wall + passed)
    #expect(deadline.remaining(now) == wanted)
    #expect(deadline.isOver(now) == (wanted == 0))
  }

  @Test(arguments: [(-1, 0), (0, 0), (.nan, 1e9), (.infinity, 1e9), (1e12, 1e9), (7, 7)] as [(Double, Double)])
  func `durations that make no sense are clamped`(asked: Double, wanted: Double) {
    #expect(StoredDeadline(after: asked, Self.start).duration == wanted)
  }

  @Test func `the present moment goes forward and has a boot`() {
    let (first, second) = (ClockReading.now, ClockReading.now)
    #expect(!first.boot.isEmpty && first.boot == second.boot && second.boottime >= first.boottime)
  }
}
