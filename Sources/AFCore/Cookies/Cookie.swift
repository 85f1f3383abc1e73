/// A cookie as it is kept (RFC 6265bis §5.7).
struct Cookie: Equatable, Sendable {
  var name: String
  var value: String
  /// In lower case, without a leading dot.
  var domain: String
  /// Whether it goes to this very host, and to none beneath it.
  var isHostOnly: Bool
  var path: String
  var isSecure = false
  var isHTTPOnly = false
  var sameSite = CookieSameSite.standard
  /// Seconds since 1970; nil: until the process ends.
  var expires: Double?
  /// Seconds since 1970.
  var creation: Double
  /// Whether the app has put it into the storage, and no server set it since.
  var isApps = false

  func isExpired(at now: Double) -> Bool { expires.map { $0 <= now } ?? false }

  /// Whether one of the two takes the other's place. Bytes count: Swift's `==` sees one text in two spellings of an umlaut.
  func isSame(as other: Cookie) -> Bool {
    isHostOnly == other.isHostOnly && domain == other.domain && name.utf8.elementsEqual(other.name.utf8)
      && path.utf8.elementsEqual(other.path.utf8)
  }

  /// Whether a request to `url` carries it (§5.8.3).
  func goes(to url: CookieURL, at now: Double) -> Bool {
    (isHostOnly ? url.host == domain : CookieMatching.domain(url.host, in: domain))
      && CookieMatching.path(url.path, in: path) && (!isSecure || url.isSecure) && !isExpired(at: now)
  }

  /// Whether it stands before `other` in a request: longer paths first, then the older ones.
  func precedes(_ other: Cookie) -> Bool {
    let (length, otherLength) = (path.utf8.count, other.path.utf8.count)
    return length == otherLength ? creation < other.creation : length > otherLength
  }

  /// How it is written in a Cookie field (§5.8.3); a cookie without a name is its value alone.
  var pair: String { name.isEmpty ? value : "\(name)=\(value)" }
}

extension Cookie {
  /// The longest time for which a server's cookie is kept: 400 days.
  static let ageLimit = 400.0 * 86_400

  /// What is kept of a server's field, judged by itself (§5.7). What depends on the cookies that are there is
  /// ``CookieTable``'s.
  init(_ field: SetCookie, from url: CookieURL, at now: Double) throws(CookieRefusal) {
    let domain = try Self.domain(of: field, from: url)
    self.init(
      name: field.name, value: field.value, domain: domain ?? url.host, isHostOnly: domain == nil,
      path: field.path ?? url.defaultPath, isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
      sameSite: field.sameSite, expires: Self.expiry(of: field, at: now), creation: now)
    guard !isSecure || url.isSecure else { throw .secureOverHTTP }
    guard sameSite != .none || isSecure else { throw .sameSiteNoneWithoutSecure }
    let marked = field.name.isEmpty ? field.value : field.name
    if marked.hasASCIIPrefix("__secure-") {
      guard isSecure, !field.name.isEmpty else { throw .prefix }
    } else if marked.hasASCIIPrefix("__host-") {
      guard isSecure, isHostOnly, field.hasPath, path == "/", !field.name.isEmpty else { throw .prefix }
    }
  }

  /// The domain that the field asks for, nil for the host alone.
  private static func domain(of field: SetCookie, from url: CookieURL) throws(CookieRefusal) -> String? {
    guard !field.domain.isEmpty else { return nil }
    guard field.domain.utf8.allSatisfy({ $0 < 0x80 }) else { throw .foreignDomain }
    if field.domain == url.host, CookieMatching.isAddress(url.host) { return nil }
    // A name from the root is the same name to the list.
    if PublicSuffixes.shared.contains(field.domain.hasSuffix(".") ? String(field.domain.dropLast()) : field.domain) {
      guard field.domain == url.host else { throw .publicSuffix }
      return nil
    }
    guard CookieMatching.domain(url.host, in: field.domain) else { throw .foreignDomain }
    return field.domain
  }

  /// Max-Age counts before Expires.
  private static func expiry(of field: SetCookie, at now: Double) -> Double? {
    if let age = field.maxAge { return age <= 0 ? -.infinity : now + min(Double(age), ageLimit) }
    return field.expires.map { min($0, now + ageLimit) }
  }
}

extension String {
  /// Whether the text begins with `prefix`, which is in lower case, in any letter case.
  fileprivate func hasASCIIPrefix(_ prefix: String) -> Bool {
    utf8.count >= prefix.utf8.count && zip(utf8, prefix.utf8).allSatisfy { $0.asciiLowercased == $1 }
  }
}
