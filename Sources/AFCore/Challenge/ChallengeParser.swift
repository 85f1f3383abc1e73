/// Reads challenges and lists of parameters (RFC 9110 §11.2 to §11.4), as they came from a stranger.
///
/// - Fields of one name are one list (§5.3). A parameter that begins a field belongs to the last challenge of the field before.
/// - White space around "=" is read, though nobody should send it. So is an unquoted value of characters that need quotes.
/// - A parameter that is malformed or there twice is left out; the rest of the challenge counts. What remains of an element that
///   cannot be read is skipped, up to the next comma outside quotes.
struct ChallengeParser {
  /// More of either than anybody sends, and few enough that no head takes long.
  static let maximumChallenges = 32
  static let maximumParameters = 32

  private let bytes: [UInt8]
  private var place = 0
  private(set) var challenges: [Challenge]

  /// All challenges in the values of a field, in order, whatever their schemes.
  static func challenges(in values: [[UInt8]]) -> [Challenge] {
    var challenges: [Challenge] = []
    for value in values {
      var parser = ChallengeParser(value, after: challenges)
      parser.readAll()
      challenges = parser.challenges
    }
    return challenges
  }

  /// The parameters of an Authentication-Info or Proxy-Authentication-Info field (RFC 7615 §3).
  static func parameters(in values: [[UInt8]]) -> Challenge {
    var info = [Challenge(scheme: "")]
    for value in values {
      var parser = ChallengeParser(value, after: info)
      parser.readAll()
      info = [parser.challenges[0]]
    }
    return info[0]
  }

  private init(_ bytes: [UInt8], after challenges: [Challenge]) {
    self.bytes = bytes
    self.challenges = challenges
  }

  private mutating func readAll() {
    while true {
      skip { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
      guard place < bytes.count else { return }
      readElement()
      // Between two elements of the list stands a comma.
      skipElement()
    }
  }

  /// A scheme, with what follows it, or a parameter.
  private mutating func readElement() {
    guard let name = readToken() else { return }
    let end = place
    skip(Self.isSpace)
    if byte == UInt8(ascii: "=") { return readValue(name) }
    guard end == bytes.count || bytes[end] == UInt8(ascii: ",") || place > end,
      challenges.count < Self.maximumChallenges
    else { return }
    challenges.append(Challenge(scheme: name))
    if let text = readToken68() {
      challenges[challenges.count - 1].token68 = text
    } else if let name = readToken() {
      skip(Self.isSpace)
      if byte == UInt8(ascii: "=") { readValue(name) }
    }
  }

  /// What follows a parameter's name, from the "=" on.
  private mutating func readValue(_ name: String) {
    place += 1
    skip(Self.isSpace)
    let value = byte == UInt8(ascii: "\"") ? readQuoted() : readUnquoted()
    skip(Self.isSpace)
    guard let value, place == bytes.count || byte == UInt8(ascii: ","), let last = challenges.indices.last,
      challenges[last].parameters.count < Self.maximumParameters, challenges[last][name] == nil
    else { return }
    challenges[last].parameters.append(Challenge.Parameter(name: name, value: value))
  }

  private var byte: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
    while let byte, isSkipped(byte) { place += 1 }
  }

  /// To the next comma outside quotes.
  private mutating func skipElement() {
    while let byte, byte != UInt8(ascii: ",") {
      if byte == UInt8(ascii: "\"") { _ = readQuoted() } else { place += 1 }
    }
  }

  /// A token in lower case.
  private mutating func readToken() -> String? {
    let start = place
    skip(Self.isTokenByte)
    guard place > start else { return nil }
    return String(decoding: bytes[start..<place].map(\.asciiLowercased), as: UTF8.self)
  }

  /// A token68 that is all there is up to the next comma; else nothing is read.
  private mutating func readToken68() -> String? {
    let start = place
    skip(Self.isToken68Byte)
    guard place > start else { return nil }
    skip { $0 == UInt8(ascii: "=") }
    let end = place
    skip(Self.isSpace)
    guard place == bytes.count || byte == UInt8(ascii: ",") else {
      place = start
      return nil
    }
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }

  private mutating func readUnquoted() -> [UInt8]? {
    let start = place
    skip { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    return place > start ? Array(bytes[start..<place]) : nil
  }

  /// The content of a quoted-string, escapes undone (RFC 9110 §5.6.4); nil if it does not end, or holds a control character.
  private mutating func readQuoted() -> [UInt8]? {
    place += 1
    var value: [UInt8] = []
    var isSound = true
    while let next = byte {
      place += 1
      var next = next
      if next == UInt8(ascii: "\"") { return isSound ? value : nil }
      if next == UInt8(ascii: "\\") {
        guard let escaped = byte else { return nil }
        place += 1
        next = escaped
      }
      if next < 0x20 && next != 0x09 || next == 0x7F { isSound = false }
      value.append(next)
    }
    return nil
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  private static func isToken68Byte(_ byte: UInt8) -> Bool { isAlphanumeric(byte) || "-._~+/".utf8.contains(byte) }
}
