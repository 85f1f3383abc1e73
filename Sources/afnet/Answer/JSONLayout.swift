import Foundation

/// JSON laid out for people: the same tokens in the same order, numbers as they came, on lines of their own and in colours.
struct JSONLayout {
  /// What stands in front of a token, and behind it.
  private enum Colour: String {
    case key = "\u{1B}[34m"
    case string = "\u{1B}[32m"
    case number = "\u{1B}[36m"
    case word = "\u{1B}[33m"
  }

  /// Deeper values are not laid out: their indentation would be most of the text.
  private static let maximumDepth = 200

  private let bytes: [UInt8]
  private let hasColours: Bool
  private var position = 0
  private var output = ""

  /// The text laid out; nil if it is not JSON.
  static func text(_ data: Data, colours: Bool) -> String? {
    var layout = JSONLayout(bytes: Array(data), hasColours: colours)
    layout.skipSpace()
    guard layout.value(depth: 0) else { return nil }
    layout.skipSpace()
    return layout.position == layout.bytes.count ? layout.output : nil
  }

  private init(bytes: [UInt8], hasColours: Bool) {
    self.bytes = bytes
    self.hasColours = hasColours
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private mutating func take(_ character: Character) -> Bool {
    guard let byte = next, byte == character.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) -> Bool {
    guard depth <= Self.maximumDepth, let byte = next else { return false }
    switch byte {
    case UInt8(ascii: "{"): return members("{", "}", depth, hasKeys: true)
    case UInt8(ascii: "["): return members("[", "]", depth, hasKeys: false)
    case UInt8(ascii: "\""): return string(.string)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    default: return ["true", "false", "null"].contains { word($0) }
    }
  }

  private mutating func members(_ open: Character, _ close: Character, _ depth: Int, hasKeys: Bool) -> Bool {
    position += 1
    output.append(open)
    skipSpace()
    if take(close) {
      output.append(close)
      return true
    }
    repeat {
      newLine(depth + 1)
      skipSpace()
      if hasKeys {
        guard next == UInt8(ascii: "\""), string(.key) else { return false }
        skipSpace()
        guard take(":") else { return false }
        output += ": "
        skipSpace()
      }
      guard value(depth: depth + 1) else { return false }
      skipSpace()
      guard take(",") else { break }
      output += ","
    } while true
    newLine(depth)
    output.append(close)
    return take(close)
  }

  private mutating func newLine(_ depth: Int) { output += "\n" + String(repeating: "  ", count: depth) }

  private mutating func string(_ colour: Colour) -> Bool {
    let start = position
    position += 1
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""):
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        add(Self.escapingUnseen(text), colour)
        return true
      case UInt8(ascii: "\\"): position += 1
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func number() -> Bool {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil else { return false }
    add(text, .number)
    return true
  }

  private mutating func word(_ word: String) -> Bool {
    guard bytes[position...].starts(with: word.utf8) else { return false }
    position += word.utf8.count
    add(word, .word)
    return true
  }

  private mutating func add(_ token: String, _ colour: Colour) {
    output += hasColours ? colour.rawValue + token + "\u{1B}[0m" : token
  }

  /// What cannot be seen, or moves the cursor, in JSON's own escapes: the value stays the same.
  private static func escapingUnseen(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      guard scalar.isUnsafeOnTerminal else {
        result.unicodeScalars.append(scalar)
        continue
      }
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      }
    }
    return result
  }
}
