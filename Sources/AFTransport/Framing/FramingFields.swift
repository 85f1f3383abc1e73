import Glibc

/// What `Content-Length` and `Transfer-Encoding` say, gathered in one walk over a head's bytes: every response comes through here.
struct FramingFields {
  private(set) var hasContentLength = false
  private(set) var hasTransferEncoding = false
  private(set) var length: Int64?
  private(set) var lengthProblem: FramingProblem?
  private(set) var nameProblem: FramingProblem?
  /// In order, in lower case, of all fields.
  private(set) var codings: [String] = []
  private(set) var isFolded = false

  private static let contentLength: StaticString = "content-length"
  private static let transferEncoding: StaticString = "transfer-encoding"

  mutating func read(_ head: UnsafeBufferPointer<UInt8>) {
    var end = Self.lineEnd(head, from: 0)
    while end < head.count {
      let start = end + 1
      end = Self.lineEnd(head, from: start)
      let name: StaticString
      if Self.begins(head, at: start, with: Self.contentLength) {
        name = Self.contentLength
      } else if Self.begins(head, at: start, with: Self.transferEncoding) {
        name = Self.transferEncoding
      } else {
        continue
      }
      var colon = start + name.utf8CodeUnitCount
      let isSpaced = colon < end && Self.isBlank(head[colon])
      while colon < end, Self.isBlank(head[colon]) { colon += 1 }
      guard colon < end, head[colon] == UInt8(ascii: ":") else { continue }
      // RFC 9112 §5.1: one takes the field for what it is, another for one of another name.
      if isSpaced { nameProblem = FramingProblem("White space stands between \"\(name)\" and its colon") }
      var valueEnd = end
      // RFC 9112 §5.2: a line that begins with white space goes on with the field.
      while end + 1 < head.count, Self.isBlank(head[end + 1]) {
        isFolded = true
        end = Self.lineEnd(head, from: end + 1)
        valueEnd = end
      }
      let value = UnsafeBufferPointer(rebasing: head[(colon + 1)..<valueEnd])
      if name.utf8CodeUnitCount == Self.contentLength.utf8CodeUnitCount {
        readLength(value)
      } else {
        readCodings(value)
      }
    }
  }

  private mutating func readLength(_ value: UnsafeBufferPointer<UInt8>) {
    hasContentLength = true
    Self.forEachElement(value) { element in
      guard let number = Self.decimal(element) else {
        let shown = String(decoding: element.prefix(40), as: UTF8.self)
        lengthProblem = FramingProblem("The response's Content-Length is no length: \"\(shown)\"")
        return
      }
      if let length, length != number {
        lengthProblem = FramingProblem("The response has two lengths, \(length) and \(number)")
      }
      length = number
    }
  }

  private mutating func readCodings(_ value: UnsafeBufferPointer<UInt8>) {
    hasTransferEncoding = true
    Self.forEachElement(value) { element in
      // A list may have empty elements (RFC 9110 §5.6.1.2).
      if !element.isEmpty { codings.append(String(decoding: element, as: UTF8.self).lowercased()) }
    }
  }

  /// Digits alone, and no more than an `Int64` holds.
  private static func decimal(_ digits: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = tens.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      guard !overflows, !overflowsToo else { return nil }
      number = sum
    }
    return number
  }

  /// The elements of a list, white space around each left out.
  private static func forEachElement(
    _ list: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var start = 0
    while start <= list.count {
      var end = start
      while end < list.count, list[end] != UInt8(ascii: ",") { end += 1 }
      var first = start
      var last = end
      while first < last, isSpace(list[first]) { first += 1 }
      while last > first, isSpace(list[last - 1]) { last -= 1 }
      body(UnsafeBufferPointer(rebasing: list[first..<last]))
      start = end + 1
    }
  }

  private static func begins(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int, with name: StaticString) -> Bool {
    let count = name.utf8CodeUnitCount
    guard start + count < bytes.count, bytes[start] | 0x20 == name.utf8Start[0] else { return false }
    for index in 1..<count {
      let byte = bytes[start + index]
      let isLetter = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
      guard (isLetter ? byte | 0x20 : byte) == name.utf8Start[index] else { return false }
    }
    return true
  }

  private static func lineEnd(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
    else { return bytes.count }
    return found - UnsafeMutableRawPointer(mutating: base)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  private static func isSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x0D || byte == 0x0A }
}
