/// What a server or proxy asks for by the scheme Digest (RFC 7616 §3.3).
struct DigestChallenge: Equatable, Sendable {
  /// How much the answer covers.
  enum Quality: String, Sendable {
    /// The form of RFC 2069, for challenges without `qop`.
    case legacy = ""
    case authentication = "auth"
    /// The body too.
    case integrity = "auth-int"
  }

  var realm: String
  var nonce: String
  var opaque: String?
  var algorithm: DigestAlgorithm
  /// Whether the challenge named its algorithm; then the answer does.
  var namesAlgorithm: Bool
  var quality: Quality
  /// The credentials were good, only the nonce was too old.
  var isStale: Bool
  var hashesUser: Bool
  /// The URIs of the protection space; empty means the whole server.
  var domain: [String]

  /// Nil if the challenge cannot be answered: realm or nonce missing or not UTF-8, an algorithm or a `qop` that is not known,
  /// or an algorithm that this system has not got.
  init?(_ challenge: Challenge) {
    guard challenge.scheme == "digest", let realm = challenge.text("realm"), let nonce = challenge.text("nonce") else {
      return nil
    }
    self.realm = realm
    self.nonce = nonce
    if challenge["opaque"] != nil {
      guard let opaque = challenge.text("opaque") else { return nil }
      self.opaque = opaque
    }
    namesAlgorithm = challenge["algorithm"] != nil
    let name = namesAlgorithm ? challenge.text("algorithm") ?? "" : "MD5"
    guard let algorithm = DigestAlgorithm(name: name), algorithm.hex("") != nil else { return nil }
    self.algorithm = algorithm
    guard let quality = Self.quality(challenge) else { return nil }
    self.quality = quality
    isStale = challenge.text("stale")?.equalsIgnoringCase("true") ?? false
    hashesUser = challenge.text("userhash")?.equalsIgnoringCase("true") ?? false
    domain = challenge.text("domain")?.split(separator: " ").map(String.init) ?? []
  }

  /// `auth` where there is a choice: with `auth-int` every body would be read twice.
  private static func quality(_ challenge: Challenge) -> Quality? {
    guard challenge["qop"] != nil else { return .legacy }
    guard let text = challenge.text("qop") else { return nil }
    let options = text.split { $0 == "," || $0 == " " || $0 == "\t" }
    if options.isEmpty { return .legacy }
    if options.contains(where: { String($0).equalsIgnoringCase("auth") }) { return .authentication }
    return options.contains { String($0).equalsIgnoringCase("auth-int") } ? .integrity : nil
  }
}
