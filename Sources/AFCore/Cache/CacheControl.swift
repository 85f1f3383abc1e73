/// The directives of `Cache-Control` that a private cache heeds (RFC 9111 §5.2, RFC 5861), of a request or a response.
struct CacheControl: Equatable, Sendable {
  var noStore = false
  /// Also where it names single fields: that is stricter than asked, and allowed.
  var noCache = false
  var mustRevalidate = false
  var isPublic = false
  /// Also where it names single fields: those of a private cache are for one user all the same.
  var isPrivate = false
  /// Seconds; 0 if the directive is there but says nothing sensible.
  var maxAge: Double?
  var minFresh: Double?
  /// `.infinity` where the request takes a response however old it is.
  var maxStale: Double?
  var staleIfError: Double?

  init() {}

  /// Reads the values of all `Cache-Control` fields. Of a directive that comes twice the first counts.
  init(_ values: [String]) {
    for value in values {
      for (name, argument) in Self.directives(value) {
        switch name {
        case "no-store": noStore = true
        case "no-cache": noCache = true
        case "must-revalidate": mustRevalidate = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "max-age": maxAge = maxAge ?? Self.seconds(argument)
        case "min-fresh": minFresh = minFresh ?? Self.seconds(argument)
        case "max-stale": maxStale = maxStale ?? (argument == nil ? .infinity : Self.seconds(argument))
        case "stale-if-error": staleIfError = staleIfError ?? Self.seconds(argument)
        default: break
        }
      }
    }
  }

  private static func seconds(_ argument: String?) -> Double {
    guard let argument, !argument.isEmpty, argument.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return 0 }
    // More than this is this (RFC 9111 §1.2.2).
    return min(Double(argument) ?? 0, 2_147_483_648)
  }

  /// Names in lower case, with their arguments; a comma inside quotation marks is part of an argument.
  private static func directives(_ value: String) -> [(name: String, argument: String?)] {
    var found: [(name: String, argument: String?)] = []
    var piece = ""
    var isQuoted = false
    var isEscaped = false
    func take() {
      let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].trimmed.lowercased()
      if !name.isEmpty { found.append((name, parts.count > 1 ? parts[1].trimmed.unquoted : nil)) }
      piece = ""
    }
    for character in value.unicodeScalars {
      if character == ",", !isQuoted {
        take()
        continue
      }
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && isQuoted && !isEscaped
      piece.unicodeScalars.append(character)
    }
    take()
    return found
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
  fileprivate var unquoted: String {
    guard utf8.count >= 2, hasPrefix("\""), hasSuffix("\"") else { return self }
    return String(dropFirst().dropLast())
  }
}
