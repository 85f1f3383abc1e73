import AFSupport

/// Moments at which something is due, soonest first. A pure value.
///
/// Entries are never moved: whoever is named looks whether anything is due yet, and asks again if not. A deadline that every
/// byte pushes back thus costs nothing until it comes up. Those of the dead are swept out when they have become the most.
struct DeadlineHeap {
  struct Entry {
    let time: MonotonicTime
    let id: TransferID
  }

  private var entries: [Entry] = []

  var count: Int { entries.count }

  /// The soonest moment, or nil.
  var next: MonotonicTime? { entries.first?.time }

  mutating func add(_ time: MonotonicTime, _ id: TransferID) {
    guard time != .distantFuture else { return }
    entries.append(Entry(time: time, id: id))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].time < entries[parent].time else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes out one entry that is due at `now`.
  mutating func popDue(_ now: MonotonicTime) -> TransferID? {
    guard let first = entries.first, first.time <= now else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      sink()
    }
    return first.id
  }

  /// Takes out the entries of those that are not `alive`.
  mutating func sweep(alive: (TransferID) -> Bool) {
    entries.removeAll { !alive($0.id) }
    for parent in stride(from: entries.count / 2 - 1, through: 0, by: -1) { sink(from: parent) }
  }

  private mutating func sink(from start: Int = 0) {
    var parent = start
    while true {
      let left = parent * 2 + 1
      guard left < entries.count else { return }
      let right = left + 1
      let child = right < entries.count && entries[right].time < entries[left].time ? right : left
      guard entries[child].time < entries[parent].time else { return }
      entries.swapAt(child, parent)
      parent = child
    }
  }
}
