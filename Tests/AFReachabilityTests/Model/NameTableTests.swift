import AFSupport
import Testing

@testable import AFReachability

@Suite("When names are resolved")
struct NameTableTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private static let address = IPAddress.unspecified(.ipv4)

  /// A table as an object: expectations cannot call what mutates a value.
  private final class Box {
    private var table = NameTable()
    var nextDeadline: MonotonicTime? { table.nextDeadline }
    func answer(for name: String, now: MonotonicTime) -> NameTable.Answer { table.answer(for: name, now: now) }
    func takeReady(_ now: MonotonicTime) -> [String] { table.takeReady(now) }
    func expire(_ now: MonotonicTime) -> Bool { table.expire(now) }
    func invalidate(now: MonotonicTime) { table.invalidate(now: now) }
    func keepOnly(_ names: Set<String>) { table.keepOnly(names) }
    func take(_ resolution: NameResolution, for name: String, now: MonotonicTime) -> Bool {
      table.take(resolution, for: name, now: now)
    }
  }

  /// A table that has just been asked for "a", which is being resolved.
  private func table() -> Box {
    let table = Box()
    #expect(table.answer(for: "a", now: Self.start) == .pending)
    #expect(table.takeReady(Self.start) == ["a"])
    return table
  }

  @Test("A new name is resolved at once, and once")
  func first() {
    let table = table()
    #expect(table.takeReady(Self.start).isEmpty)
    #expect(table.take(.addresses([SocketAddress(address: Self.address)]), for: "a", now: Self.start))
    #expect(table.answer(for: "a", now: Self.start) == .addresses([SocketAddress(address: Self.address)]))
    #expect(table.nextDeadline == nil)
  }

  @Test("A first answer that is late counts as a failure from then on, and is taken when it comes")
  func patience() {
    let table = table()
    #expect(!table.expire(Self.start + 4.9))
    #expect(table.nextDeadline == Self.start + NameTable.patience)
    #expect(table.expire(Self.start + 5))
    #expect(table.answer(for: "a", now: Self.start + 5) == .failed(reason: "no answer after 5 s"))
    #expect(table.take(.addresses([SocketAddress(address: Self.address)]), for: "a", now: Self.start + 9))
    #expect(table.answer(for: "a", now: Self.start + 9) == .addresses([SocketAddress(address: Self.address)]))
  }

  @Test("Failures are repeated after 1, 2, 4 … 60 seconds, and success starts over")
  func backOff() {
    let table = table()
    var now = Self.start
    for delay in [1.0, 2, 4, 8, 16, 32, 60, 60] {
      _ = table.take(.failed(reason: "x", isFinal: true), for: "a", now: now)
      #expect(table.nextDeadline == now + delay)
      #expect(table.takeReady(now + (delay - 0.01)).isEmpty)
      now = now + delay
      #expect(table.takeReady(now) == ["a"])
    }
    _ = table.take(.addresses([SocketAddress(address: Self.address)]), for: "a", now: now)
    #expect(table.nextDeadline == nil)
    _ = table.take(.failed(reason: "x", isFinal: false), for: "a", now: now)
    #expect(table.nextDeadline == now + 1)
  }

  @Test("An answer without an address is a failure, and a late one is one once")
  func nothing() {
    let empty = table()
    #expect(empty.take(.addresses([]), for: "a", now: Self.start))
    #expect(empty.answer(for: "a", now: Self.start) == .failed(reason: "no addresses"))
    #expect(empty.nextDeadline == Self.start + 1)
    let late = table()
    #expect(late.expire(Self.start + 5))
    #expect(!late.expire(Self.start + 5))
    #expect(late.nextDeadline == nil)
  }

  @Test("A change resolves again, at most once a second, and also one that comes during a resolution")
  func changes() {
    let table = table()
    table.invalidate(now: Self.start + 0.1)
    #expect(table.takeReady(Self.start + 2).isEmpty)
    _ = table.take(.addresses([SocketAddress(address: Self.address)]), for: "a", now: Self.start + 2)
    #expect(table.takeReady(Self.start + 2) == ["a"])
    _ = table.take(.addresses([SocketAddress(address: Self.address)]), for: "a", now: Self.start + 2)
    table.invalidate(now: Self.start + 2.1)
    table.invalidate(now: Self.start + 2.2)
    #expect(table.nextDeadline == Self.start + 3)
  }

  @Test("Names that nobody watches any more are forgotten, and answers to them are nobody's")
  func forgotten() {
    let table = table()
    table.keepOnly([])
    #expect(!table.take(.addresses([SocketAddress(address: Self.address)]), for: "a", now: Self.start))
    #expect(table.nextDeadline == nil)
  }

  @Test("A resolver out of reach leaves known addresses alone; a name that is gone loses them")
  func knownAddresses() {
    let table = table()
    _ = table.take(.addresses([SocketAddress(address: Self.address)]), for: "a", now: Self.start)
    #expect(!table.take(.failed(reason: "again", isFinal: false), for: "a", now: Self.start))
    #expect(table.answer(for: "a", now: Self.start) == .addresses([SocketAddress(address: Self.address)]))
    #expect(table.take(.failed(reason: "gone", isFinal: true), for: "a", now: Self.start))
    #expect(table.answer(for: "a", now: Self.start) == .failed(reason: "gone"))
  }
}
