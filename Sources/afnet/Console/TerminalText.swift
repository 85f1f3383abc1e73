import Foundation

/// Text from a server on its way to a terminal: line ends and tabs stay, everything else that moves the cursor, changes colours or the
/// direction of text, or cannot be seen, is escaped.
struct TerminalText {
  /// The bytes of a character whose end has not come yet.
  private var tail: [UInt8] = []

  /// The next piece as it may be shown.
  mutating func add(_ bytes: some Sequence<UInt8>) -> String {
    var all = tail
    all.append(contentsOf: bytes)
    let end = Self.completeCount(all)
    tail = Array(all[end...])
    return Self.shown(String(decoding: all[..<end], as: UTF8.self))
  }

  /// What is left at the end.
  mutating func finish() -> String {
    defer { tail = [] }
    return Self.shown(String(decoding: tail, as: UTF8.self))
  }

  /// How many of the bytes are not the beginning of a character that goes on behind them.
  private static func completeCount(_ bytes: [UInt8]) -> Int {
    for back in 1...3 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte < 0x80 { return bytes.count }
      guard byte >= 0xC0 else { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      return length > back ? bytes.count - back : bytes.count
    }
    return bytes.count
  }

  static func shown(_ text: String) -> String {
    if text.utf8.allSatisfy({ ($0 >= 0x20 && $0 < 0x7F) || $0 == 0x0A || $0 == 0x09 }) { return text }
    var result = String.UnicodeScalarView()
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.popFirst() {
      if scalar == "\r", rest.first == "\n" { continue }
      if scalar == "\n" || scalar == "\t" || !scalar.isUnsafeOnTerminal {
        result.append(scalar)
      } else {
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
      }
    }
    return String(result)
  }

  /// Whether a body is no text, by the look of its first bytes.
  static func looksBinary(_ bytes: some Collection<UInt8>) -> Bool {
    let start = Array(bytes.prefix(4096))
    if start.contains(0) { return true }
    let replaced = String(decoding: start[..<completeCount(start)], as: UTF8.self).unicodeScalars.filter {
      $0 == "\u{FFFD}"
    }
    return replaced.count * 10 > start.count
  }
}

extension Unicode.Scalar {
  var isUnsafeOnTerminal: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
    default: false
    }
  }
}
