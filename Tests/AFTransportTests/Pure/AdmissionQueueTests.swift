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
