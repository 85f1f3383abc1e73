/// Of a request's URL, what decides about cookies. Made from the text, by a grammar so strict that libcurl cannot read another
/// host in it; a URL outside of that takes part in no cookies.
struct CookieURL: Equatable, Sendable {
  /// Whether the scheme is https. Nothing else counts as secure, also not http to this machine.
  let isSecure: Bool
  /// In lower case; an IPv6 address without its brackets.
  let host: String
  /// Never empty, escapes as they are.
  let path: String

  init?(_ url: String) {
    let bytes = Array(url.utf8)
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: Array("://".utf8)) else {
      return nil
    }
    switch String(decoding: bytes[..<colon].map(\.asciiLowercased), as: UTF8.self) {
    case "https": isSecure = true
    case "http": isSecure = false
    default: return nil
    }
    let rest = bytes[(colon + 3)...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    var authority = rest.prefix { $0 != UInt8(ascii: "/") }
    let path = rest[authority.endIndex...]
    if let at = authority.lastIndex(of: UInt8(ascii: "@")) { authority = authority[(at + 1)...] }
    guard let host = Self.host(authority) else { return nil }
    self.host = host
    self.path = path.isEmpty ? "/" : String(decoding: path, as: UTF8.self)
  }

  private static func host(_ authority: ArraySlice<UInt8>) -> String? {
    let name: ArraySlice<UInt8>
    if authority.first == UInt8(ascii: "[") {
      name = authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
      guard name.endIndex < authority.endIndex, name.allSatisfy(isAddressByte) else { return nil }
    } else {
      name = authority.prefix { $0 != UInt8(ascii: ":") }
      guard name.allSatisfy(isNameByte) else { return nil }
    }
    return name.isEmpty ? nil : String(decoding: name.map(\.asciiLowercased), as: UTF8.self)
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x3A, 0x41...0x46, 0x61...0x66, UInt8(ascii: "."): true
    default: false
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Whether both hosts lie in one registered domain.
  func isSameSite(as other: CookieURL) -> Bool {
    PublicSuffixes.shared.registrableDomain(of: host) == PublicSuffixes.shared.registrableDomain(of: other.host)
  }

  /// The path of cookies that name none (RFC 6265bis §5.1.4): the directory, without its last slash.
  var defaultPath: String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}

/// What matches what (RFC 6265bis §5.1.3 and §5.1.4).
enum CookieMatching {
  /// Whether `host` is `domain` or lies in it. Both in lower case. Nothing lies in an address.
  static func domain(_ host: String, in domain: String) -> Bool {
    if host == domain { return true }
    guard !domain.isEmpty, host.utf8.count > domain.utf8.count else { return false }
    let rest = host.utf8.dropLast(domain.utf8.count)
    return rest.last == UInt8(ascii: ".") && host.utf8.suffix(domain.utf8.count).elementsEqual(domain.utf8)
      && !isAddress(host)
  }

  /// Whether `path` is `cookiePath` or lies beneath it.
  static func path(_ path: String, in cookiePath: String) -> Bool {
    guard path.utf8.starts(with: cookiePath.utf8) else { return false }
    let rest = path.utf8.dropFirst(cookiePath.utf8.count)
    return rest.isEmpty || cookiePath.utf8.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
  }

  /// Whether a host is an address: IPv6, or a name that ends in a number, as every form of an IPv4 address does.
  static func isAddress(_ host: String) -> Bool {
    if host.utf8.contains(UInt8(ascii: ":")) { return true }
    var labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.last?.isEmpty == true { labels.removeLast() }
    guard let last = labels.last, !last.isEmpty else { return false }
    return last.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } || last.starts(with: Array("0x".utf8))
  }
}
