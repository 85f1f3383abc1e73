internal import Foundation

/// Checks every text and number of a JSON document, also those that no one reads.
///
/// `JSONDecoder` looks only at the members that the type asks for, so a text in Latin-1, half a surrogate pair or `01` in
/// another member passes, while `JSONSerialization` refuses the document. Both serializers must give the same answer. The
/// structure is the decoder's matter: it reads all of it.
struct JSONTextCheck {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// - Throws: `DecodingError.dataCorrupted` with the line and column of what is wrong.
  static func check(_ data: Data) throws {
    // UTF-16 and UTF-32 have a zero among the first four bytes, or a mark (RFC 4627 §3); the decoder converts those.
    let start = data.prefix(4)
    if start.contains(0) || start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return }
    try data.withUnsafeBytes { raw in
      let bytes = raw.bindMemory(to: UInt8.self)
      guard (try? UTF8Span(validating: bytes.span)) != nil else {
        throw fault("a text is not UTF-8", at: firstInvalidByte(of: bytes), in: bytes)
      }
      var check = JSONTextCheck(bytes: bytes)
      try check.run()
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  private mutating func run() throws {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""): try text()
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
      default: position += 1
      }
    }
  }

  /// A text (RFC 8259 §7), from its opening quote to behind its closing one.
  private mutating func text() throws {
    let opening = position
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw fault("a text holds a control character")
      default: position += 1
      }
    }
    position = opening
    throw fault("a text does not end")
  }

  private mutating func escape() throws {
    guard position + 1 < bytes.count else { throw fault("a text does not end") }
    switch bytes[position + 1] {
    case UInt8(ascii: "u"):
      guard let unit = codeUnit(at: position) else { throw fault("an escape has no four hexadecimal digits") }
      switch unit {
      case 0xD800...0xDBFF:
        guard let second = codeUnit(at: position + 6), 0xDC00...0xDFFF ~= second else {
          throw fault("an escape is half of a surrogate pair")
        }
        position += 12
      case 0xDC00...0xDFFF: throw fault("an escape is half of a surrogate pair")
      default: position += 6
      }
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    default: throw fault("an escape is not known")
    }
  }

  /// The number of `\uXXXX`, or nil if that does not stand at `start`.
  private func codeUnit(at start: Int) -> UInt32? {
    guard start + 6 <= bytes.count, bytes[start] == UInt8(ascii: "\\"), bytes[start + 1] == UInt8(ascii: "u") else {
      return nil
    }
    var value: UInt32 = 0
    for byte in bytes[start + 2..<start + 6] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
    }
    return value
  }

  /// A number (RFC 8259 §6), up to the first byte that cannot belong to one.
  private mutating func number() throws {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let whole = digits()
    guard whole > 0 else { throw fault("a number has no digits", at: start) }
    if whole > 1, bytes[position - whole] == UInt8(ascii: "0") { throw fault("a number begins with 0", at: start) }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard digits() > 0 else { throw fault("a number ends with a point", at: start) }
    }
    var hasExponent = false
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      hasExponent = true
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
        position += 1
      }
      guard digits() > 0 else { throw fault("a number has no digits in its exponent", at: start) }
    }
    if position < bytes.count, Self.isNumeric(bytes[position]) { throw fault("a number is malformed", at: start) }
    guard hasExponent || position - start > 300 else { return }
    let value = Double(String(decoding: bytes[start..<position], as: UTF8.self))
    guard value?.isFinite == true else { throw fault("a number is too large", at: start) }
  }

  private mutating func digits() -> Int {
    let start = position
    while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] { position += 1 }
    return position - start
  }

  private static func isNumeric(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: byte | 0x20 == UInt8(ascii: "e")
    }
  }

  private func fault(_ problem: String, at place: Int? = nil) -> DecodingError {
    Self.fault(problem, at: place ?? position, in: bytes)
  }

  private static func fault(_ problem: String, at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> DecodingError {
    let before = bytes[..<place]
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let column = place - (before.lastIndex(of: UInt8(ascii: "\n")) ?? -1)
    return .dataCorrupted(
      DecodingError.Context(codingPath: [], debugDescription: "\(problem) (line \(line), column \(column))"))
  }

  private static func firstInvalidByte(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    do {
      _ = try UTF8Span(validating: bytes.span)
      return bytes.count
    } catch {
      return error.byteOffsets.lowerBound
    }
  }
}
