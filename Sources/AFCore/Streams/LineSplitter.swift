import Foundation

/// Cuts bytes into lines, as the bytes come.
struct LineSplitter {
  /// What ends a line.
  enum Ending {
    /// LF, or CR LF.
    case lineFeed
    /// LF, CR LF, or CR alone, as event streams have it.
    case any
  }

  private let ending: Ending
  private let limit: Int
  /// The beginning of a line whose end has not come.
  private var partial: [UInt8] = []
  /// A CR ended the last line: an LF that comes next belongs to it.
  private var isAfterReturn = false

  init(ending: Ending, limit: Int) {
    self.ending = ending
    self.limit = max(0, limit)
  }

  /// Calls `take` with each line that ends in these bytes, without its ending.
  /// - Throws: ``AFStreamError/lineTooLong(limit:)``, and what `take` throws.
  mutating func append(_ bytes: Data, _ take: ([UInt8]) throws(AFStreamError) -> Void) throws(AFStreamError) {
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
      guard line.count <= limit else { throw .lineTooLong(limit: limit) }
      try take(line)
    }
    partial.append(contentsOf: bytes[start...])
    // One more for a CR that may turn out to belong to the ending.
    let ending = ending == .lineFeed && partial.last == 0x0D ? 1 : 0
    guard partial.count - ending <= limit else { throw .lineTooLong(limit: limit) }
  }

  /// What stands after the last ending, if anything does.
  /// - Throws: ``AFStreamError/lineTooLong(limit:)``.
  mutating func finish() throws(AFStreamError) -> [UInt8]? {
    guard !partial.isEmpty else { return nil }
    defer { partial = [] }
    guard partial.count <= limit else { throw .lineTooLong(limit: limit) }
    return partial
  }

  private func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D && ending == .any }
}
