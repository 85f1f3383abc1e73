import Foundation
import FoundationNetworking

extension HTTPCookie {
  /// The cookie as Foundation's storage shows it; nil if Foundation takes it for none.
  ///
  /// Foundation's archive loses everything that its own matching does not use, `Secure` with it, but keeps the comment, which no server
  /// can set any more (RFC 6265). So the comment says what has to outlive the process.
  convenience init?(_ cookie: Cookie) {
    var properties: [HTTPCookiePropertyKey: Any] = [
      .name: cookie.name, .value: cookie.value, .path: cookie.path,
      .domain: cookie.isHostOnly ? cookie.domain : "." + cookie.domain, .comment: CookieNote(cookie).text,
      .discard: cookie.expires == nil ? "TRUE" : "FALSE",
    ]
    if cookie.isSecure { properties[.secure] = "TRUE" }
    if cookie.isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
    if let expires = cookie.expires { properties[.expires] = Date(timeIntervalSince1970: expires) }
    self.init(properties: properties)
  }

  /// What Foundation's storage tells cookies apart by.
  var storageKey: String { domain + path + name }
}

extension Cookie {
  /// A cookie of Foundation's storage, put there by the app or read from its archive; nil if it cannot be sent: a control character in
  /// it would end every request to its host, a `;` would make it two.
  init?(_ cookie: HTTPCookie) {
    let (name, value) = (cookie.name, cookie.value)
    func isBad(_ byte: UInt8) -> Bool { byte.isCookieControl || byte == UInt8(ascii: ";") }
    guard !name.isEmpty || !value.isEmpty, !name.utf8.contains(where: isBad), !value.utf8.contains(where: isBad) else {
      return nil
    }
    let note = CookieNote(cookie.comment)
    let domain = cookie.domain.lowercased()
    let bare = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    guard !bare.isEmpty else { return nil }
    let created = cookie.properties?[HTTPCookiePropertyKey("Created")] as? Double
    self.init(
      name: name, value: value, domain: bare,
      // No cookie goes to all the world's names of a kind, whoever parsed it.
      isHostOnly: domain == bare || PublicSuffixes.shared.contains(bare, listedOnly: true),
      path: cookie.path.hasPrefix("/") ? cookie.path : "/", isSecure: cookie.isSecure || note?.isSecure == true,
      isHTTPOnly: cookie.isHTTPOnly || note?.isHTTPOnly == true, sameSite: note?.sameSite ?? .standard,
      expires: cookie.expiresDate?.timeIntervalSince1970,
      creation: note?.creation ?? created.map { $0 + Date.timeIntervalBetween1970AndReferenceDate } ?? 0,
      isApps: note == nil)
  }
}

/// What a cookie's comment says about it: "AFNetworking: Created=1764529999.5; Secure; HttpOnly; SameSite=Lax".
struct CookieNote: Equatable {
  var creation: Double
  var isSecure = false
  var isHTTPOnly = false
  var sameSite = CookieSameSite.standard

  private static let mark = "AFNetworking: "

  init(_ cookie: Cookie) {
    creation = cookie.creation
    isSecure = cookie.isSecure
    isHTTPOnly = cookie.isHTTPOnly
    sameSite = cookie.sameSite
  }

  /// Nil if the comment is the app's own.
  init?(_ comment: String?) {
    guard let comment, comment.hasPrefix(Self.mark) else { return nil }
    creation = 0
    for part in comment.dropFirst(Self.mark.count).split(separator: "; ") {
      let words = part.split(separator: "=", maxSplits: 1)
      switch (words.first, words.dropFirst().first) {
      case ("Created", let text?): creation = Double(text) ?? 0
      case ("Secure", nil): isSecure = true
      case ("HttpOnly", nil): isHTTPOnly = true
      case ("SameSite", let text?): sameSite = CookieSameSite(rawValue: String(text)) ?? .standard
      default: break
      }
    }
  }

  var text: String {
    var parts = ["Created=\(creation)"]
    if isSecure { parts.append("Secure") }
    if isHTTPOnly { parts.append("HttpOnly") }
    if sameSite != .standard { parts.append("SameSite=\(sameSite.rawValue)") }
    return Self.mark + parts.joined(separator: "; ")
  }
}
