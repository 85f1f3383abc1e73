import AFTransport
import Foundation
import FoundationNetworking

/// One way of authenticating that a server or proxy offers, of those that the package can go.
struct AuthenticationOffer: Sendable, Equatable {
  /// From the weakest to the strongest.
  enum Scheme: Int, Sendable { case basic, ntlm, digest, negotiate }

  /// What of an offer says which credentials are wanted: everything under one realm has the same (RFC 9110 §11.5).
  struct Space: Hashable, Sendable {
    var scheme: Scheme
    var realm: String?
  }

  var space: Space
  /// What Digest is to answer.
  var digest: DigestChallenge?

  var scheme: Scheme { space.scheme }

  /// Nil for a scheme that is not known, and a Digest that cannot be answered.
  init?(_ challenge: Challenge) {
    let realm = challenge["realm"].map {
      // Nothing is lost of one that is not UTF-8.
      String(validating: $0, as: UTF8.self) ?? String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) }))
    }
    switch challenge.scheme {
    case "basic": space = Space(scheme: .basic, realm: realm)
    case "ntlm": space = Space(scheme: .ntlm, realm: realm)
    case "negotiate": space = Space(scheme: .negotiate, realm: realm)
    case "digest":
      guard let digest = DigestChallenge(challenge) else { return nil }
      self.digest = digest
      space = Space(scheme: .digest, realm: digest.realm)
    default: return nil
    }
  }

  /// Every offer, the strongest first; of equals, and of those that differ by the algorithm's hash alone, in the order of the list.
  static func all(in challenges: [Challenge]) -> [AuthenticationOffer] {
    challenges.compactMap { AuthenticationOffer($0) }.enumerated()
      .sorted { left, right in
        let (first, second) = (left.element.strength, right.element.strength)
        return first == second ? left.offset < right.offset : first > second
      }
      .map(\.element)
  }

  private var strength: Int { scheme.rawValue * 4 + (digest?.algorithm.strength ?? 0) }
}

extension AuthenticationOffer.Scheme {
  /// Foundation's name for the method.
  var method: String {
    switch self {
    case .basic: NSURLAuthenticationMethodHTTPBasic
    case .digest: NSURLAuthenticationMethodHTTPDigest
    case .ntlm: NSURLAuthenticationMethodNTLM
    case .negotiate: NSURLAuthenticationMethodNegotiate
    }
  }

  /// What libcurl computes; nil for those that are a header field of ours.
  var transfer: TransferAuthentication.Scheme? {
    switch self {
    case .basic, .digest: nil
    case .ntlm: .ntlm
    case .negotiate: .negotiate
    }
  }
}
