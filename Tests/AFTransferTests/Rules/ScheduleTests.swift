import Foundation
import Testing

@testable import AFTransfer

@Suite struct ScheduleTests {
  private typealias Candidate = TransferSchedule.Candidate

  private static func id(_ number: Int) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
  }

  private static func candidate(
    _ number: Int, _ priority: AFTransferRequest.Priority = .normal, origin: String = "a", waited: Double = 0,
    attempts: Int = 0
  ) -> TransferSchedule.Candidate {
    Candidate(id: id(number), origin: origin, priority: priority, order: number, waited: waited, attempts: attempts)
  }

  private func choose(
    _ candidates: [TransferSchedule.Candidate], running: [TransferSchedule.Running] = [], total: Int = 3,
    perOrigin: Int = 2, probing: Set<String> = []
  ) -> TransferSchedule.Choice {
    TransferSchedule.choose(
      candidates, running: running, total: total, isProbing: { probing.contains($0) },
      mayStart: { origin, count in probing.contains(origin) ? count == 0 : count < perOrigin })
  }

  private func numbers(_ choice: TransferSchedule.Choice) -> [Int] { choice.start.map { Int($0.uuid.15) } }

  @Test func `priorities are strict, and within one it is first in, first out`() {
    let candidates = [
      Self.candidate(1, .low, origin: "a"), Self.candidate(2, .normal, origin: "b"),
      Self.candidate(3, .high, origin: "c"),
      Self.candidate(4, .normal, origin: "d"), Self.candidate(5, .high, origin: "e"),
    ]
    #expect(numbers(choose(candidates, total: 5)) == [3, 5, 2, 4, 1])
    #expect(numbers(choose(candidates, total: 2)) == [3, 5])
  }

  @Test(
    arguments: [(0, [2, 1]), (1799, [2, 1]), (1800, [1, 2]), (1e12, [1, 2]), (.infinity, [2, 1]), (.nan, [2, 1])]
      as [(Double, [Int])])
  func `half an hour of waiting is one step up`(waited: Double, wanted: [Int]) {
    #expect(numbers(choose([Self.candidate(1, .low, waited: waited), Self.candidate(2, .normal)], total: 2)) == wanted)
  }

  @Test func `an origin has its own limit, and others go past it`() {
    let candidates = (1...3).map { Self.candidate($0) } + [Self.candidate(4, origin: "b")]
    #expect(numbers(choose(candidates)) == [1, 2, 4])
    let running = TransferSchedule.Running(id: Self.id(9), origin: "a", priority: .normal, isResumable: false)
    #expect(numbers(choose(candidates, running: [running])) == [1, 4])
  }

  @Test func `an origin that failed is probed by one at a time, and the probe goes round`() {
    let candidates = [Self.candidate(1, attempts: 3), Self.candidate(2, attempts: 2), Self.candidate(3, attempts: 2)]
    #expect(numbers(choose(candidates, probing: ["a"])) == [2])
    #expect(numbers(choose(candidates)) == [1, 2])
  }

  @Test(
    arguments: [
      (.high, 30, .low, true, true), (.high, 29, .low, true, false), (.high, 30, .normal, true, false),
      (.high, 30, .low, false, false), (.normal, 300, .low, true, false),
    ] as [(AFTransferRequest.Priority, Double, AFTransferRequest.Priority, Bool, Bool)])
  func `an urgent one takes the place of a resumable low one after 30 s`(
    priority: AFTransferRequest.Priority, waited: Double, other: AFTransferRequest.Priority, isResumable: Bool,
    wanted: Bool
  ) {
    let running = TransferSchedule.Running(id: Self.id(9), origin: "b", priority: other, isResumable: isResumable)
    let choice = choose([Self.candidate(1, priority, waited: waited)], running: [running], total: 1)
    #expect(choice.start.isEmpty)
    #expect((choice.interrupt == Self.id(9)) == wanted)
  }

  // MARK: the breaker

  private static let start = ClockReading(boot: "a", boottime: 0, wall: Date(timeIntervalSince1970: 0))

  private func after(_ seconds: Double) -> ClockReading {
    ClockReading(boot: "a", boottime: seconds, wall: Date(timeIntervalSince1970: seconds))
  }

  @Test func `an origin's wait doubles to its limit, with jitter, and success ends it`() {
    let policy = AFTransferRetryPolicy()
    #expect(
      (1...12).map { policy.delay(failures: $0, jitter: 1) } == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
    #expect(policy.delay(failures: .max, jitter: 0.5) == 450)
    #expect(policy.delay(failures: 3, jitter: 7) == 8)
    var breaker = OriginBreaker()
    #expect(breaker.mayStart(running: 1, limit: 2, Self.start) && !breaker.mayStart(running: 2, limit: 2, Self.start))
    breaker.fail(policy, retryAfter: nil, jitter: 1, Self.start)
    #expect(!breaker.mayStart(running: 0, limit: 2, after(1.9)))
    #expect(breaker.mayStart(running: 0, limit: 2, after(2)) && !breaker.mayStart(running: 1, limit: 2, after(2)))
    breaker.succeed()
    #expect(breaker.mayStart(running: 1, limit: 2, Self.start) && breaker.successes == 1)
  }

  @Test(arguments: [(0, 2), (100, 100), (1e9, 86_400), (-5, 2)] as [(Double, Double)])
  func `Retry-After is heeded up to a day`(asked: Double, wanted: Double) {
    var breaker = OriginBreaker()
    breaker.fail(AFTransferRetryPolicy(), retryAfter: asked, jitter: 1, Self.start)
    #expect(breaker.remaining(Self.start) == wanted)
    // A later failure does not shorten it.
    breaker.fail(AFTransferRetryPolicy(), retryAfter: nil, jitter: 0, Self.start)
    #expect(breaker.remaining(Self.start) == wanted)
  }

  @Test func `waits end within five seconds when the network is back, but not what a server asked for`() {
    let policy = AFTransferRetryPolicy()
    var breaker = OriginBreaker()
    for _ in 0..<12 { breaker.fail(policy, retryAfter: nil, jitter: 1, Self.start) }
    breaker.networkReturned(policy, jitter: 1, after(1))
    #expect(breaker.remaining(after(1)) == 5 && breaker.isProbing)
    var asked = OriginBreaker()
    asked.fail(policy, retryAfter: 5000, jitter: 1, Self.start)
    asked.networkReturned(policy, jitter: 1, after(1))
    #expect(asked.remaining(after(1)) == 4999)
  }

  @Test func `a breaker is stored and read`() throws {
    var breaker = OriginBreaker()
    breaker.fail(AFTransferRetryPolicy(), retryAfter: 100, jitter: 1, Self.start)
    let data = try JSONEncoder().encode(breaker)
    #expect(try JSONDecoder().decode(OriginBreaker.self, from: data) == breaker)
  }

  // MARK: digests (RFC 9530 §3, RFC 3230 §4.3.2)

  private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  private static let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  @Test(
    arguments: [
      ("sha-256=:\(base64):", nil, true), ("sha-512=:AAAA:, sha-256=:\(base64):", nil, true),
      ("SHA-256=:\(base64):", nil, true), (nil, "SHA-256=\(base64)", true), (nil, "md5=AAAA,sha-256=\(base64)", true),
      ("sha-256=\(base64)", nil, false), ("sha-256=:AAAA:", nil, false), ("sha-256=::", nil, false),
      ("sha-256=:", nil, false),
      ("md5=:AAAA:", nil, false), ("", "", false), (nil, nil, false), (nil, "sha-256", false),
      ("sha-256=:!:", nil, false),
    ] as [(String?, String?, Bool)])
  func `digest fields`(repr: String?, digest: String?, wanted: Bool) {
    #expect(DigestField.sha256(reprDigest: repr, digest: digest) == (wanted ? Self.empty : nil))
  }
}
