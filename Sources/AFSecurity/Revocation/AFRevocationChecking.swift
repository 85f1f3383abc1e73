/// How a policy finds out whether a certificate was revoked, and what it makes of silence.
///
/// Nothing is fetched: the lists are given, and the OCSP response is the one that the server staples to its handshake
/// (RFC 6066 §8). Both must be signed by the certificate's issuer or by its delegate.
public struct AFRevocationChecking: Sendable {
  /// What happens when nobody says anything about a certificate.
  public enum Requirement: Sendable, Hashable {
    /// It passes. Known revocations are still refused.
    case ifAvailable
    /// The server is refused with code `revocationUnknown`.
    case required
  }

  /// The lists to look certificates up in. Default: none.
  public var revocationLists: [AFRevocationList]

  /// Whether a stapled OCSP response counts for the server's own certificate. Default: true.
  public var usesStapledResponse: Bool

  /// Default: `ifAvailable`. A certificate that demands stapling (RFC 7633) is treated as `required` in any case.
  public var requirement: Requirement

  /// Whether every certificate below the anchor is looked up in the lists, and not the server's alone. Default: false.
  public var checksWholeChain: Bool

  /// Revocation checking with the given lists.
  public init(
    revocationLists: [AFRevocationList] = [], usesStapledResponse: Bool = true,
    requirement: Requirement = .ifAvailable, checksWholeChain: Bool = false
  ) {
    self.revocationLists = revocationLists
    self.usesStapledResponse = usesStapledResponse
    self.requirement = requirement
    self.checksWholeChain = checksWholeChain
  }
}
