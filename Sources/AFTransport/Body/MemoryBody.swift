internal import AFSupport
package import Foundation

/// A body gathered in one piece, handed over at the end without a copy. Where there is no memory for more, it says so.
///
/// It does not take the last of it: Swift and Foundation end the process where they get no memory for their own small pieces.
package struct MemoryBody: ~Copyable {
  package typealias Reallocate = @Sendable (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?

  /// What a body leaves to the rest of the process, at most: as much as an allocator's arena.
  private static let spare = 64 << 20
  /// A body up to this size is one allocation among others, and nothing is asked about it.
  private static let small = 4 << 20

  private let reallocate: Reallocate
  private let hasRoom: @Sendable (Int) -> Bool
  private var bytes: UnsafeMutableRawPointer?
  private var capacity = 0
  package private(set) var count = 0

  /// `reallocate` stands for the function of that name of C; `hasRoom` says whether so many bytes more can be had.
  package init(
    reallocate: @escaping Reallocate = { realloc($0, $1) },
    hasRoom: @escaping @Sendable (Int) -> Bool = { MemoryRoom.has($0) }
  ) {
    self.reallocate = reallocate
    self.hasRoom = hasRoom
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
    // As much again as it takes, while that is less than what everything else needs.
    let (room, isVast) = (wanted - capacity).addingReportingOverflow(min(wanted, Self.spare))
    guard wanted <= Self.small || !isVast && hasRoom(room), let larger = reallocate(bytes, wanted) else { return false }
    bytes = larger
    capacity = wanted
    return true
  }
}
