import Foundation

/// A response body gathered in one piece, handed over at the end without a copy.
struct MemoryBody: ~Copyable {
  private var bytes: UnsafeMutableRawPointer?
  private var capacity = 0
  private(set) var count = 0

  init() {}

  deinit { free(bytes) }

  /// Makes room for an announced length. What a server announces is believed up to 16 MiB; beyond that it has to send.
  mutating func reserve(_ announced: Int64) {
    grow(to: Int(min(announced, 16 << 20)))
  }

  mutating func append(_ more: UnsafeRawBufferPointer) {
    guard let source = more.baseAddress, more.count > 0 else { return }
    if count + more.count > capacity { grow(to: max(count + more.count, capacity + capacity / 2, 4096)) }
    guard let bytes else { return }
    (bytes + count).copyMemory(from: source, byteCount: more.count)
    count += more.count
  }

  /// The body; nothing is left behind.
  mutating func take() -> Data {
    defer {
      bytes = nil
      capacity = 0
      count = 0
    }
    guard let bytes, count > 0 else {
      free(bytes)
      return Data()
    }
    // Where more than a quarter was reserved in vain, the rest goes back.
    let fitted = capacity - count > max(4096, count / 4) ? realloc(bytes, count) ?? bytes : bytes
    return Data(bytesNoCopy: fitted, count: count, deallocator: .free)
  }

  private mutating func grow(to wanted: Int) {
    guard wanted > capacity, let larger = realloc(bytes, wanted) else { return }
    bytes = larger
    capacity = wanted
  }
}
