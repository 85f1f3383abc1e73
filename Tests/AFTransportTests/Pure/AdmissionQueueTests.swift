import AFSupport
import Testing

@testable import AFTransport

@Suite struct AdmissionQueueTests {
  private func origin(_ url: String) throws -> AdmissionQueue.Origin {
    AdmissionQueue.Origin(authority: try #require(Authority(url: url)), isHTTP1: false)
  }

  private func id(_ raw: UInt64) -> TransferID { TransferID(raw: raw) }

  @Test func `as many as the limit run, the others wait in order`() throws {
    var queue = AdmissionQueue(limit: 2)
    let a = try origin("http://a/")
    var admitted: [Bool] = []
    for raw in 1...5 { admitted.append(queue.admit(id(UInt64(raw)), to: a, priority: 0.5)) }
    #expect(admitted == [true, true, false, false, false])
    #expect(queue.next(for: a) == nil)
    queue.finished(a)
    #expect(queue.next(for: a) == id(3))
    #expect(queue.next(for: a) == nil)
    queue.finished(a)
    queue.finished(a)
    #expect(queue.next(for: a) == id(4))
    #expect(queue.next(for: a) == id(5))
    #expect(queue.waitingCount == 0)
  }

  @Test func `origins do not share a limit`() throws {
    var queue = AdmissionQueue(limit: 1)
    #expect(queue.admit(id(1), to: try origin("http://a/"), priority: 0.5) == true)
    #expect(queue.admit(id(2), to: try origin("http://a:81/"), priority: 0.5) == true)
    #expect(queue.admit(id(3), to: try origin("https://a/"), priority: 0.5) == true)
    #expect(queue.admit(id(4), to: try origin("http://A/x"), priority: 0.5) == false)
  }

  @Test func `priority goes first, also when it is changed while waiting`() throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    _ = queue.admit(id(1), to: a, priority: 0.5)
    _ = queue.admit(id(2), to: a, priority: 0.5)
    _ = queue.admit(id(3), to: a, priority: 0.9)
    _ = queue.admit(id(4), to: a, priority: 0.1)
    queue.setPriority(1, of: id(4))
    var order: [TransferID?] = []
    for _ in 0..<3 {
      queue.finished(a)
      order.append(queue.next(for: a))
    }
    #expect(order == [id(4), id(3), id(2)])
  }

