package import Foundation
import AFSupport

/// Bytes without end that are the same on every run and tell their place: a block of noise, repeated. The block's length is
/// a prime, so that chunks of any usual size that are lost, doubled or swapped change the digest.
package enum TestPattern {
  private static let period = 1_048_573

  private static let block: [UInt8] = {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    return (0..<period).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }()

  /// Calls `body` with the bytes from `offset`, as many as lie in one piece, at most `count`.
  package static func withBytes<Result>(
    at offset: Int64, count: Int, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let start = Int(offset % Int64(period))
    let end = min(period, start + count)
    return try block.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
  }

  /// Calls `body` with piece after piece of the given range.
  package static func forEachPiece(
    from offset: Int64 = 0, count: Int64, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var position = offset
    let end = offset + count
    while position < end {
      position += try withBytes(at: position, count: Int(min(1 << 20, end - position))) { piece in
        try body(piece)
        return Int64(piece.count)
      }
    }
  }

  package static func data(from offset: Int64 = 0, count: Int) -> Data {
    var data = Data(capacity: count)
    forEachPiece(from: offset, count: Int64(count)) { data.append(contentsOf: $0) }
    return data
  }

  /// The digest of the first `count` bytes.
  package static func sha256(count: Int64) -> String {
    let digest = TestDigest()
    forEachPiece(count: count) { digest.update($0) }
    return digest.finish()
  }

  /// Writes the first `count` bytes to a new file.
  package static func write(count: Int64, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw POSIXFailure(call: "open", path: path) }
    defer { close(descriptor) }
    try forEachPiece(count: count) { piece in
      var rest = piece
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        guard count > 0 else { throw POSIXFailure(call: "write", path: path) }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }
}
