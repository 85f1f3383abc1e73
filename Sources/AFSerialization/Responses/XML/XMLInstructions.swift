internal import Foundation

/// Puts a space into processing instructions that have a target and nothing else: `<?break?>` becomes `<?break ?>`.
///
/// They mean the same, and the first one crashes Foundation's event parser on Linux, whoever the delegate is. Comments and
/// CDATA sections, in which it is text, are left alone in a well-formed document. In another one nobody knows what the parser
/// will take for an instruction, so there everything that looks like one is changed. A document without any stays as it is.
enum XMLInstructions {
  static func repaired(_ data: Data) -> Data {
    let everywhere = repaired(data, skipsText: false)
    guard everywhere.count > data.count, (try? XMLGuard.check(everywhere)) != nil else { return everywhere }
    return repaired(data, skipsText: true)
  }

  private static func repaired(_ data: Data, skipsText: Bool) -> Data {
    let start = Array(data.prefix(4))
    if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0x3C, 0]) {
      return repaired(data, skipsText: skipsText, width: 2, low: 0)
    }
    if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0, 0x3C]) {
      return repaired(data, skipsText: skipsText, width: 2, low: 1)
    }
    return repaired(data, skipsText: skipsText, width: 1, low: 0)
  }

  /// `width` is the number of bytes of a character, of which the one at `low` counts; the others are zero in ASCII.
  private static func repaired(_ data: Data, skipsText: Bool, width: Int, low: Int) -> Data {
    let places = data.withUnsafeBytes { bytes in
      var scanner = Scanner(bytes: bytes, width: width, low: low)
      return scanner.bareInstructionEnds(skipsText: skipsText)
    }
    guard !places.isEmpty else { return data }
    var result = Data(capacity: data.count + width * places.count)
    var copied = 0
    let space: [UInt8] = width == 1 ? [0x20] : low == 0 ? [0x20, 0] : [0, 0x20]
    for place in places {
      result += data.dropFirst(copied).prefix(place * width - copied)
      result += space
      copied = place * width
    }
    return result + data.dropFirst(copied)
  }

  private struct Scanner {
    let bytes: UnsafeRawBufferPointer
    let width: Int
    let low: Int
    var position = 0

    var count: Int { bytes.count / width }

    init(bytes: UnsafeRawBufferPointer, width: Int, low: Int) {
      self.bytes = bytes
      self.width = width
      self.low = low
    }

    /// Where the ends of bare instructions begin, in characters.
    mutating func bareInstructionEnds(skipsText: Bool) -> [Int] {
      var places: [Int] = []
      while position < count {
        if skipsText, skip("<!--") {
          skipPast("-->")
        } else if skipsText, skip("<![CDATA[") {
          skipPast("]]>")
        } else if skip("<?") {
          let target = position
          while position < count, !isSpace(position), !isAt("<", position), !isAt("?>", position) { position += 1 }
          if position > target, isAt("?>", position) { places.append(position) }
          if skipsText { skipPast("?>") }
        } else {
          position += 1
        }
      }
      return places
    }

    private func isSpace(_ index: Int) -> Bool {
      [0x20, 9, 10, 13].contains(character(index))
    }

    /// The character as far as it is ASCII; 255 for others.
    private func character(_ index: Int) -> UInt8 {
      if width == 1 { return bytes[index] }
      return bytes[index * 2 + 1 - low] == 0 ? bytes[index * 2 + low] : 255
    }

    private func isAt(_ text: StaticString, _ index: Int) -> Bool {
      guard index + text.utf8CodeUnitCount <= count else { return false }
      for offset in 0..<text.utf8CodeUnitCount where character(index + offset) != text.utf8Start[offset] {
        return false
      }
      return true
    }

    private mutating func skip(_ text: StaticString) -> Bool {
      guard isAt(text, position) else { return false }
      position += text.utf8CodeUnitCount
      return true
    }

    private mutating func skipPast(_ text: StaticString) {
      while position < count, !isAt(text, position) { position += 1 }
      position = min(count, position + text.utf8CodeUnitCount)
    }
  }
}
