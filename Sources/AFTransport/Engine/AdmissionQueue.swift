/// Which transfers may run, and which wait. A pure value: no clock, no libcurl.
///
/// libcurl is never handed more transfers than may run: it visits all it has, and lets those that wait for a connection
/// miss their timeouts (pitfalls 3 and 4).
struct AdmissionQueue {
  /// What counts together against a limit: scheme, host, port, and whether HTTP/1.1 is asked for.
  struct Origin: Hashable, Sendable {
    let authority: Authority
    let isHTTP1: Bool
  }

  private struct Lane {
    var running = 0
    var limit: Int
    /// Waiting transfers, first in first out, by priority. Ended ones are left in place and skipped.
    var waiting: [Float: Fifo] = [:]
    var waitingCount = 0
  }

  private struct Fifo {
    var items: [TransferID] = []
    var first = 0

    mutating func popFirst() -> TransferID? {
      guard first < items.count else { return nil }
      defer {
        first += 1
        if first == items.count {
          items.removeAll(keepingCapacity: true)
          first = 0
        } else if first >= 1024, first * 2 >= items.count {
          items.removeFirst(first)
          first = 0
        }
      }
      return items[first]
    }
  }

  private let initialLimit: Int
  private var lanes: [Origin: Lane] = [:]
  private var waitingOrigins: [TransferID: (origin: Origin, priority: Float)] = [:]

  /// `limit`: transfers that may run per origin until ``setLimit(_:for:)`` says otherwise.
  init(limit: Int) {
    initialLimit = max(1, limit)
  }

  /// The number of transfers that wait.
  var waitingCount: Int { waitingOrigins.count }

  /// True: run it now (it counts as running). False: it waits, and ``next(after:)`` will name it.
  mutating func admit(_ id: TransferID, to origin: Origin, priority: Float) -> Bool {
    var lane = lanes[origin] ?? Lane(limit: initialLimit)
    defer { lanes[origin] = lane }
    if lane.running < lane.limit, lane.waitingCount == 0 {
      lane.running += 1
      return true
    }
    lane.waiting[priority, default: Fifo()].items.append(id)
    lane.waitingCount += 1
    waitingOrigins[id] = (origin, priority)
    return false
  }

  /// Takes a waiting transfer out; false if it does not wait.
  mutating func remove(_ id: TransferID) -> Bool {
    guard let (origin, _) = waitingOrigins.removeValue(forKey: id) else { return false }
    lanes[origin]?.waitingCount -= 1
    forgetIfIdle(origin)
    return true
  }

  /// Moves a waiting transfer to the end of another priority's line.
  mutating func setPriority(_ priority: Float, of id: TransferID) {
    guard let (origin, old) = waitingOrigins[id], old != priority else { return }
    waitingOrigins[id] = (origin, priority)
    lanes[origin]?.waiting[priority, default: Fifo()].items.append(id)
  }

  /// One transfer to `origin` has ended.
  mutating func finished(_ origin: Origin) {
    lanes[origin]?.running -= 1
    forgetIfIdle(origin)
  }

  mutating func setLimit(_ limit: Int, for origin: Origin) {
    lanes[origin]?.limit = max(1, limit)
  }

  func limit(for origin: Origin) -> Int { lanes[origin]?.limit ?? initialLimit }

  /// The next transfer to `origin` that may run, now counted as running, or nil.
  mutating func next(for origin: Origin) -> TransferID? {
    guard var lane = lanes[origin], lane.running < lane.limit, lane.waitingCount > 0 else { return nil }
    for priority in lane.waiting.keys.sorted(by: >) {
      while let id = lane.waiting[priority]?.popFirst() {
        guard let entry = waitingOrigins[id], entry.origin == origin, entry.priority == priority else { continue }
        waitingOrigins[id] = nil
        lane.waitingCount -= 1
        lane.running += 1
        lanes[origin] = lane
        return id
      }
      lane.waiting[priority] = nil
    }
    lane.waitingCount = 0
    lanes[origin] = lane
    return nil
  }

  /// Everything that waits, taken out.
  mutating func removeAll() -> [TransferID] {
    let all = waitingOrigins.keys.sorted { $0.raw < $1.raw }
    waitingOrigins = [:]
    for origin in Array(lanes.keys) {
      lanes[origin]?.waiting = [:]
      lanes[origin]?.waitingCount = 0
      forgetIfIdle(origin)
    }
    return all
  }

  /// An origin's learnt limit is kept while something of it runs or waits, and a hundred origins beyond that.
  private mutating func forgetIfIdle(_ origin: Origin) {
    guard lanes.count > 100, let lane = lanes[origin], lane.running == 0, lane.waitingCount == 0 else { return }
    lanes[origin] = nil
  }
}
