import AFSupport
import Testing

@testable import AFMultipart

/// The rate limit's arithmetic, call by call, at moments that the tests name.
@Suite struct TokenBucketTests {
  private final class Taker {}

  /// 100,000 B/s: turns of 4096 bytes, and 25,000 in store.
  private static let rate = 100_000
  private static let quantum = 4096
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private let takers = (0..<3).map { _ in Taker() }

  private func id(_ index: Int) -> TokenBucket.Taker { ObjectIdentifier(takers[index]) }

  private func bucket(rate: Int = rate, burst: Int? = nil, full: Bool = true) -> TokenBucket {
    var bucket = TokenBucket(rate: rate, burst: burst, now: start)
    // A minute later the store is full.
    if full { bucket.setRate(rate, now: start + 60) }
    return bucket
  }

  private var later: MonotonicTime { start + 60 }

  private func seconds(_ grant: RateGrant, _ now: MonotonicTime) -> Double? {
    guard case .wait(let moment) = grant else { return nil }
    return moment - now
  }

  @Test func `what is granted is gone, and what time brings is granted again`() {
    var bucket = bucket()
    #expect(bucket.take(id(0), upTo: 20_000, now: later) == .bytes(20_000))
    #expect(bucket.take(id(0), upTo: 20_000, now: later) == .bytes(5_000))
    let wait = seconds(bucket.take(id(0), upTo: 20_000, now: later), later)
    // Until there is a turn's worth.
    #expect(wait == Double(Self.quantum) / Double(Self.rate))
    #expect(bucket.take(id(0), upTo: 20_000, now: later + 0.1) == .bytes(10_000))
  }

  @Test func `time fills the store no further than it holds, and counts once`() {
    var bucket = bucket()
    #expect(bucket.take(id(0), upTo: 100_000, now: later + 3600) == .bytes(25_000))
    #expect(bucket.take(id(0), upTo: 100_000, now: later + 3600.1) == .bytes(10_000))
    #expect(seconds(bucket.take(id(0), upTo: 100_000, now: later + 3600.1), later) != nil)
  }

  @Test func `a changed rate counts from its moment on, and what is in store shrinks with it`() {
    var faster = bucket(full: false)
    _ = faster.take(id(0), upTo: 100_000, now: start)
    faster.setRate(10 * Self.rate, now: start + 0.1)
    // A tenth of a second at the old rate, and nothing at the new one.
    #expect(faster.take(id(0), upTo: 100_000, now: start + 0.1) == .bytes(10_000))

    var slower = bucket()
    slower.setRate(1000, now: later)
    #expect(slower.take(id(0), upTo: 100_000, now: later) == .bytes(250))
    slower.setRate(-5, now: later)
    #expect(slower.rate == 0)
  }

  @Test func `a smaller burst takes from what is in store at once`() {
    var bucket = bucket()
    bucket.setBurst(1_000, now: later)
    #expect(bucket.take(id(0), upTo: 100_000, now: later) == .bytes(1_000))
  }

