import AFSupport
import Testing

@testable import AFTransport

@Suite struct DeadlineHeapTests {
  private func time(_ nanoseconds: UInt64) -> MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }

  @Test func `gives what is due, soonest first, and nothing else`() {
    var heap = DeadlineHeap()
    let times: [UInt64] = [50, 10, 30, 20, 40, 10]
    for (index, time) in times.enumerated() { heap.set(self.time(time), for: TransferID(raw: UInt64(index))) }
    heap.set(.distantFuture, for: TransferID(raw: 99))
    #expect(heap.next == time(10) && heap.count == 6)
    var due: [UInt64] = []
    while let id = heap.popDue(time(35)) { due.append(times[Int(id.raw)]) }
    #expect(due == [10, 10, 20, 30])
    #expect(heap.next == time(40))
  }

  @Test func `agrees with sorting, whatever is set, moved and removed`() {
    var heap = DeadlineHeap()
    var model: [UInt64: UInt64] = [:]
    for _ in 0..<20_000 {
      let id = UInt64.random(in: 0..<300)
      switch Int.random(in: 0..<10) {
      case 0:
        heap.remove(TransferID(raw: id))
        model[id] = nil
      case 1:
        heap.set(.distantFuture, for: TransferID(raw: id))
        model[id] = nil
      default:
        let moment = UInt64.random(in: 0..<1_000_000)
        heap.set(time(moment), for: TransferID(raw: id))
        model[id] = moment
      }
      #expect(heap.count == model.count)
      #expect(heap.next?.nanoseconds == model.values.min())
    }
    var order: [UInt64] = []
    while let id = heap.popDue(time(.max - 1)) { order.append(model[id.raw] ?? 0) }
    #expect(order == model.values.sorted())
    #expect(heap.count == 0)
  }

  @Test func `F40: fifty transfers of ten minutes with a report every 50 ms have an entry each`() {
    var heap = DeadlineHeap()
    let idle: UInt64 = 60_000_000_000
    let step: UInt64 = 50_000_000
    for id in 0..<50 { heap.set(time(idle), for: TransferID(raw: UInt64(id))) }
    var now: UInt64 = 0
    while now < 600_000_000_000 {
      now += step
      // A report is due sooner than the idle timeout; once it has been made, the timeout is next.
      for id in 0..<50 { heap.set(time(now), for: TransferID(raw: UInt64(id))) }
      while let id = heap.popDue(time(now)) { heap.set(time(now + idle), for: id) }
      guard heap.count == 50 else {
        Issue.record("\(heap.count) entries")
        return
      }
    }
  }
}
