/// The last look at a request before it becomes bytes: whatever could end a line, or a field, early is refused.
enum RequestCheck {
  /// What is wrong with the request, for people; nil if nothing is.
  static func problem(_ request: TransferRequest) -> String? {
    guard !request.method.isEmpty, request.method.utf8.allSatisfy(isTokenByte) else {
      return "The method is not a token: \(request.method.debugDescription)"
    }
    guard request.url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return "The URL holds a character that must be escaped"
    }
    for field in request.headers {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenByte) else {
        return "A header field's name is not a token: \(field.name.debugDescription)"
      }
      // The value is not repeated: it may be a secret.
      guard field.value.utf8.allSatisfy({ $0 != 0x0D && $0 != 0x0A && $0 != 0 }) else {
        return "The value of header field \(field.name) holds a line break or a NUL"
      }
    }
    return nil
  }

  /// RFC 9110 §5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
      UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