  @Test func `no limit grants all, and no rate grants what is in store and asks again four times a second`() {
    var unlimited = bucket(rate: .max)
    for _ in 0..<3 { #expect(unlimited.take(id(0), upTo: 1 << 40, now: start) == .bytes(1 << 40)) }
    var stopped = bucket(rate: 0, full: false)
    while case .bytes = stopped.take(id(0), upTo: 100, now: start) {}
    #expect(seconds(stopped.take(id(0), upTo: 100, now: start), start) == 0.25)
  }

  @Test(arguments: [1, 3])
  func `a wait is a quarter of a second at most, so that a raised rate is noticed`(rate: Int) {
    var bucket = bucket(rate: rate, full: false)
    while case .bytes = bucket.take(id(0), upTo: 1 << 20, now: start) {}
    let wait = seconds(bucket.take(id(0), upTo: 1 << 20, now: start), start)
    #expect(wait == 0.25)
    bucket.setRate(Self.rate, now: start + 0.1)
    #expect(bucket.take(id(0), upTo: 1 << 20, now: start + 0.25) == .bytes(15_000))
  }

  @Test func `a wait is a millisecond at least`() {
    var bucket = bucket(rate: 1 << 30)
    var grants = 0
    while case .bytes = bucket.take(id(0), upTo: 1 << 24, now: later) { grants += 1 }
    #expect(grants > 1)
    #expect(seconds(bucket.take(id(0), upTo: 1 << 24, now: later), later) == 0.001)
  }

  @Test(arguments: [1, 2, 3])
  func `the slowest rates grant whole bytes`(rate: Int) {
    var bucket = bucket(rate: rate)
    #expect(bucket.take(id(0), upTo: 10, now: later) == .bytes(1))
    #expect(seconds(bucket.take(id(0), upTo: 10, now: later), later) != nil)
  }

  // MARK: Turns

  @Test func `with others waiting a turn ends after a quantum, and the next has its own`() {
    var bucket = bucket()
    #expect(bucket.take(id(0), upTo: 1_000, now: later) == .bytes(1_000))
    #expect(seconds(bucket.take(id(1), upTo: 100_000, now: later), later) != nil)
    // What is left of the first's turn, then it is the second's.
    #expect(bucket.take(id(0), upTo: 100_000, now: later) == .bytes(Self.quantum - 1_000))
    #expect(seconds(bucket.take(id(0), upTo: 100_000, now: later), later) != nil)
    #expect(bucket.take(id(1), upTo: 100_000, now: later) == .bytes(Self.quantum))
    // And the first stands in the line again.
    #expect(seconds(bucket.take(id(1), upTo: 100_000, now: later), later) != nil)
    #expect(bucket.take(id(0), upTo: 100_000, now: later) == .bytes(Self.quantum))
  }

  @Test func `one that asks twice stands in the line once`() {
    var bucket = bucket()
    _ = bucket.take(id(0), upTo: 1, now: later)
    for _ in 0..<3 { _ = bucket.take(id(1), upTo: 1, now: later) }
    let wait = seconds(bucket.take(id(2), upTo: 1, now: later), later)
    // Behind one turn of the first's, and one of the second's, all in store: soon.
    #expect(wait == 0.001)
    bucket.remove(id(0))
    #expect(bucket.take(id(1), upTo: 100_000, now: later) == .bytes(Self.quantum))
    // Of three places the second would have two.
    #expect(seconds(bucket.take(id(1), upTo: 100_000, now: later), later) != nil)
    #expect(bucket.take(id(2), upTo: 100_000, now: later) == .bytes(Self.quantum))
  }

  @Test func `one that goes in its turn frees it, and one that goes from the line leaves no gap`() {
    var bucket = bucket()
    _ = bucket.take(id(0), upTo: 1, now: later)
    _ = bucket.take(id(1), upTo: 1, now: later)
    _ = bucket.take(id(2), upTo: 1, now: later)
    bucket.remove(id(1))
    bucket.remove(id(0))
    #expect(bucket.take(id(2), upTo: 10, now: later) == .bytes(10))
  }

  @Test func `what is given back is in the store, and in the turn`() {
    var bucket = bucket()
    #expect(bucket.take(id(0), upTo: Self.quantum, now: later) == .bytes(Self.quantum))
    _ = bucket.take(id(1), upTo: 1, now: later)
    bucket.giveBack(1_000)
    #expect(bucket.take(id(0), upTo: 100_000, now: later) == .bytes(1_000), "the turn goes on")
    bucket.giveBack(1_000_000)
    var total = 0
    bucket.remove(id(1))
    while case .bytes(let count) = bucket.take(id(0), upTo: 100_000, now: later) { total += count }
    #expect(total == 25_000, "the store holds no more than before")
  }

  @Test func `one that does not come in its turn is passed over after 50 ms, and not sooner`() {
    for (pause, isPassedOver) in [(0.049, false), (0.051, true)] {
      var bucket = bucket()
      _ = bucket.take(id(0), upTo: 1, now: later)
      _ = bucket.take(id(1), upTo: 1, now: later)
      let grant = bucket.take(id(1), upTo: 10, now: later + pause)
      #expect((grant == .bytes(10)) == isPassedOver, "after \(pause) s")
    }
  }
}

@Suite struct PacketPacerTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  @Test func `a packet goes in pieces, then there is a pause, and the next packet is whole`() {
    var pacer = PacketPacer(PacketPacer.Settings(packetSize: 100, delay: 0.5))
    for _ in 0..<2 {
      #expect(pacer.allowance(upTo: 60, now: start) == .bytes(60))
      pacer.spend(60, now: start)
      #expect(pacer.allowance(upTo: 60, now: start) == .bytes(40))
      pacer.spend(40, now: start)
      #expect(pacer.allowance(upTo: 1, now: start + 0.499) == .wait(until: start + 0.5))
      #expect(pacer.allowance(upTo: 1000, now: start + 0.5) == .bytes(100), "the moment itself is in time")
    }
  }

  @Test(arguments: [0, -1, .infinity, -.infinity, .nan] as [Double])
  func `a delay that is none makes packets without a pause`(delay: Double) {
    var pacer = PacketPacer(PacketPacer.Settings(packetSize: 10, delay: delay))
    pacer.spend(10, now: start)
    #expect(pacer.allowance(upTo: 100, now: start) == .bytes(10))
  }

  @Test func `a packet size of nothing is no limit`() {
    var pacer = PacketPacer(PacketPacer.Settings(packetSize: 0, delay: 10))
    for _ in 0..<3 {
      #expect(pacer.allowance(upTo: 1 << 40, now: start) == .bytes(1 << 40))
      pacer.spend(1 << 40, now: start)
    }
  }
}
