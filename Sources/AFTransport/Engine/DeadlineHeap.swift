import AFSupport

/// Moments at which something is due, soonest first; one for each transfer at most. A pure value.
///
/// A deadline that every byte pushes back is not moved for that: what is named looks whether anything is due yet, and asks again if
/// not. So a deadline costs nothing until it comes up, and a transfer of any length has one entry.
struct DeadlineHeap {
  private struct Entry {
    var time: MonotonicTime
    let id: TransferID
  }

  private var entries: [Entry] = []
  private var positions: [TransferID: Int] = [:]

  var count: Int { entries.count }

  /// The soonest moment, or nil.
  var next: MonotonicTime? { entries.first?.time }

  /// Names `id` at `time` and at no other moment; at none, if that is the distant future.
  mutating func set(_ time: MonotonicTime, for id: TransferID) {
    guard time != .distantFuture else { return remove(id) }
    guard let position = positions[id] else {
      entries.append(Entry(time: time, id: id))
      positions[id] = entries.count - 1
      return rise(from: entries.count - 1)
    }
    let old = entries[position].time
    entries[position].time = time
    if time < old { rise(from: position) } else { sink(from: position) }
  }

  mutating func remove(_ id: TransferID) {
    guard let position = positions.removeValue(forKey: id) else { return }
    let last = entries.removeLast()
    guard position < entries.count else { return }
    let old = entries[position].time
    put(last, at: position)
    if last.time < old { rise(from: position) } else { sink(from: position) }
  }

  /// Takes out one entry that is due at `now`.
  mutating func popDue(_ now: MonotonicTime) -> TransferID? {
    guard let first = entries.first, first.time <= now else { return nil }
    remove(first.id)
    return first.id
  }

  private mutating func put(_ entry: Entry, at position: Int) {
    entries[position] = entry
    positions[entry.id] = position
  }

  private mutating func rise(from start: Int) {
    var child = start
    let entry = entries[child]
    while child > 0 {
      let parent = (child - 1) / 2
      guard entry.time < entries[parent].time else { break }
      put(entries[parent], at: child)
      child = parent
    }
    if child != start { put(entry, at: child) }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    let entry = entries[parent]
    while true {
      let left = parent * 2 + 1
      guard left < entries.count else { break }
      let right = left + 1
      let child = right < entries.count && entries[right].time < entries[left].time ? right : left
      guard entries[child].time < entry.time else { break }
      put(entries[child], at: parent)
      parent = child
    }
    if parent != start { put(entry, at: parent) }
  }
}
