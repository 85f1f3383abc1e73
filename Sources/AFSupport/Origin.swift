internal import Foundation

/// Scheme, host and port of an http or https URL (RFC 9110 §4.3.1, RFC 6454 §4): what credentials, cookies, tokens and
/// connections belong to. The port is the effective one; scheme and host are compared without regard to letter case.
///
/// The grammar is so strict that every parser agrees on it. libcurl and Foundation read odd URLs differently (pitfall 27): a
/// name checked by one would then not be the name that the other connects to. So whatever is odd — escapes, backslashes,
/// spaces — is refused, and a URL without an origin has it in common with no other.
package struct Origin: Hashable, Sendable {
  package let isSecure: Bool
  /// In lower case; an IPv6 address without its brackets.
  package let host: String
  package let port: Int

  /// The origin of a URL that has no user information.
  package init?(url: String) {
    var url = url
    guard let origin = url.withUTF8({ Self(bytes: $0) }) else { return nil }
    self = origin
  }

  /// The origin of a URL; user information is left out.
  package init?(_ url: String) {
    self.init(url: url.utf8.contains(UInt8(ascii: "@")) ? url.withoutUserInfo : url)
  }

  /// "http" or "https".
  package var scheme: String { isSecure ? "https" : "http" }

  /// Whether two URLs have one origin; no if either has none.
  package static func areSame(_ first: String, _ second: String) -> Bool {
    guard let origin = Origin(first) else { return false }
    return origin == Origin(second)
  }

  /// Every request comes by here, so this looks at the bytes where they are.
  private init?(bytes: UnsafeBufferPointer<UInt8>) {
    let rest: Slice<UnsafeBufferPointer<UInt8>>
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
    let hostPart: Slice<UnsafeBufferPointer<UInt8>>
    let afterHost: Slice<UnsafeBufferPointer<UInt8>>
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
    let name = String(decoding: hostPart, as: UTF8.self)
    host = name.utf8.contains(where: { $0 >= 0x41 && $0 <= 0x5A }) ? name.lowercased() : name
    if afterHost.isEmpty {
      port = isSecure ? 443 : 80
    } else {
      let digits = afterHost.dropFirst()
      guard afterHost.first == UInt8(ascii: ":"), digits.count <= 5,
        digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        case let number = digits.isEmpty ? (isSecure ? 443 : 80) : digits.reduce(0, { $0 * 10 + Int($1 - 0x30) }),
        (1...65535).contains(number)
      else { return nil }
      port = number
    }
  }

  private static func hasPrefix(_ bytes: UnsafeBufferPointer<UInt8>, _ prefix: StaticString) -> Bool {
    guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
    return (0..<prefix.utf8CodeUnitCount).allSatisfy { index in
      let byte = bytes[index]
      return (byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte) == prefix.utf8Start[index]
    }
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

extension String {
  /// A URL without user and password, as it may be shown.
  package var withoutUserInfo: String {
    guard let scheme = range(of: "://") else { return self }
    let authority = self[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard let at = authority.lastIndex(of: "@") else { return self }
    return String(self[..<scheme.upperBound] + self[index(after: at)...])
  }
}
