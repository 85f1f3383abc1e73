/// How many columns of a terminal a text takes.
enum DisplayWidth {
  static func of(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  /// The text in exactly `width` columns: cut with an ellipsis in its middle, where names differ least, or filled with spaces.
  static func fitted(_ text: String, to width: Int) -> String {
    let own = of(text)
    guard own > width else { return text + String(repeating: " ", count: width - own) }
    guard width > 1 else { return String(repeating: " ", count: max(0, width)) }
    let tail = suffix(text, (width - 1) / 2)
    let front = prefix(text, width - 1 - of(tail))
    let result = front + "…" + tail
    return result + String(repeating: " ", count: width - of(result))
  }

  private static func prefix(_ text: String, _ width: Int) -> String {
    var result = ""
    var used = 0
    for character in text {
      let next = of(String(character))
      guard used + next <= width else { break }
      result.append(character)
      used += next
    }
    return result
  }

  private static func suffix(_ text: String, _ width: Int) -> String {
    String(prefix(String(text.reversed()), width).reversed())
  }

  /// The blocks of the wide scripts and of emoji (UAX #11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
  ]

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: 0
    default: wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }
}