  @Test func `one that was taken out is not named`() throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    _ = queue.admit(id(1), to: a, priority: 0.5)
    _ = queue.admit(id(2), to: a, priority: 0.5)
    _ = queue.admit(id(3), to: a, priority: 0.5)
    #expect(queue.remove(id(2)) == true)
    #expect(queue.remove(id(2)) == false)
    #expect(queue.remove(id(1)) == false)
    queue.finished(a)
    #expect(queue.next(for: a) == id(3))
  }

  @Test func `a raised limit lets more in`() throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("https://a/")
    for raw in 1...4 { _ = queue.admit(id(UInt64(raw)), to: a, priority: 0.5) }
    #expect(queue.setLimit(3, for: a) == true)
    #expect(queue.setLimit(3, for: a) == false)
    #expect(queue.next(for: a) == id(2))
    #expect(queue.next(for: a) == id(3))
    #expect(queue.next(for: a) == nil)
  }

  @Test func `a lowered priority goes behind, and one put back where it was is named once`() throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    for raw in 1...4 { _ = queue.admit(id(UInt64(raw)), to: a, priority: 0.5) }
    queue.setPriority(0.1, of: id(2))
    queue.setPriority(0.9, of: id(3))
    queue.setPriority(0.5, of: id(3))
    queue.setPriority(0.5, of: id(4))
    #expect(drain(&queue, a) == [id(3), id(4), id(2)])
    #expect(queue.waitingCount == 0)
  }

  @Test(arguments: [(Float.nan, Float(0.5)), (2, 1), (1.5, 1), (-1, 0), (.infinity, 1), (-.infinity, 0)])
  func `a priority that is none is the nearest that is one`(given: Float, meant: Float) throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    _ = queue.admit(id(1), to: a, priority: 0.5)
    _ = queue.admit(id(2), to: a, priority: given)
    _ = queue.admit(id(3), to: a, priority: meant)
    // In the line of those that mean the same, first come is first served.
    #expect(drain(&queue, a) == [id(2), id(3)])
    _ = queue.admit(id(4), to: a, priority: meant)
    _ = queue.admit(id(5), to: a, priority: meant)
    queue.setPriority(given, of: id(4))
    #expect(drain(&queue, a).first == id(4))
  }

  @Test func `a newcomer does not overtake those that wait, though there is room`() throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    for raw in 1...2 { _ = queue.admit(id(UInt64(raw)), to: a, priority: 0.5) }
    queue.finished(a)
    #expect(queue.admit(id(3), to: a, priority: 1) == false)
    #expect(queue.next(for: a) == id(3))
    queue.finished(a)
    #expect(queue.next(for: a) == id(2))
  }

  @Test(arguments: [false, true])
  func `once those that waited are gone, a newcomer is let in at once`(byRemoval: Bool) throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    for raw in 1...2 { _ = queue.admit(id(UInt64(raw)), to: a, priority: 0.5) }
    if byRemoval {
      #expect(queue.remove(id(2)) == true)
    } else {
      queue.finished(a)
      #expect(queue.next(for: a) == id(2))
    }
    #expect(queue.admit(id(3), to: a, priority: 0.5) == false)
    queue.finished(a)
    #expect(queue.next(for: a) == id(3))
    queue.finished(a)
    #expect(queue.admit(id(4), to: a, priority: 0.5) == true)
  }

  @Test func `one that left and came again to another origin is not named in the first`() throws {
    var queue = AdmissionQueue(limit: 1)
    let (a, b) = (try origin("http://a/"), try origin("http://b/"))
    for (raw, origin) in [(1, a), (2, b), (3, a)] as [(UInt64, AdmissionQueue.Origin)] {
      _ = queue.admit(id(raw), to: origin, priority: 0.5)
    }
    _ = queue.remove(id(3))
    _ = queue.admit(id(3), to: b, priority: 0.5)
    queue.finished(a)
    #expect(queue.next(for: a) == nil)
    queue.finished(b)
    #expect(queue.next(for: b) == id(3))
  }

  @Test func `a limit is one at least, and a lowered one lets nobody in until enough have ended`() throws {
    var queue = AdmissionQueue(limit: 0)
    let a = try origin("http://a/")
    #expect(queue.admit(id(1), to: a, priority: 0.5) == true)
    #expect(queue.admit(id(2), to: a, priority: 0.5) == false)
    #expect(queue.setLimit(0, for: a) == false)
    #expect(queue.limit(for: a) == 1)
    #expect(queue.setLimit(3, for: a) == true)
    #expect(queue.next(for: a) == id(2))
    _ = queue.admit(id(3), to: a, priority: 0.5)
    _ = queue.admit(id(4), to: a, priority: 0.5)
    #expect(queue.setLimit(1, for: a) == true)
    for _ in 0..<2 {
      queue.finished(a)
      #expect(queue.next(for: a) == nil)
    }
    queue.finished(a)
    #expect(queue.next(for: a) == id(4))
  }

  @Test func `all that wait are taken out in order, and the next is let in`() throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    for raw in 1...5 { _ = queue.admit(id(UInt64(raw)), to: a, priority: raw == 4 ? 1 : 0.5) }
    #expect(queue.removeAll() == [id(2), id(3), id(4), id(5)])
    #expect(queue.waitingCount == 0)
    queue.finished(a)
    #expect(queue.next(for: a) == nil)
    #expect(queue.admit(id(6), to: a, priority: 0.5) == true)
  }

  @Test func `of many origins, those with something to do are remembered`() throws {
    var queue = AdmissionQueue(limit: 1)
    let (busy, waited) = (try origin("http://busy/"), try origin("http://waited/"))
    _ = queue.admit(id(1), to: busy, priority: 0.5)
    #expect(queue.setLimit(2, for: busy) == true)
    _ = queue.admit(id(2), to: waited, priority: 0.5)
    _ = queue.admit(id(3), to: waited, priority: 0.5)
    for number in 10..<200 as Range<UInt64> {
      _ = queue.admit(id(number), to: try origin("http://h\(number)/"), priority: 0.5)
    }
    // One of its two ends; the lane stays for the one that waits.
    queue.finished(waited)
    #expect(queue.next(for: waited) == id(3))
    _ = queue.admit(id(4), to: busy, priority: 0.5)
    queue.finished(busy)
    #expect(queue.limit(for: busy) == 2)
    queue.finished(busy)
    #expect(queue.limit(for: busy) == 1, "an idle origin among many is forgotten, with its limit")
  }

  private func drain(_ queue: inout AdmissionQueue, _ origin: AdmissionQueue.Origin) -> [TransferID] {
    var order: [TransferID] = []
    while true {
      queue.finished(origin)
      guard let next = queue.next(for: origin) else { break }
      order.append(next)
    }
    _ = queue.admit(id(.max), to: origin, priority: 0.5)
    return order
  }

  @Test func `a hundred thousand waiting are named in linear time, each once`() throws {
    var queue = AdmissionQueue(limit: 1)
    let a = try origin("http://a/")
    _ = queue.admit(id(0), to: a, priority: 0.5)
    for raw in 1...100_000 { _ = queue.admit(id(UInt64(raw)), to: a, priority: 0.5) }
    for raw in 1...100_000 {
      queue.finished(a)
      #expect(queue.next(for: a) == id(UInt64(raw)))
    }
  }

  /// If each that joins copied the line of those before it, this would take more than a minute.
  @Test(.timeLimit(.minutes(1))) func `a line of 800,000 is joined at the end and left at the front`() throws {
    var queue = AdmissionQueue(limit: 1)
    let origin = try origin("http://a/")
    let count: UInt64 = 800_000
    #expect(queue.admit(id(0), to: origin, priority: 0.5) == true)
    for raw in 1..<count { _ = queue.admit(id(raw), to: origin, priority: 0.5) }
    #expect(queue.waitingCount == Int(count) - 1)
    for raw in 1...2000 as ClosedRange<UInt64> {
      queue.finished(origin)
      guard queue.next(for: origin)?.raw == raw else {
        Issue.record("\(raw) is not next")
        return
      }
    }
  }
}
