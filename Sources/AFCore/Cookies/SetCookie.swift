/// What one Set-Cookie field says (RFC 6265bis §5.6), before it is known whether the server may say so.
struct SetCookie: Equatable, Sendable {
  var name: String
  var value: String
  /// Seconds; zero also for every negative number.
  var maxAge: Int?
  /// Seconds since 1970.
  var expires: Double?
  /// In lower case, without a leading dot; empty if the attribute is not there or has no value.
  var domain = ""
  /// Whether there is a Path attribute; ``path`` is nil if it asks for the default one.
  var hasPath = false
  var path: String?
  var isSecure = false
  var isHTTPOnly = false
  var sameSite = CookieSameSite.standard

  static let sizeLimit = 4096
  static let attributeSizeLimit = 1024

  /// Reads a field's value. Only `;` divides it.
  init(_ bytes: ArraySlice<UInt8>) throws(CookieRefusal) {
    guard !bytes.contains(where: \.isCookieControl) else { throw .controlCharacter }
    let pair = bytes.prefix { $0 != UInt8(ascii: ";") }
    let name: ArraySlice<UInt8>
    let value: ArraySlice<UInt8>
    if let sign = pair.firstIndex(of: UInt8(ascii: "=")) {
      name = Self.trimmed(pair[..<sign])
      value = Self.trimmed(pair[(sign + 1)...])
    } else {
      name = []
      value = Self.trimmed(pair)
    }
    guard name.count + value.count <= Self.sizeLimit else { throw .tooLong }
    // §5.7: said here so that no empty cookie exists.
    guard !name.isEmpty || !value.isEmpty else { throw .empty }
    guard let name = String(validating: name, as: UTF8.self), let value = String(validating: value, as: UTF8.self)
    else {
      throw .notText
    }
    self.name = name
    self.value = value
    for attribute in bytes[pair.endIndex...].split(separator: UInt8(ascii: ";")) { take(attribute) }
  }

  /// Of several attributes of a name the last good one counts.
  private mutating func take(_ attribute: ArraySlice<UInt8>) {
    let name = attribute.prefix { $0 != UInt8(ascii: "=") }
    let value = Self.trimmed(attribute[name.endIndex...].dropFirst())
    guard value.count <= Self.attributeSizeLimit else { return }
    switch String(decoding: Self.trimmed(name).map(\.asciiLowercased), as: UTF8.self) {
    case "expires": expires = CookieDate.seconds(value) ?? expires
    case "max-age": maxAge = Self.age(value) ?? maxAge
    case "domain":
      let name = value.first == UInt8(ascii: ".") ? value.dropFirst() : value
      domain = String(decoding: name.map(\.asciiLowercased), as: UTF8.self)
    case "path":
      hasPath = true
      path = value.first == UInt8(ascii: "/") ? String(decoding: value, as: UTF8.self) : nil
    case "secure": isSecure = true
    case "httponly": isHTTPOnly = true
    case "samesite": sameSite = CookieSameSite(value)
    default: break
    }
  }

  /// Far more than is kept, and far less than what overflows.
  private static let longestAge = 1_000_000_000_000

  private static func age(_ value: ArraySlice<UInt8>) -> Int? {
    let isNegative = value.first == UInt8(ascii: "-")
    let digits = isNegative ? value.dropFirst() : value
    guard !digits.isEmpty, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    if isNegative { return 0 }
    return digits.reduce(0) { min($0 * 10 + Int($1 - 0x30), longestAge) }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var slice = bytes.drop(while: isSpace)
    while let last = slice.last, isSpace(last) { slice.removeLast() }
    return slice
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// For requests of which sites a server wants its cookie back. Kept, so that it can be read; it does not limit what is sent,
/// because an app's requests come from no site.
enum CookieSameSite: String, Sendable {
  case strict = "Strict"
  case lax = "Lax"
  case none = "None"
  /// Nothing was said, or nothing known.
  case standard = "Default"

  fileprivate init(_ value: ArraySlice<UInt8>) {
    switch String(decoding: value.map(\.asciiLowercased), as: UTF8.self) {
    case "strict": self = .strict
    case "lax": self = .lax
    case "none": self = .none
    default: self = .standard
    }
  }
}

/// Why a cookie is not kept.
enum CookieRefusal: Error, Equatable {
  case controlCharacter
  case tooLong
  case empty
  /// The bytes are not UTF-8, so a `HTTPCookie` could not hold them and they could not be sent as they came.
  case notText
  /// The Domain attribute names no domain, or one that the host does not lie in.
  case foreignDomain
  case publicSuffix
  /// `Secure` over http.
  case secureOverHTTP
  /// It would take the place of a `Secure` cookie, or be sent beside it, over http.
  case hidesSecure
  case sameSiteNoneWithoutSecure
  case prefix
}

extension UInt8 {
  /// The characters that no cookie may hold (RFC 6265bis §5.6): controls other than the tabulator.
  var isCookieControl: Bool { self < 0x20 && self != 0x09 || self == 0x7F }
}
