/// A bounded first-in-first-out buffer of bytes between one that fills it and one that empties it.
///
/// Its memory is allocated with the first byte, so that a reader which was made but never used costs nothing.
package struct ByteRing: Sendable {
  package let capacity: Int
  package private(set) var count = 0
  private var head = 0
  private var storage: [UInt8] = []

  package init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  package var isEmpty: Bool { count == 0 }
  package var free: Int { capacity - count }

  /// Appends as many of `bytes` as there is room for, and returns how many that were.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Int {
    let accepted = min(bytes.count, free)
    guard accepted > 0 else { return 0 }
    if storage.isEmpty { storage = [UInt8](repeating: 0, count: capacity) }
    let tail = (head + count) % capacity
    let first = min(accepted, capacity - tail)
    storage.withUnsafeMutableBytes { ring in
      ring[tail..<tail + first].copyBytes(from: bytes[0..<first])
      ring[0..<accepted - first].copyBytes(from: bytes[first..<accepted])
    }
    count += accepted
    return accepted
  }

  /// Moves as many bytes as it has, or as fit, to the start of `buffer`, and returns how many that were.
  package mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let taken = min(buffer.count, count)
    guard taken > 0 else { return 0 }
    let first = min(taken, capacity - head)
    storage.withUnsafeBytes { ring in
      buffer[0..<first].copyBytes(from: ring[head..<head + first])
      buffer[first..<taken].copyBytes(from: ring[0..<taken - first])
    }
    count -= taken
    // An empty ring starts over, so that the next fill is one copy and not two.
    head = count == 0 ? 0 : (head + taken) % capacity
    return taken
  }

  /// Forgets all bytes and keeps the memory.
  package mutating func removeAll() {
    count = 0
    head = 0
  }
}
