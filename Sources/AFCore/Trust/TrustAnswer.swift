import AFSecurity
import Foundation
import FoundationNetworking

/// What an answer to a challenge about a TLS server decides.
///
/// Only a credential made from the very certificates that were presented accepts a server. Whatever else lets the connection go on,
/// by intent or by accident (no credential, a password, a credential for another server), leaves it to the session's policy.
enum TrustAnswer: Equatable {
  /// The app takes the server, whatever the policy says.
  case accept
  /// The session's policy decides.
  case policyDecides
  /// The session's policy was asked by default handling and has accepted.
  case policyAccepted
  case refuse
  case cancel

  init(_ disposition: AFURLSession.AuthChallengeDisposition, _ credential: URLCredential?, about trust: AFServerTrust) {
    switch disposition {
    case .useCredential:
      guard let credential = credential as? ServerTrustCredential else {
        self = .policyDecides
        return
      }
      if credential.isPolicys {
        self = credential.trust === trust ? .policyAccepted : .policyDecides
      } else {
        self = credential.trust.certificates == trust.certificates ? .accept : .policyDecides
      }
    case .performDefaultHandling: self = .policyDecides
    case .rejectProtectionSpace: self = .refuse
    case .cancelAuthenticationChallenge: self = .cancel
    }
  }
}

/// What is remembered of a decision about a server.
struct TrustDecision: Sendable {
  enum Outcome: Sendable {
    /// User code has accepted what the server presented.
    case accept
    /// User code leaves it to the policy, which is asked for every connection.
    case policyDecides
  }

  let outcome: Outcome
  let period: TrustPeriod
  /// ``BlockTable/challengeEpoch`` of whoever was asked.
  let epoch: Int
}

/// How long a decision about certificates counts: as long as each of them that is valid now stays so.
///
/// One that has expired already, or is not valid yet, was decided about as it is.
struct TrustPeriod: Sendable, Equatable {
  let start: Date
  let end: Date

  /// - Parameters:
  ///   - days: When each certificate is valid.
  ///   - limit: When something else ends that the decision rests on.
  ///   - now: The moment of the decision.
  init(of days: some Sequence<(notBefore: Date, notAfter: Date)>, until limit: Date?, now: Date) {
    var start = Date.distantPast
    var end = Date.distantFuture
    for day in days {
      if day.notBefore <= now { start = max(start, day.notBefore) } else { end = min(end, day.notBefore) }
      if day.notAfter >= now { end = min(end, day.notAfter) } else { start = max(start, day.notAfter) }
    }
    if let limit, limit >= now { end = min(end, limit) }
    self.start = start
    self.end = end
  }

  /// The period of a decision about what a server presents, and about the path that a policy found for it.
  init(of trust: AFServerTrust, now: Date) {
    let certificates = trust.certificates + (trust.evaluation?.chain ?? [])
    self.init(
      of: certificates.map { ($0.notValidBefore, $0.notValidAfter) }, until: trust.evaluation?.holdsUntil, now: now)
  }

  func contains(_ moment: Date) -> Bool { start <= moment && moment <= end }
}
