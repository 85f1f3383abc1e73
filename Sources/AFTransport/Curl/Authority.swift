/// Scheme, host and port of a URL, by a grammar so strict that every parser agrees on it.
///
/// libcurl and Foundation read odd URLs differently (pitfall 27): a name checked by one would then not be the name that the
/// other connects to. So whatever is odd — user information, escapes, backslashes, spaces — is refused.
struct Authority: Hashable, Sendable {
  let isSecure: Bool
  /// In lower case; an IPv6 address without its brackets.
  let host: String
  let port: Int

  init?(url: String) {
    let bytes = url.utf8
    let rest: Substring.UTF8View
    if Self.hasPrefix(bytes, "http://") {
      isSecure = false
      rest = bytes.dropFirst(7)
    } else if Self.hasPrefix(bytes, "https://") {
      isSecure = true
      rest = bytes.dropFirst(8)
    } else {
      return nil
    }
    let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let hostPart: Substring.UTF8View
    let afterHost: Substring.UTF8View
    if authority.first == UInt8(ascii: "[") {
      guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      hostPart = authority[authority.index(after: authority.startIndex)..<end]
      afterHost = authority[authority.index(after: end)...]
      guard hostPart.allSatisfy({ Self.isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else {
        return nil
      }
    } else {
      hostPart = authority.prefix { $0 != UInt8(ascii: ":") }
      afterHost = authority[hostPart.endIndex...]
      guard hostPart.allSatisfy(Self.isNameByte) else { return nil }
    }
    guard !hostPart.isEmpty else { return nil }
    host = String(Substring(hostPart)).lowercased()
    if afterHost.isEmpty {
      port = isSecure ? 443 : 80
    } else {
      let digits = afterHost.dropFirst()
      guard afterHost.first == UInt8(ascii: ":"), digits.count <= 5,
        digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        let number = digits.isEmpty ? (isSecure ? 443 : 80) : Int(Substring(digits)), (1...65535).contains(number)
      else { return nil }
      port = number
    }
  }

  private static func hasPrefix(_ bytes: String.UTF8View, _ prefix: String) -> Bool {
    var iterator = bytes.makeIterator()
    for expected in prefix.utf8 {
      guard let byte = iterator.next() else { return false }
      let lowered = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
      guard lowered == expected else { return false }
    }
    return true
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "~")
  }
}
