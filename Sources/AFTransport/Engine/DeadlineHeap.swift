import AFSupport

/// Moments at which something is due, soonest first. A pure value.
///
/// Entries are never moved or removed: whoever is named looks whether anything is due yet, and asks again if not. A deadline
/// that every byte pushes back thus costs nothing until it comes up.
struct DeadlineHeap {
  struct Entry {
    let time: MonotonicTime
    let id: TransferID
  }

  private var entries: [Entry] = []

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

  private mutating func sink() {
    var parent = 0
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
