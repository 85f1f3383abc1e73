/// Undoes the chunked transfer coding (RFC 9112 §7.1): bytes in, runs of the body and trailer lines out. No buffers but for a line
/// that has not ended yet.
///
/// libcurl reads every size that begins with a digit, and says nothing of what follows the last chunk (pitfalls 49 and 50).
struct ChunkedBody {
  private enum State {
    case size
    /// White space and extensions between a size and the end of its line.
    case afterSize
    case sizeLineFeed
    case data
    case dataEnd
    case dataLineFeed
    case trailer
    case ended
  }

  private var state = State.size
  private var remaining: UInt64 = 0
  private var digits = 0
  private var lineLength = 0
  private var hasExtension = false
  /// RFC 9112 §2.2 lets a lone line feed end a line. It ends a chunk only where it ended the line of its size, or a carriage return
  /// that belongs to the body would be taken for half an end.
  private var usesLineFeeds = false
  /// The beginning of a trailer line.
  private var line: [UInt8] = []
  /// Bytes that came after the end; they belong to nothing.
  private(set) var excess = 0

  /// RFC 9112 §7.1.1 asks for a limit. Extensions mean nothing to anyone here.
  private static let longestSizeLine = 8 << 10
  private static let mostDigits = 16

  /// The whole of the body, with its trailers, has come.
  var isComplete: Bool { state == .ended }

  /// Reads what has come. `found` gets each run of the body, `trailer` each line after it, with its line end, and the empty one.
  /// `trailer` says whether it takes the line; `longestTrailer` bounds what is kept of one.
  mutating func read(
    _ bytes: UnsafeRawBufferPointer, longestTrailer: Int, found: (UnsafeRawBufferPointer) -> Void,
    trailer: (UnsafeRawBufferPointer) -> Bool
  ) throws(FramingProblem) {
    var position = 0
    while position < bytes.count {
      switch state {
      case .data:
        let run = Int(min(remaining, UInt64(bytes.count - position)))
        found(UnsafeRawBufferPointer(rebasing: bytes[position..<position + run]))
        position += run
        remaining -= UInt64(run)
        if remaining == 0 { state = .dataEnd }
      case .trailer:
        guard try readTrailer(bytes, &position, longestTrailer, trailer) else { return }
      case .ended:
        excess += bytes.count - position
        return
      default:
        try step(bytes[position])
        position += 1
      }
    }
  }

  private mutating func step(_ byte: UInt8) throws(FramingProblem) {
    switch state {
    case .size: try readDigit(byte)
    case .afterSize: try skip(byte)
    case .sizeLineFeed:
      guard byte == 0x0A else { throw Self.badSize }
      endSizeLine(usesLineFeed: false)
    case .dataEnd:
      if byte == 0x0D {
        state = .dataLineFeed
      } else if byte == 0x0A, usesLineFeeds {
        beginSizeLine()
      } else {
        throw FramingProblem("A chunk of the response is longer than its size")
      }
    case .dataLineFeed:
      guard byte == 0x0A else { throw FramingProblem("A chunk of the response is longer than its size") }
      beginSizeLine()
    case .data, .trailer, .ended: break
    }
  }

  private mutating func readDigit(_ byte: UInt8) throws(FramingProblem) {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): value = byte - UInt8(ascii: "A") + 10
    default:
      guard digits > 0 else { throw Self.badSize }
      state = .afterSize
      return try skip(byte)
    }
    digits += 1
    guard digits <= Self.mostDigits, remaining <= UInt64(Int64.max) >> 4 else {
      throw FramingProblem("A chunk of the response is larger than there can be")
    }
    remaining = remaining << 4 | UInt64(value)
  }

  private mutating func skip(_ byte: UInt8) throws(FramingProblem) {
    lineLength += 1
    guard lineLength <= Self.longestSizeLine else { throw FramingProblem("A chunk's extensions have no end") }
    switch byte {
    case 0x0D: state = .sizeLineFeed
    case 0x0A: endSizeLine(usesLineFeed: true)
    case UInt8(ascii: ";"): hasExtension = true
    case 0x20, 0x09: break
    default: guard hasExtension else { throw Self.badSize }
    }
  }

  private static let badSize = FramingProblem("The size of a chunk of the response is no hexadecimal number")

  private mutating func beginSizeLine() {
    state = .size
    digits = 0
    lineLength = 0
    hasExtension = false
  }

  private mutating func endSizeLine(usesLineFeed: Bool) {
    usesLineFeeds = usesLineFeed
    state = remaining == 0 ? .trailer : .data
  }

  /// Returns whether to go on.
  private mutating func readTrailer(
    _ bytes: UnsafeRawBufferPointer, _ position: inout Int, _ longest: Int, _ trailer: (UnsafeRawBufferPointer) -> Bool
  ) throws(FramingProblem) -> Bool {
    let start = position
    while position < bytes.count, bytes[position] != 0x0A { position += 1 }
    guard position < bytes.count else {
      // One byte more than is taken, so that the line is seen to be too long.
      line.append(contentsOf: bytes[start...].prefix(max(0, longest + 1 - line.count)))
      if line.count > longest { return line.withUnsafeBytes(trailer) }
      return true
    }
    position += 1
    line.append(contentsOf: bytes[start..<position])
    let isEnd = line.count == 1 || line.count == 2 && line[0] == 0x0D
    if isEnd { state = .ended }
    let isTaken = line.withUnsafeBytes(trailer)
    line.removeAll(keepingCapacity: true)
    return isTaken
  }
}
