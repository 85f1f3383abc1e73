/// Bytes into lines, which end with LF, CRLF or CR (as server-sent events do), whatever pieces they come in.
struct LineSplitter {
  private var pending: [UInt8] = []
  private var endsWithReturn = false
  /// A line that is longer comes in pieces, so that memory stays bounded.
  private let limit: Int

  init(limit: Int = 16 << 20) { self.limit = limit }

  /// The lines that are complete now, without their ends.
  mutating func add(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      if endsWithReturn {
        endsWithReturn = false
        if byte == 0x0A { continue }
      }
      if byte == 0x0A || byte == 0x0D {
        lines.append(pending)
        pending = []
        endsWithReturn = byte == 0x0D
      } else {
        pending.append(byte)
        if pending.count >= limit {
          lines.append(pending)
          pending = []
        }
      }
    }
    return lines
  }

  /// A last line without an end; nil if there is none.
  mutating func finish() -> [UInt8]? {
    defer { pending = [] }
    return pending.isEmpty ? nil : pending
  }
}
