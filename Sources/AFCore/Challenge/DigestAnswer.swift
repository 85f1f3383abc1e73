/// The answer to a Digest challenge, as a pure computation (RFC 7616 §3.4).
struct DigestAnswer: Equatable, Sendable {
  /// What the answer is about.
  struct Subject: Equatable, Sendable {
    var method: String
    /// The request target as it is sent.
    var target: String
    /// `H(body)` for `auth-int`.
    var bodyHash: String?
  }

  /// The value of the Authorization or Proxy-Authorization field.
  let field: String
  /// The nonce that was used.
  let nonce: String
  /// What a server that knows the password has to answer (`rspauth`), for `auth` and the form without `qop`.
  let proof: String?

  /// Nil if something cannot stand in the field, or the body's hash is missing. `secret` is `H(username:realm:password)`, see
  /// ``secret(_:_:)``; `count` is the nonce count, from 1.
  init?(_ challenge: DigestChallenge, _ login: Login, secret: String, _ subject: Subject, cnonce: String, count: UInt32)
  {
    let algorithm = challenge.algorithm
    let quality = challenge.quality
    var key = secret
    if algorithm.isSession { key = algorithm.hex("\(secret):\(challenge.nonce):\(cnonce)") ?? "" }
    let digits = String(count, radix: 16)
    let number = String(repeating: "0", count: 8 - digits.count) + digits
    func response(_ what: String) -> String? {
      guard let hash = algorithm.hex(what) else { return nil }
      return quality == .legacy
        ? algorithm.hex("\(key):\(challenge.nonce):\(hash)")
        : algorithm.hex("\(key):\(challenge.nonce):\(number):\(cnonce):\(quality.rawValue):\(hash)")
    }
    var what = "\(subject.method):\(subject.target)"
    if quality == .integrity {
      guard let bodyHash = subject.bodyHash else { return nil }
      what += ":\(bodyHash)"
    }
    guard let result = response(what), let realm = challenge.realm.quoted, let nonce = challenge.nonce.quoted,
      let target = subject.target.quoted, let user = Self.user(challenge, login)
    else { return nil }
    var parts = [user, "realm=\(realm)", "nonce=\(nonce)", "uri=\(target)", "response=\"\(result)\""]
    if challenge.namesAlgorithm { parts.append("algorithm=\(algorithm.rawValue)") }
    if quality != .legacy { parts.append("qop=\(quality.rawValue), nc=\(number)") }
    // Without `qop` there is none, but for an algorithm that computes its key of it.
    if quality != .legacy || algorithm.isSession { parts.append("cnonce=\"\(cnonce)\"") }
    if let opaque = challenge.opaque {
      guard let opaque = opaque.quoted else { return nil }
      parts.append("opaque=\(opaque)")
    }
    if challenge.hashesUser { parts.append("userhash=true") }
    field = "Digest " + parts.joined(separator: ", ")
    self.nonce = challenge.nonce
    proof = quality == .integrity ? nil : response(":\(subject.target)")
  }

  /// The user: hashed, or in quotes, or, where it is not ASCII, as RFC 8187 encodes it (RFC 7616 §3.4, §3.4.4).
  private static func user(_ challenge: DigestChallenge, _ login: Login) -> String? {
    if challenge.hashesUser {
      return challenge.algorithm.hex("\(login.user):\(challenge.realm)").map { "username=\"\($0)\"" }
    }
    if login.user.utf8.allSatisfy({ $0 < 0x80 }) { return login.user.quoted.map { "username=\($0)" } }
    return "username*=UTF-8''\(login.user.extendedValue)"
  }

  /// `H(username:realm:password)`: with it, and without the password, every challenge of the realm can be answered.
  static func secret(_ challenge: DigestChallenge, _ login: Login) -> String? {
    challenge.algorithm.hex("\(login.user):\(challenge.realm):\(login.password)")
  }
}

extension String {
  /// As a quoted-string (RFC 9110 §5.6.4); nil if it holds a control character.
  var quoted: String? {
    guard utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return nil }
    var result = "\""
    for scalar in unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }

  /// The value-chars of RFC 8187 §3.2.1.
  fileprivate var extendedValue: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in utf8 {
      let isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A
      if isLetter || (0x30...0x39).contains(byte) || "!#$&+-.^_`|~".utf8.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
