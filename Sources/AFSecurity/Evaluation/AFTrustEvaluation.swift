package import Foundation

/// What a policy found out about a server that it accepts.
public struct AFTrustEvaluation: Sendable {
  /// What is known about revocation of the server's own certificate.
  public enum RevocationStatus: Sendable, Hashable {
    /// The policy does not look.
    case notChecked
    /// A revocation list or a stapled response vouches for it.
    case good
    /// Nobody said anything that counts.
    case unknown
  }

  /// The path that was validated, leaf first, anchor last. Where the policy accepts invalid certificates: as far as signatures
  /// lead upwards from the leaf.
  public internal(set) var chain: [AFCertificate]

  /// The pin that matched, nearest to the leaf; nil for a policy without pins.
  public internal(set) var matchedPin: AFPublicKeyPin?

  /// Whether only a backup pin matched: time to make a new backup.
  public internal(set) var matchedBackupPin = false

  /// What is known about revocation.
  public internal(set) var revocationStatus = RevocationStatus.notChecked

  /// Whether the policy has report-only pins and none of them matched.
  public internal(set) var failedReportOnlyPins = false

  /// When something other than the certificates ends that the verdict rests on: a revocation list, a stapled response.
  package internal(set) var holdsUntil: Date?

  /// Takes note of one more thing that ends.
  mutating func ends(at date: Date?) {
    if let date { holdsUntil = min(holdsUntil ?? date, date) }
  }
}
