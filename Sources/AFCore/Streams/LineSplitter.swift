package import Foundation

/// Cuts bytes into lines, as the bytes come.
package struct LineSplitter {
  /// What ends a line.
  package enum Ending {
    /// LF, or CR LF.
    case lineFeed
    /// LF, CR LF, or CR alone, as event streams have it.
    case any
  }

  /// What becomes of a line that is longer than the limit.
  package enum Excess {
    case fails
    /// It comes in pieces, each as a line, so that memory stays bounded and nothing is lost.
    case comesInPieces
  }

  private let ending: Ending
  private let limit: Int
  private let excess: Excess
  /// The beginning of a line whose end has not come.
  private var partial: [UInt8] = []
  /// A CR ended the last line: an LF that comes next belongs to it.
  private var isAfterReturn = false

  package init(ending: Ending, limit: Int, excess: Excess = .fails) {
    self.ending = ending
    // A piece has a byte at least.
    self.limit = max(excess == .fails ? 0 : 1, limit)
    self.excess = excess
  }

  /// Calls `take` with each line that ends in these bytes, without its ending.
  /// - Throws: ``AFStreamError/lineTooLong(limit:)``, and what `take` throws.
  package mutating func append(_ bytes: Data, _ take: ([UInt8]) throws(AFStreamError) -> Void) throws(AFStreamError) {
    // As an array: each byte is looked at, and `Data` is slow at that.
    let bytes = [UInt8](bytes)
    var start = 0
    if isAfterReturn, let first = bytes.first {
      isAfterReturn = false
      if first == 0x0A { start = 1 }
    }
    var index = start
    while index < bytes.count {
      let byte = bytes[index]
      guard endsLine(byte) else {
        index += 1
        continue
      }
      var line = partial
      partial = []
      line.append(contentsOf: bytes[start..<index])
      if ending == .lineFeed, line.last == 0x0D { line.removeLast() }
      index += 1
      if byte == 0x0D {
        if index == bytes.count { isAfterReturn = true } else if bytes[index] == 0x0A { index += 1 }
      }
      start = index
      try take(within(line, take))
    }
    partial.append(contentsOf: bytes[start...])
    // One more for a CR that may turn out to belong to the ending.
    if ending == .any || partial.last != 0x0D || partial.count - 1 > limit { partial = try within(partial, take) }
  }

  /// What stands after the last ending, if anything does.
  /// - Throws: ``AFStreamError/lineTooLong(limit:)``.
  package mutating func finish() throws(AFStreamError) -> [UInt8]? {
    guard !partial.isEmpty else { return nil }
    defer { partial = [] }
    // A CR at the very end is a byte of the line.
    guard partial.count <= limit || excess == .comesInPieces else { throw .lineTooLong(limit: limit) }
    return partial
  }

  /// A line, or the last piece of one that is too long after the pieces before it are taken.
  private func within(
    _ line: [UInt8], _ take: ([UInt8]) throws(AFStreamError) -> Void
  ) throws(AFStreamError) -> [UInt8] {
    guard line.count > limit else { return line }
    guard excess == .comesInPieces else { throw .lineTooLong(limit: limit) }
    var rest = line[...]
    while rest.count > limit {
      try take(Array(rest.prefix(limit)))
      rest = rest.dropFirst(limit)
    }
    return Array(rest)
  }

  private func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D && ending == .any }
}
