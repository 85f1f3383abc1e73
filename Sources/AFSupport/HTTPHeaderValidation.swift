/// What is wrong with a request method or a header field: it could end its line and start another one.
package enum HTTPHeaderFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A method must be a token (RFC 9110 §9.1).
  case method(String)
  /// A field name must be a token (RFC 9110 §5.1).
  case fieldName(String)
  /// A value must not hold CR, LF or NUL (RFC 9110 §5.5). The value itself may be a secret and is not kept.
  case fieldValue(name: String, byte: UInt8)

  package var description: String {
    switch self {
    case .method(let method): "\"\(method.printable(limit: 200))\" is not an HTTP method"
    case .fieldName(let name): "\"\(name.printable(limit: 200))\" is not a header field name"
    case .fieldValue(let name, let byte):
      "the value of header field \"\(name.printable(limit: 200))\" holds \(byte == 13 ? "CR" : byte == 10 ? "LF" : "NUL")"
    }
  }
}

/// The check that keeps text from elsewhere from becoming a header line, or a request, of its own.
package enum HTTPHeaderValidation {
  /// Finds what is wrong with a method. Any token is a method, known or not.
  package static func fault(inMethod method: String) -> HTTPHeaderFault? {
    isToken(method) ? nil : .method(method)
  }

  /// Finds what is wrong with a header field. A value may hold any other byte, so UTF-8 is sent as it is given.
  package static func fault(inField name: String, value: String) -> HTTPHeaderFault? {
    guard isToken(name) else { return .fieldName(name) }
    if value.allBytesSatisfy({ !endsField($0) }) { return nil }
    return value.utf8.first(where: endsField).map { .fieldValue(name: name, byte: $0) }
  }

  private static func endsField(_ byte: UInt8) -> Bool { byte == 13 || byte == 10 || byte == 0 }

  /// Whether the text is a token: one or more visible ASCII characters other than delimiters (RFC 9110 §5.6.2).
  package static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.allBytesSatisfy(isTokenByte)
  }

  package static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default:
      false
    }
  }
}

extension String {
  /// The same as `utf8.allSatisfy`, over the bytes where they are: several times as fast, and every request is looked at.
  @inline(__always)
  package func allBytesSatisfy(_ predicate: (UInt8) -> Bool) -> Bool {
    utf8.withContiguousStorageIfAvailable { $0.allSatisfy(predicate) } ?? utf8.allSatisfy(predicate)
  }
}
