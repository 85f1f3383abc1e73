import AFMultipart
import AFSupport
import Foundation
import Testing

/// The rate limit, by a clock of the tests' own: ten seconds pass in no time.
@Suite struct BandwidthLimitTests {
  /// Several takers that always want more, with some lateness in their timers.
  struct Simulation {
    struct Taker {
      let share: any RateLimiter
      var next: MonotonicTime
      var bytes = 0
      var pulls = 0
    }

    var takers: [Taker]
    var now: MonotonicTime
    var random = SystemRandomNumberGenerator()
    let readSize: Int
    /// Seconds that a timer may be late.
    let lateness: Double

    init(_ limit: AFBandwidthLimit, takers: Int, readSize: Int = 64 << 10, lateness: Double = 0.000_2) {
      let start = MonotonicTime.now
      now = start
      self.takers = (0..<takers).map { _ in Taker(share: limit.makeShare(), next: start) }
      self.readSize = readSize
      self.lateness = lateness
    }

    mutating func run(seconds: Double) {
      let end = now + seconds
      while let index = takers.indices.min(by: { takers[$0].next < takers[$1].next }), takers[index].next < end {
        now = max(now, takers[index].next)
        takers[index].pulls += 1
        switch takers[index].share.take(upTo: readSize, now: now) {
        case .bytes(let count):
          takers[index].bytes += count
          // As a socket would take them, at 2 GB/s.
          takers[index].next = now + Double(count) / 2e9
        case .wait(let moment):
          takers[index].next = max(moment, now + 1e-6) + Double.random(in: 0...lateness, using: &random)
        }
      }
      now = end
    }

    var total: Int { takers.reduce(0) { $0 + $1.bytes } }
  }

  @Test(
    "The rate over ten seconds is within 3 % of the limit, with few pulls",
    arguments: [64, 100, 256, 1024, 8 << 10, 64 << 10])
  func accuracy(kibibytesPerSecond: Int) {
    let rate = kibibytesPerSecond << 10
    var simulation = Simulation(AFBandwidthLimit(bytesPerSecond: rate), takers: 1)
    simulation.run(seconds: 10)
    let measured = Double(simulation.total) / 10
    #expect(abs(measured / Double(rate) - 1) < 0.03, "\(measured) B/s instead of \(rate)")
    // Waiting must not be busy: a few dozen wake-ups per second, and one pull per 4 KiB or more.
    #expect(simulation.takers[0].pulls <= 10 * 110 + simulation.total / 4096)
  }

  @Test("A slow limit moves on four times per second at least", arguments: [1, 10, 100, 1000])
  func slow(bytesPerSecond: Int) {
    var simulation = Simulation(AFBandwidthLimit(bytesPerSecond: bytesPerSecond), takers: 1)
    simulation.run(seconds: 10)
    #expect(abs(simulation.total - bytesPerSecond * 10) <= max(2, bytesPerSecond / 3))
  }

  @Test("Takers share equally, within 10 %", arguments: [2, 3, 8], [64, 1024, 16 << 10])
  func fairness(takers: Int, kibibytesPerSecond: Int) {
    let rate = kibibytesPerSecond << 10
    var simulation = Simulation(AFBandwidthLimit(bytesPerSecond: rate), takers: takers)
    simulation.run(seconds: 20)
    #expect(abs(Double(simulation.total) / 20 / Double(rate) - 1) < 0.03)
    for taker in simulation.takers {
      #expect(abs(Double(taker.bytes) * Double(takers) / Double(simulation.total) - 1) < 0.1)
    }
  }

  @Test("Takers with small and large reads share equally too")
  func fairnessOfReadSizes() {
    let limit = AFBandwidthLimit(bytesPerSecond: 1 << 20)
    let small = limit.makeShare()
    let large = limit.makeShare()
    var bytes = [0, 0]
    var next = [MonotonicTime.now, MonotonicTime.now]
    let end = next[0] + 20
    while let index = [0, 1].min(by: { next[$0] < next[$1] }), next[index] < end {
      switch (index == 0 ? small : large).take(upTo: index == 0 ? 2_000 : 1 << 20, now: next[index]) {
      case .bytes(let count):
        bytes[index] += count
        next[index] = next[index] + 1e-6
      case .wait(let moment): next[index] = moment
      }
    }
    #expect(abs(Double(bytes[0]) / Double(bytes[1]) - 1) < 0.1)
  }

  @Test("A taker that does not come when it is its turn holds up nobody for long")
  func absentee() {
    let limit = AFBandwidthLimit(bytesPerSecond: 1 << 20)
    var simulation = Simulation(limit, takers: 3)
    simulation.run(seconds: 1)
    // One goes silent and keeps its place, one goes away altogether.
    simulation.takers[0].next = simulation.now + 1_000
    simulation.takers.remove(at: 1)
    let before = simulation.takers[1].bytes
    simulation.run(seconds: 10)
    let rate = Double(simulation.takers[1].bytes - before) / 10
    #expect(abs(rate / Double(1 << 20) - 1) < 0.05)
  }

  @Test("A changed rate counts from the moment it is changed, without a jump")
  func changes() {
    let limit = AFBandwidthLimit(bytesPerSecond: 100 << 10)
    var simulation = Simulation(limit, takers: 1)
    simulation.run(seconds: 5)
    let first = simulation.total
    limit.bytesPerSecond = 1 << 20
    #expect(limit.bytesPerSecond == 1 << 20)
    simulation.run(seconds: 5)
    let second = simulation.total - first
    #expect(abs(Double(first) / Double(500 << 10) - 1) < 0.05)
    #expect(abs(Double(second) / Double(5 << 20) - 1) < 0.08)
    limit.bytesPerSecond = 0
    let third = simulation.total
    simulation.run(seconds: 5)
    #expect(simulation.total - third <= 256 << 10)
    limit.bytesPerSecond = .max
    simulation.takers[0].next = simulation.now
    simulation.run(seconds: 0.1)
    #expect(simulation.total > third + 50_000_000)
  }

  @Test("After a pause no more than the burst goes at once")
  func burst() {
    let limit = AFBandwidthLimit(bytesPerSecond: 1 << 20, burst: 10_000)
    #expect(limit.burst == 10_000)
    let share = limit.makeShare()
    let later = MonotonicTime.now + 3_600
    var taken = 0
    while case .bytes(let count) = share.take(upTo: 3_000, now: later) { taken += count }
    #expect(taken <= 10_000)
    #expect(taken > 10_000 - 4_096)
  }

  @Test("What is given back can be taken again")
  func giveBack() {
    let limit = AFBandwidthLimit(bytesPerSecond: 100_000, burst: 5_000)
    let share = limit.makeShare()
    let later = MonotonicTime.now + 60
    #expect(share.take(upTo: 5_000, now: later) == .bytes(5_000))
    guard case .wait = share.take(upTo: 5_000, now: later) else {
      Issue.record("more than the burst was granted")
      return
    }
    share.giveBack(5_000)
    #expect(share.take(upTo: 5_000, now: later) == .bytes(5_000))
  }

  @Test("Numbers out of range do no harm", arguments: [Int.min, -1, 0, 1, .max])
  func extremes(number: Int) {
    let limit = AFBandwidthLimit(bytesPerSecond: number, burst: number)
    let share = limit.makeShare()
    for step in 0..<100 {
      if case .bytes(let count) = share.take(upTo: 1 << 20, now: MonotonicTime.now + Double(step)) {
        #expect(count > 0)
      }
    }
    #expect(limit.bytesPerSecond == number || number < 0)
  }
}
