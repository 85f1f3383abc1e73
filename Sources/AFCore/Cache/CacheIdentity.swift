import AFTransport

/// Which fields of a request say who is asking. What one user of a program got is never given to another (F59).
///
/// RFC 9111 lets a private cache go further, since it has one user; a program may act for many, and few servers that tell users apart by
/// a field of their own name it in `Vary`. So a kept response is for requests that agree
///
/// - in every field that looks like a credential, by its name or by its value, whatever the response says;
/// - where the response says `private`, in every field but those that are known to say nothing about the user.
///
/// The first rule looks at words, since the names are the servers' own. A word too many costs a request; one too few gives a body away.
enum CacheIdentity {
  /// Whether a kept response is only for requests with the same value of this field.
  static func counts(_ field: TransferRequest.HeaderField, isPrivate: Bool) -> Bool {
    let name = field.name.lowercased()
    if isPrivate { return !saysNothing(name) || looksLikeCredential(name, field.value) }
    return looksLikeCredential(name, field.value)
  }

  /// Whether the field, whose name is in lower case, looks like one that says who the user is.
  static func looksLikeCredential(_ name: String, _ value: String) -> Bool {
    if value.beginsLikeCredential { return true }
    guard !plain.contains(name) else { return false }
    return !numbersRequest(name) && name.holds(oneOf: credentialWords) || name.holds(oneOf: secretWords)
  }

  /// Whether the field, whose name is in lower case, is known to say nothing about the user. What it asks for is the business of `Vary`.
  static func saysNothing(_ name: String) -> Bool {
    plain.contains(name) || name.hasPrefix("sec-fetch-") || name.hasPrefix("sec-ch-") || numbersRequest(name)
  }

  /// A number of the request itself, another for each, would keep everything from being used twice.
  private static func numbersRequest(_ name: String) -> Bool { name.holds(oneOf: requestWords) }

  private static let secretWords = ["auth", "token", "cookie", "secret", "credential", "passw", "jwt", "api"].map(bytes)

  private static let credentialWords = [
    "key", "session", "csrf", "xsrf", "user", "account", "tenant", "signature", "identity", "login", "principal",
    "customer", "client", "device", "member", "profile", "subject", "owner", "behalf", "impersonat", "forwarded",
    "email", "phone", "role", "uid", "-sid", "organi", "workspace", "team", "from", "person", "licen", "real-ip",
    "-who",
  ].map(bytes)

  private static let requestWords = [
    "request-id", "requestid", "req-", "correlation", "trace", "-span", "spanid", "request-start", "timestamp",
  ].map(bytes)

  /// Fields of RFC 9110, 9111 and Fetch that ask for something, or describe the message or the program.
  private static let plain: Set<String> = [
    "accept", "accept-charset", "accept-datetime", "accept-encoding", "accept-language", "baggage", "cache-control",
    "connection", "content-encoding", "content-length", "content-type", "date", "dnt", "expect", "host", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "max-forwards", "origin",
    "pragma", "prefer", "priority", "range", "referer", "save-data", "sec-gpc", "te", "trailer", "transfer-encoding",
    "upgrade-insecure-requests", "user-agent", "via", "x-requested-with",
  ]

  private static func bytes(_ word: String) -> [UInt8] { Array(word.utf8) }
}

extension String {
  /// Whether it begins like the credentials of a scheme (RFC 9110 §11.4), or like a JSON Web Token (RFC 7519).
  fileprivate var beginsLikeCredential: Bool {
    if utf8.starts(with: "eyJ".utf8) { return true }
    guard let space = utf8.firstIndex(of: UInt8(ascii: " ")) else { return false }
    let scheme = self[..<space]
    return ["basic", "bearer", "digest", "negotiate", "ntlm", "token", "apikey"].contains(scheme.lowercased())
  }

  fileprivate func holds(oneOf words: [[UInt8]]) -> Bool {
    let bytes = Array(utf8)
    return words.contains { word in
      guard bytes.count >= word.count else { return false }
      return (0...(bytes.count - word.count)).contains { bytes[$0..<($0 + word.count)].elementsEqual(word) }
    }
  }
}
