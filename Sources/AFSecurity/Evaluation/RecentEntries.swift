/// A dictionary that forgets its oldest entries.
struct RecentEntries<Key: Hashable, Value> {
  private let capacity: Int
  private var values: [Key: Value] = [:]
  /// Oldest first.
  private var order: [Key] = []

  init(capacity: Int) { self.capacity = capacity }

  subscript(key: Key) -> Value? { values[key] }

  mutating func insert(_ value: Value, for key: Key) {
    guard values.updateValue(value, forKey: key) == nil else { return }
    order.append(key)
    if order.count > capacity { values[order.removeFirst()] = nil }
  }
}

extension RecentEntries: Sendable where Key: Sendable, Value: Sendable {}
