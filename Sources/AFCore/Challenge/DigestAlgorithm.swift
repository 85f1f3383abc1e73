import AFSecurity

/// The algorithms of the Digest scheme (RFC 7616 §3.3, §6.1), from the weakest to the strongest.
enum DigestAlgorithm: String, CaseIterable, Sendable {
  case md5 = "MD5"
  case md5Session = "MD5-sess"
  case sha256 = "SHA-256"
  case sha256Session = "SHA-256-sess"
  case sha512_256 = "SHA-512-256"
  case sha512_256Session = "SHA-512-256-sess"

  /// By its name in any letter case; nil if it is not known.
  init?(name: String) {
    guard let known = Self.allCases.first(where: { $0.rawValue.equalsIgnoringCase(name) }) else { return nil }
    self = known
  }

  /// Of two hashes the stronger is the later one; whether there is a session key makes no difference.
  var strength: Int {
    switch self {
    case .md5, .md5Session: 0
    case .sha256, .sha256Session: 1
    case .sha512_256, .sha512_256Session: 2
    }
  }

  var isSession: Bool {
    switch self {
    case .md5Session, .sha256Session, .sha512_256Session: true
    default: false
    }
  }

  var hash: Digest.Algorithm {
    switch self {
    case .md5, .md5Session: .md5
    case .sha256, .sha256Session: .sha256
    case .sha512_256, .sha512_256Session: .sha512_256
    }
  }

  /// `H(data)` of RFC 7616 §3.3, in hexadecimal digits; nil if this system has not got it.
  func hex(_ text: String) -> String? { Digest.hex(hash, text) }
}
