extension String {
  /// The URL as it may be shown: without user and password, and with `…` for the values of query and fragment parameters whose
  /// names look like those of secrets (`token`, `X-Amz-Signature`, `api_key`, …).
  package var redactedURL: String {
    let url = withoutUserInfo
    guard let start = url.utf8.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) else {
      return url
    }
    var result = String(url[..<start])
    var rest = url[start...]
    while let separator = rest.first {
      let pair = rest.dropFirst().prefix { !Self.separators.contains($0) }
      result.append(separator)
      if let equals = pair.firstIndex(of: "="), Secrets.isSecret(pair[..<equals]) {
        result += pair[...equals] + "…"
      } else {
        result += pair
      }
      rest = rest[pair.endIndex...]
    }
    return result
  }

  private static let separators: Set<Character> = ["?", "#", "&", ";"]
}

/// What looks like the name of a secret.
package enum Secrets {
  /// Words that name a secret wherever they stand in a name.
  private static let parts = [
    "token", "secret", "passw", "passphrase", "pwd", "signature", "credential", "auth", "session", "jwt", "hmac",
    "bearer",
  ]
  /// Names, and ends of names, that are too short to be looked for everywhere.
  private static let ends = ["key", "sig", "sid", "code", "pin", "otp", "ticket", "assertion"]
  private static let fields: Set<String> = [
    "authorization", "proxy-authorization", "cookie", "set-cookie", "set-cookie2", "proxy-authenticate",
    "www-authenticate",
    "authentication-info", "proxy-authentication-info",
  ]

  /// Whether a query parameter of this name holds a secret, by the looks of it. Percent escapes hide nothing.
  package static func isSecret(_ name: some StringProtocol) -> Bool {
    let name = plain(name)
    return parts.contains { name.contains($0) } || ends.contains { name.hasSuffix($0) }
  }

  /// Whether a header field of this name holds a secret.
  package static func isSecretField(_ name: String) -> Bool {
    fields.contains(name.lowercased()) || isSecret(name)
  }

  /// In lower case, without percent escapes.
  private static func plain(_ name: some StringProtocol) -> String {
    let name = name.lowercased()
    guard name.utf8.contains(UInt8(ascii: "%")) else { return name }
    var bytes: [UInt8] = []
    var rest = Array(name.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }
}
