/// The directives of `Cache-Control` that a private cache heeds (RFC 9111 §5.2, RFC 5861, RFC 8246), of a request or a response.
///
/// `s-maxage` and `proxy-revalidate` are for shared caches; they and whatever is unknown say nothing here.
package struct CacheControl: Equatable, Sendable {
  package var noStore = false
  /// `no-cache` without field names, or with some that the cache itself depends on.
  package var noCache = false
  /// The field names of `no-cache="…"`, in lower case: these are not used a second time without asking (§5.2.2.4).
  package var noCacheFields: Set<String> = []
  package var mustRevalidate = false
  package var mustUnderstand = false
  package var isPublic = false
  /// Also where it names single fields: those of a private cache are for one user all the same.
  package var isPrivate = false
  package var isImmutable = false
  package var onlyIfCached = false
  /// Seconds; 0 if the directive is there but says nothing sensible.
  package var maxAge: Double?
  package var minFresh: Double?
  /// `.infinity` where the request takes a response however old it is.
  package var maxStale: Double?
  package var staleIfError: Double?
  package var staleWhileRevalidate: Double?

  package init() {}

  /// Reads the values of all `Cache-Control` fields. Of a directive that comes twice the first counts (§4.2.1).
  package init(_ values: [String]) {
    for value in values { for directive in CacheDirective.all(in: value) { take(directive) } }
  }

  private mutating func take(_ directive: CacheDirective) {
    switch directive.name {
    case "no-store": noStore = true
    case "no-cache": takeNoCache(directive.argument)
    case "must-revalidate": mustRevalidate = true
    case "must-understand": mustUnderstand = true
    case "public": isPublic = true
    case "private": isPrivate = true
    case "immutable": isImmutable = true
    case "only-if-cached": onlyIfCached = true
    case "max-age": maxAge = maxAge ?? directive.seconds
    case "min-fresh": minFresh = minFresh ?? directive.seconds
    case "max-stale": maxStale = maxStale ?? (directive.argument == nil ? .infinity : directive.seconds)
    case "stale-if-error": staleIfError = staleIfError ?? directive.seconds
    case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds
    default: break
    }
  }

  /// Without these fields the cache could not tell what it has; then the whole is not used without asking.
  private static let needed: Set<String> = [
    "age", "cache-control", "date", "etag", "expires", "last-modified", "pragma", "vary",
  ]

  private mutating func takeNoCache(_ argument: String?) {
    let names = argument?.split(separator: ",").map { $0.trimmed.lowercased() }.filter { !$0.isEmpty } ?? []
    if names.isEmpty || !names.allSatisfy(\.isToken) || names.contains(where: Self.needed.contains) {
      noCache = true
    } else {
      noCacheFields.formUnion(names)
    }
  }
}

/// One directive of a `Cache-Control` field.
struct CacheDirective: Equatable, Sendable {
  /// In lower case.
  var name: String
  /// Without quotation marks; nil if there is none.
  var argument: String?

  /// A `delta-seconds`; 0 if it is none, so that a lifetime is over (§4.2.1) and a tolerance is none.
  var seconds: Double { argument.flatMap(DeltaSeconds.init)?.value ?? 0 }

  /// All in one field's value. A comma inside quotation marks is part of an argument; a quotation mark that does not begin one, or is never
  /// closed, is none, so that it hides no directive.
  static func all(in value: String) -> [CacheDirective] {
    let bytes = Array(value.utf8)
    var found: [CacheDirective] = []
    var start = 0
    while start <= bytes.count {
      var end = start
      var opens = false
      while end < bytes.count, bytes[end] != UInt8(ascii: ",") {
        if bytes[end] == UInt8(ascii: "\""), opens { end = closing(bytes, from: end) ?? end }
        opens = bytes[end] == UInt8(ascii: "=") || opens && bytes[end] == UInt8(ascii: " ")
        end += 1
      }
      if let directive = CacheDirective(bytes[start..<end]) { found.append(directive) }
      start = end + 1
    }
    return found
  }

  /// Where the quotation that opens at `start` is closed; nil if it is not.
  private static func closing(_ bytes: [UInt8], from start: Int) -> Int? {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < bytes.count ? index : nil
  }

  init?(_ bytes: ArraySlice<UInt8>) {
    let parts = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    name = String(decoding: parts.first ?? [], as: UTF8.self).trimmed.lowercased()
    guard !name.isEmpty else { return nil }
    if parts.count > 1 { argument = String(decoding: parts[1], as: UTF8.self).trimmed.unquoted }
  }
}

/// A number of seconds as HTTP writes it (RFC 9111 §1.2.2): digits alone.
struct DeltaSeconds: Equatable, Sendable {
  /// More than this is this.
  static let limit: Double = 2_147_483_648

  let value: Double

  init?(_ text: String) {
    guard !text.isEmpty else { return nil }
    var value: Double = 0
    for byte in text.utf8 {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      value = min(value * 10 + Double(byte - UInt8(ascii: "0")), Self.limit)
    }
    self.value = value
  }
}

extension StringProtocol {
  /// Without spaces and tabs at the ends.
  var trimmed: String {
    let start = drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return String(start[...last])
  }
}

extension String {
  /// Whether it is a `token` (RFC 9110 §5.6.2).
  fileprivate var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  /// The content of a `quoted-string` (RFC 9110 §5.6.4); anything else as it is.
  fileprivate var unquoted: String {
    let bytes = Array(utf8)
    guard bytes.count >= 2, bytes[0] == UInt8(ascii: "\""), bytes[bytes.count - 1] == UInt8(ascii: "\"") else {
      return self
    }
    var content: [UInt8] = []
    var index = 1
    while index < bytes.count - 1 {
      if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count - 1 { index += 1 }
      content.append(bytes[index])
      index += 1
    }
    return String(decoding: content, as: UTF8.self)
  }
}
