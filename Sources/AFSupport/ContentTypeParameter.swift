/// Reads the parameters of a Content-Type (RFC 9110 §5.6.6, §8.3.1): `text/plain; Charset="utf-8"; x=y`.
package enum ContentTypeParameter {
  /// The value of the first parameter of this name, in any letter case, without quotes and escapes. Nil if there is none.
  ///
  /// Whatever the text is, an answer comes in linear time; what makes no sense is passed over up to the next semicolon.
  package static func value(of name: String, in header: String) -> String? {
    var rest = Array(header.utf8)[...]
    // The type itself has no quotes.
    rest = rest.drop { $0 != semicolon }
    while rest.popFirst() != nil {
      rest = rest.drop(while: isSpace)
      let found = rest.prefix(while: HTTPHeaderValidation.isTokenByte)
      rest = rest.dropFirst(found.count)
      if rest.first == UInt8(ascii: "=") {
        rest = rest.dropFirst()
        let value = takeValue(&rest)
        if let value, HTTPHeaderFields.isSame(String(decoding: found, as: UTF8.self), name) { return value }
      }
      rest = rest.drop { $0 != semicolon }
    }
    return nil
  }

  private static let semicolon = UInt8(ascii: ";")

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  /// Takes a token or a quoted string from the front; nil for a quoted string without an end.
  private static func takeValue(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard rest.first == UInt8(ascii: "\"") else {
      let token = rest.prefix(while: HTTPHeaderValidation.isTokenByte)
      rest = rest.dropFirst(token.count)
      return String(decoding: token, as: UTF8.self)
    }
    rest = rest.dropFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"): if let escaped = rest.popFirst() { bytes.append(escaped) }
      default: bytes.append(byte)
      }
    }
    return nil
  }
}
