package import Foundation

/// A body gathered in one piece, handed over at the end without a copy. Where there is no memory for more, it says so.
package struct MemoryBody: ~Copyable {
  package typealias Reallocate = @Sendable (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?

  private let reallocate: Reallocate
  private var bytes: UnsafeMutableRawPointer?
  private var capacity = 0
  package private(set) var count = 0

  /// `reallocate` stands for the function of that name of C.
  package init(reallocate: @escaping Reallocate = { realloc($0, $1) }) {
    self.reallocate = reallocate
  }

  deinit { free(bytes) }

  /// Makes room for an announced length, if there is any. What a server announces is believed up to 16 MiB; beyond that it has
  /// to send.
  package mutating func reserve(_ announced: Int64) {
    _ = grow(to: Int(min(max(0, announced), 16 << 20)))
  }

  /// False: there is no memory for it, and nothing has been added.
  package mutating func append(_ more: UnsafeRawBufferPointer) -> Bool {
    guard let source = more.baseAddress, more.count > 0 else { return true }
    let (needed, overflows) = count.addingReportingOverflow(more.count)
    guard !overflows else { return false }
    if needed > capacity {
      let (roomy, isVast) = capacity.addingReportingOverflow(capacity / 2)
      guard grow(to: max(isVast ? needed : roomy, needed, 4096)) || grow(to: needed) else { return false }
    }
    guard let bytes, needed <= capacity else { return false }
    (bytes + count).copyMemory(from: source, byteCount: more.count)
    count = needed
    return true
  }

  /// The body; nothing is left behind.
  package mutating func take() -> Data {
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
    let fitted = capacity - count > max(4096, count / 4) ? reallocate(bytes, count) ?? bytes : bytes
    return Data(bytesNoCopy: fitted, count: count, deallocator: .free)
  }

  private mutating func grow(to wanted: Int) -> Bool {
    guard wanted > capacity else { return true }
    guard let larger = reallocate(bytes, wanted) else { return false }
    bytes = larger
    capacity = wanted
    return true
  }
}
