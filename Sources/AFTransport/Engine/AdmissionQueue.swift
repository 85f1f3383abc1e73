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

    mutating func admit(_ id: TransferID, _ priority: Float) -> Bool {
      if running < limit, waitingCount == 0 {
        running += 1
        return true
      }
      waiting[priority, default: Fifo()].items.append(id)
      waitingCount += 1
      return false
    }

    mutating func next(_ origin: Origin, _ entries: inout [TransferID: Entry]) -> TransferID? {
      guard running < limit, waitingCount > 0 else { return nil }
      for priority in waiting.keys.sorted(by: >) {
        while let id = waiting[priority]?.popFirst() {
          guard let entry = entries[id], entry.origin == origin, entry.priority == priority else { continue }
          entries[id] = nil
          waitingCount -= 1
          running += 1
          return id
        }
        waiting[priority] = nil
      }
      waitingCount = 0
      return nil
    }
  }

  private struct Entry {
    let origin: Origin
    let priority: Float
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
  private var entries: [TransferID: Entry] = [:]

  /// `limit`: transfers that may run per origin until ``setLimit(_:for:)`` says otherwise.
  init(limit: Int) {
    initialLimit = max(1, limit)
  }

  /// The number of transfers that wait.
  var waitingCount: Int { entries.count }

  /// True: run it now (it counts as running). False: it waits, and ``next(for:)`` will name it.
  mutating func admit(_ id: TransferID, to origin: Origin, priority: Float) -> Bool {
    let priority = Self.rank(priority)
    // In place: a copy of the lane would copy the line of those that wait.
    guard !lanes[origin, default: Lane(limit: initialLimit)].admit(id, priority) else { return true }
    entries[id] = Entry(origin: origin, priority: priority)
    return false
  }

  /// From 0 to 1. What is no number equals nothing, not even itself, and would never be found again: it is the middle.
  private static func rank(_ priority: Float) -> Float { priority.isNaN ? 0.5 : min(max(priority, 0), 1) }

  /// Takes a waiting transfer out; false if it does not wait.
  mutating func remove(_ id: TransferID) -> Bool {
    guard let entry = entries.removeValue(forKey: id) else { return false }
    lanes[entry.origin]?.waitingCount -= 1
    forgetIfIdle(entry.origin)
    return true
  }

  /// Moves a waiting transfer to the end of another priority's line.
  mutating func setPriority(_ priority: Float, of id: TransferID) {
    let priority = Self.rank(priority)
    guard let entry = entries[id], entry.priority != priority else { return }
    entries[id] = Entry(origin: entry.origin, priority: priority)
    lanes[entry.origin]?.waiting[priority, default: Fifo()].items.append(id)
  }

  /// One transfer to `origin` has ended.
  mutating func finished(_ origin: Origin) {
    lanes[origin]?.running -= 1
    forgetIfIdle(origin)
  }

  /// True if the limit was another before.
  mutating func setLimit(_ limit: Int, for origin: Origin) -> Bool {
    let limit = max(1, limit)
    guard let old = lanes[origin]?.limit, old != limit else { return false }
    lanes[origin]?.limit = limit
    return true
  }

  func limit(for origin: Origin) -> Int { lanes[origin]?.limit ?? initialLimit }

  /// The next transfer to `origin` that may run, now counted as running, or nil.
  mutating func next(for origin: Origin) -> TransferID? {
    lanes[origin]?.next(origin, &entries)
  }

  /// Everything that waits, taken out.
  mutating func removeAll() -> [TransferID] {
    let all = entries.keys.sorted { $0.raw < $1.raw }
    entries = [:]
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
