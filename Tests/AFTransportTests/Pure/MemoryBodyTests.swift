import AFSupport
import Foundation
import Testing

@testable import AFTransport

/// F43: where there is no memory, nothing is written, and it is said.
@Suite struct MemoryBodyTests {
  /// Gives exactly what is asked for, with bytes behind it that must not change; and refuses above a limit.
  private final class Allocator: @unchecked Sendable {
    // Unchecked because each is used by one test, on one thread.
    private let limit: Int
    private let refusals: Set<Int>
    private var calls = 0
    private var block: UnsafeMutableRawBufferPointer?
    private static let guardSize = 1 << 16

    init(limit: Int, refusals: Set<Int>) {
      self.limit = limit
      self.refusals = refusals
    }

    func reallocate(_ old: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
      calls += 1
      guard size <= limit, !refusals.contains(calls), let new = realloc(old, size + Self.guardSize) else { return nil }
      memset(new + size, 0xA5, Self.guardSize)
      block = UnsafeMutableRawBufferPointer(start: new + size, count: Self.guardSize)
      return new
    }

    var isGuardUntouched: Bool { block?.allSatisfy { $0 == 0xA5 } ?? true }
  }

  struct Row: Sendable {
    var reserved: Int64 = 0
    var limit = Int.max
    var refusals: Set<Int> = []
    let pieces: [Int]
    /// How many of the pieces are taken.
    let taken: Int
  }

  @Test(arguments: [
    Row(pieces: [], taken: 0),
    Row(pieces: [0, 0], taken: 2),
    Row(pieces: [10, 4096, 100_000], taken: 3),
    Row(reserved: 1000, pieces: [1000, 1], taken: 2),
    Row(reserved: -1, pieces: [1], taken: 1),
    Row(reserved: .max, pieces: [1], taken: 1),
    // No memory for what was announced: it is taken piece by piece.
    Row(reserved: 1 << 20, refusals: [1], pieces: [4096, 4096], taken: 2),
    Row(reserved: 1 << 20, limit: 8192, pieces: [4096, 4096, 1], taken: 2),
    // No memory for what growing in steps would like, but for what is needed.
    Row(limit: 8192, pieces: [6000, 2192], taken: 2),
    Row(limit: 8192, pieces: [6000, 2193], taken: 1),
    Row(limit: 0, pieces: [1], taken: 0),
    Row(refusals: [1, 2], pieces: [1], taken: 0),
    Row(refusals: [2, 3], pieces: [4096, 1], taken: 1),
    Row(refusals: [2], pieces: [4096, 1], taken: 2),
  ])
  func `F43: a refused allocation`(row: Row) {
    let allocator = Allocator(limit: row.limit, refusals: row.refusals)
    var body = MemoryBody(reallocate: { allocator.reallocate($0, $1) }, hasRoom: { _ in true })
    body.reserve(row.reserved)
    var expected: [UInt8] = []
    for (index, count) in row.pieces.enumerated() {
      let piece = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ index) }
      let isTaken = piece.withUnsafeBytes { body.append($0) }
      #expect(isTaken == (index < row.taken))
      #expect(allocator.isGuardUntouched)
      if isTaken { expected += piece }
      #expect(body.count == expected.count)
    }
    #expect(Array(body.take()) == expected)
    #expect(body.count == 0)
  }

  /// `room`: what is to be had beyond what the body has. `taken`: pieces of 1 MiB that it takes, of 400.
  @Test(arguments: [
    (room: Int.max, taken: 400),
    // Up to 4 MiB nothing is asked. Where there is no room for a step of growth, it grows by single pieces.
    (room: 0, taken: 4), (room: 4 << 20, taken: 4), (room: 8 << 20, taken: 7), (room: 64 << 20, taken: 63),
    (room: 16 << 20, taken: 15), (room: 65 << 20, taken: 400),
  ])
  func `F43: a body leaves as much again as it takes, up to 64 MiB`(room: Int, taken: Int) {
    let asked = Locked(0)
    var body = MemoryBody(hasRoom: { bytes in
      asked.withLock { $0 = bytes }
      return bytes <= room
    })
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    var count = 0
    while count < 400, piece.withUnsafeBytes({ body.append($0) }) { count += 1 }
    #expect(count == taken)
    #expect(asked.withLock { $0 } > 4 << 20)
    #expect(body.take().count == taken << 20)
  }
}
