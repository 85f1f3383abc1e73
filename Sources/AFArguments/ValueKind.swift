/// What an option takes.
package struct ValueKind: Sendable, Hashable {
  /// How a value is read.
  package enum Form: Sendable, Hashable {
    case text
    case choice([String])
    case integer(ClosedRange<Int>)
    /// A number of seconds, fractions included, up to this many.
    case seconds(upTo: Double)
    /// Bytes: "300", "64K", "1.5M", "2G", by powers of 1024.
    case size
  }

  /// How the help names it: "FILE".
  package let placeholder: String
  package let form: Form
  package let completion: Completion

  init(_ placeholder: String, _ form: Form = .text, _ completion: Completion = .nothing) {
    self.placeholder = placeholder
    self.form = form
    self.completion = completion
  }

  package static func text(_ placeholder: String) -> Self { Self(placeholder) }
  package static func integer(_ placeholder: String, _ range: ClosedRange<Int>) -> Self {
    Self(placeholder, .integer(range))
  }
  package static func seconds(upTo limit: Double = 1e6) -> Self { Self("SECONDS", .seconds(upTo: limit)) }
  package static func size(_ placeholder: String) -> Self { Self(placeholder, .size) }
  package static func choice(_ words: String...) -> Self {
    Self(words.joined(separator: "|"), .choice(words), .words(words))
  }
  package static let file = Self("FILE", .text, .files)
  package static let directory = Self("DIR", .text, .directories)
  package static let host = Self("HOST", .text, .hosts)

  /// What is wrong with a value; nil if nothing is.
  func complaint(about text: String) -> String? {
    switch form {
    case .text: nil
    case .choice(let words): words.contains(text) ? nil : "'\(text)' is none of \(words.joined(separator: ", "))"
    case .integer(let range):
      Int(text).map(range.contains) == true
        ? nil : "'\(text)' is not a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds(let limit):
      Self.seconds(text, upTo: limit) != nil ? nil : "'\(text)' is not a number of seconds up to \(Int(limit))"
    case .size: Self.size(text) != nil ? nil : "'\(text)' is not a number of bytes, such as 300, 64K, 1.5M or 2G"
    }
  }

  static func seconds(_ text: String, upTo limit: Double) -> Double? {
    guard isDecimal(text), let seconds = Double(text), seconds <= limit else { return nil }
    return seconds
  }

  /// The number of bytes that "1.5M" says.
  package static func size(_ text: String) -> Int? {
    var digits = text[...]
    var unit = 1.0
    if let last = text.last, let power = ["K": 1, "M": 2, "G": 3, "T": 4][last.uppercased()] {
      digits = digits.dropLast()
      for _ in 0..<power { unit *= 1024 }
    }
    guard isDecimal(digits), let number = Double(digits), number * unit < 0x1p62 else { return nil }
    return Int(number * unit)
  }

  /// Digits, with a point among them at most: `Double` reads more than people write, such as "nan" and "0x1p3".
  private static func isDecimal(_ text: some StringProtocol) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (1...2).contains(parts.count) && parts.contains { !$0.isEmpty }
      && parts.allSatisfy { $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
  }
}
