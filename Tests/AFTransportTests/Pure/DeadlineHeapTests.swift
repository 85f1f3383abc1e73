import AFSupport
import Testing

@testable import AFTransport

@Suite struct DeadlineHeapTests {
  @Test func `gives what is due, soonest first, and nothing else`() {
    var heap = DeadlineHeap()
    let times: [UInt64] = [50, 10, 30, 20, 40, 10]
    for (index, time) in times.enumerated() {
      heap.add(MonotonicTime(nanoseconds: time), TransferID(raw: UInt64(index)))
    }
    heap.add(.distantFuture, TransferID(raw: 99))
    #expect(heap.next == MonotonicTime(nanoseconds: 10))
    var due: [UInt64] = []
    while let id = heap.popDue(MonotonicTime(nanoseconds: 35)) { due.append(times[Int(id.raw)]) }
    #expect(due == [10, 10, 20, 30])
    #expect(heap.next == MonotonicTime(nanoseconds: 40))
  }

  @Test func `agrees with sorting for random moments`() {
    var heap = DeadlineHeap()
    let times = (0..<1000).map { _ in UInt64.random(in: 0..<1_000_000) }
    for (index, time) in times.enumerated() {
      heap.add(MonotonicTime(nanoseconds: time), TransferID(raw: UInt64(index)))
    }
    var order: [UInt64] = []
    while let id = heap.popDue(MonotonicTime(nanoseconds: .max - 1)) { order.append(times[Int(id.raw)]) }
    #expect(order == times.sorted())
  }

  @Test func `keeps the order of those alive when the dead are swept out`() {
    var heap = DeadlineHeap()
    let times = (0..<1000).map { _ in UInt64.random(in: 0..<1_000_000) }
    for (index, time) in times.enumerated() {
      heap.add(MonotonicTime(nanoseconds: time), TransferID(raw: UInt64(index)))
    }
    heap.sweep { $0.raw % 3 == 0 }
    #expect(heap.count == 334)
    var order: [UInt64] = []
    while let id = heap.popDue(MonotonicTime(nanoseconds: .max - 1)) { order.append(times[Int(id.raw)]) }
    #expect(order == times.indices.filter { $0 % 3 == 0 }.map { times[$0] }.sorted())
    heap.sweep { _ in true }
    #expect(heap.next == nil)
  }
}
