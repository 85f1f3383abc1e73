import Glibc

/// A response's status line and fields, kept as the bytes that came. Nothing is parsed before it is asked for.
package struct ResponseHead: Sendable {
  /// The status line and every field line, each with its line end, without the blank line. One line a field, and no value has a
  /// NUL or a CR; apart from that they are what came.
  package let bytes: [UInt8]
  /// The same before anything was repaired: libcurl goes by these.
  let received: [UInt8]
  package let statusCode: Int

  package init(bytes: [UInt8]) {
    received = bytes
    self.bytes = Self.cleaned(bytes)
    statusCode = Self.statusCode(of: bytes)
  }

  /// "HTTP/1.1", "HTTP/2", …
  package var httpVersion: String {
    String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
  }

  /// The words after the status code; empty when there are none.
  package var reasonPhrase: String {
    let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    return parts.count > 2 ? Self.text(parts[2]) : ""
  }

  /// The first value of a field, by any letter case of its name, or nil.
  package func value(_ name: String) -> String? {
    valueRange(name).map { Self.text(bytes[$0]) }
  }

  /// The bytes of the first value of a field, as they came, or nil.
  package func valueBytes(_ name: String) -> ArraySlice<UInt8>? {
    valueRange(name).map { bytes[$0] }
  }

  /// Where the first value of a field stands. Every response is asked for a few fields, so this looks at the bytes where
  /// they are and makes nothing of the lines that are others.
  private func valueRange(_ name: String) -> Range<Int>? {
    var name = name
    return name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        var end = Self.lineEnd(bytes, from: 0)
        while end < bytes.count {
          let start = end + 1
          end = Self.lineEnd(bytes, from: start)
          let colon = start + name.count
          guard colon < end, bytes[colon] == UInt8(ascii: ":"), !name.isEmpty,
            Self.equal(UnsafeBufferPointer(rebasing: bytes[start..<colon]), name)
          else { continue }
          return Self.trimmed(bytes, colon + 1, end)
        }
        return nil
      }
    }
  }

  /// Whether one of these fields is there, found in one walk over the bytes.
  package func hasField(in names: [StaticString]) -> Bool {
    bytes.withUnsafeBufferPointer { bytes in
      var end = Self.lineEnd(bytes, from: 0)
      while end < bytes.count {
        let start = end + 1
        end = Self.lineEnd(bytes, from: start)
        for name in names {
          let colon = start + name.utf8CodeUnitCount
          guard colon < end, bytes[colon] == UInt8(ascii: ":") else { continue }
          let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
          if Self.equal(UnsafeBufferPointer(rebasing: bytes[start..<colon]), name) { return true }
        }
      }
      return false
    }
  }

  private static func lineEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
    else { return bytes.count }
    return found - UnsafeMutableRawPointer(mutating: base)
  }

  private static func equal(_ bytes: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
    for index in bytes.indices where bytes[index] != name[index] {
      guard isSameLetter(bytes[index], name[index]) else { return false }
    }
    return true
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

  /// Letters differ by 0x20 alone; nothing else that a field name may hold does.
  private static func isSameLetter(_ left: UInt8, _ right: UInt8) -> Bool {
    left ^ right == 0x20 && (left | 0x20) >= UInt8(ascii: "a") && (left | 0x20) <= UInt8(ascii: "z")
  }

  /// Every value of a field, in order.
  package func values(_ name: String) -> [String] {
    var found: [String] = []
    forEachField { fieldName, value in
      if Self.equal(fieldName, name) { found.append(Self.text(value)) }
    }
    return found
  }

  /// Every value of a field as it came, in order.
  package func bytes(of name: String) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    forEachField { if Self.equal($0, name) { found.append($1) } }
    return found
  }

  /// All fields in order, names as they came.
  package var fields: [(name: String, value: String)] {
    var all: [(name: String, value: String)] = []
    forEachField { all.append((Self.text($0), Self.text($1))) }
    return all
  }

  /// The length that the head announces for the body as transferred, or nil: there is none, or it is no number.
  package var contentLength: Int64? {
    guard let range = valueRange("Content-Length") else { return nil }
    return Self.number(bytes[range])
  }

  /// Calls `body` with name and value of every field, white space around the value left out (RFC 9112 §5). Lines that are none
  /// because what stands before the colon cannot be a name are left out as well.
  package func forEachField(_ body: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
    bytes.withUnsafeBufferPointer { buffer in
      var end = Self.lineEnd(buffer, from: 0)
      while end < buffer.count {
        let start = end + 1
        end = Self.lineEnd(buffer, from: start)
        var colon = start
        while colon < end, HTTPToken.contains(buffer[colon]) { colon += 1 }
        guard colon > start, colon < end, buffer[colon] == UInt8(ascii: ":") else { continue }
        body(bytes[start..<colon], bytes[Self.trimmed(buffer, colon + 1, end)])
      }
    }
  }

  /// Bytes as text: UTF-8 if they are, ISO-8859-1 if not, so that nothing is lost.
  static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Range<Int> {
    var first = start
    var last = end
    while first < last, isSpace(bytes[first]) { first += 1 }
    while last > first, isSpace(bytes[last - 1]) { last -= 1 }
    return first..<last
  }

  static func equal(_ bytes: ArraySlice<UInt8>, _ name: String) -> Bool {
    let other = name.utf8
    guard bytes.count == other.count else { return false }
    for (left, right) in zip(bytes, other) where left != right {
      guard isSameLetter(left, right) else { return false }
    }
    return true
  }

  /// Digits alone (RFC 9110 §8.6), and not more than a length can have.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard !bytes.isEmpty else { return nil }
    var number: Int64 = 0
    for byte in bytes {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (tens, isVast) = number.multipliedReportingOverflow(by: 10)
      let (next, isLarge) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      guard !isVast, !isLarge else { return nil }
      number = next
    }
    return number
  }

  /// The status code of a head whose first bytes these are, or 0.
  static func statusCode(of bytes: [UInt8]) -> Int {
    // Of the status line alone.
    guard let space = bytes.firstIndex(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }),
      bytes[space] == UInt8(ascii: " ")
    else { return 0 }
    var code = 0
    for byte in bytes[(space + 1)...].prefix(3) {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return 0 }
      code = code * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return code
  }
}
