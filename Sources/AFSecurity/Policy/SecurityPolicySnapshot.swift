import AFSupport
package import Foundation

/// A policy as it was at one moment: an immutable value that judges chains on any thread.
///
/// Whoever keeps connections open remembers the ``generation`` that accepted each of them. A connection of another generation
/// must not carry a request before the policy has judged its chain again.
package struct SecurityPolicySnapshot: Sendable {
  /// Changes with every mutation of the policy, and is never shared by two policies.
  package let generation: UInt64
  /// Whether ``evaluate(chain:host:stapledOCSPResponse:at:)`` calls an overridden member of a subclass for any host. Such a verdict
  /// must not be asked for on a thread that serves others.
  package let runsUserCode: Bool
  let rule: Rule

  /// Whether the verdict about `host` calls an overridden member of a subclass.
  package func runsUserCode(forHost host: String?) -> Bool {
    guard runsUserCode, case .hosts(let rules, let otherwise) = rule else { return runsUserCode }
    return Self.choose(from: rules, otherwise: otherwise, host: host)?.runsUserCode(forHost: host) ?? false
  }

  indirect enum Rule: Sendable {
    case settings(PolicySettings)
    case subclass(AFSecurityPolicy)
    case hosts([(pattern: HostPattern, policy: SecurityPolicySnapshot)], otherwise: SecurityPolicySnapshot?)
    case all([SecurityPolicySnapshot])
    case any([SecurityPolicySnapshot])
  }

  init(generation: UInt64, rule: Rule) {
    self.generation = generation
    self.rule = rule
    runsUserCode =
      switch rule {
      case .settings: false
      case .subclass: true
      case .hosts(let rules, let otherwise):
        otherwise?.runsUserCode == true || rules.contains { $0.policy.runsUserCode }
      case .all(let policies), .any(let policies): policies.contains { $0.runsUserCode }
      }
  }

  /// Returns when the server is accepted.
  ///
  /// - Parameters:
  ///   - chain: The certificates in DER form, leaf first, as the server sent them.
  ///   - host: The host that was meant, a name or an address; nil leaves names unchecked.
  ///   - stapledOCSPResponse: The OCSP response from the handshake, DER.
  ///   - date: The moment to judge at; nil means the policy's `evaluationDate`, or now.
  /// - Throws: `AFSecurityError`, saying why the server is refused.
  package func evaluate(
    chain: [Data], host: String?, stapledOCSPResponse: Data? = nil, at date: Date? = nil
  ) throws(AFSecurityError) {
    let trust: AFServerTrust
    do {
      trust = try AFServerTrust(derRepresentations: chain, stapledOCSPResponse: stapledOCSPResponse)
    } catch {
      var error = error
      error.host = host
      throw error
    }
    do throws(AFSecurityError) {
      _ = try evaluate(trust, host: host, at: date)
    } catch {
      throw error.reported()
    }
  }

  /// Judges what a server presented, and leaves the outcome with `trust`.
  @discardableResult
  package func judge(_ trust: AFServerTrust, host: String?) throws(AFSecurityError) -> AFTrustEvaluation {
    try trust.judged(by: self, host: host, at: nil)
  }

  func evaluate(
    _ trust: AFServerTrust, host: String?, at date: Date?
  ) throws(AFSecurityError) -> AFTrustEvaluation {
    switch rule {
    case .settings(let settings):
      let evaluation = ChainEvaluation(
        settings: settings, presented: trust.core.presented, host: host,
        stapledResponse: trust.core.stapledOCSPResponse, date: date ?? PolicyQuestion.date)
      return try evaluation.run()
    case .subclass(let policy): return try Self.ask(policy, trust, host, date)
    case .hosts(let rules, let otherwise):
      guard let policy = Self.choose(from: rules, otherwise: otherwise, host: host) else {
        throw Self.refusal(.noPolicyForHost, "no policy is set for this host, and others are refused", trust, host)
      }
      return try policy.evaluate(trust, host: host, at: date)
    case .all(let policies):
      var result: AFTrustEvaluation?
      for policy in policies {
        let evaluation = try policy.evaluate(trust, host: host, at: date)
        result = result ?? evaluation
      }
      guard let result else { throw Self.refusal(.noPolicyForHost, Self.emptyComposition, trust, host) }
      return result
    case .any(let policies):
      var last: AFSecurityError?
      for policy in policies {
        do throws(AFSecurityError) {
          return try policy.evaluate(trust, host: host, at: date)
        } catch {
          let reports = (last?.pendingReports ?? []) + error.pendingReports
          last = error
          last?.pendingReports = reports
        }
      }
      throw last ?? Self.refusal(.noPolicyForHost, Self.emptyComposition, trust, host)
    }
  }

  private static func ask(
    _ policy: AFSecurityPolicy, _ trust: AFServerTrust, _ host: String?, _ date: Date?
  ) throws(AFSecurityError) -> AFTrustEvaluation {
    trust.core.forget()
    guard PolicyQuestion.ask(policy, trust, host, at: date) else {
      // A subclass that asks `super` leaves the reason behind.
      throw trust.evaluationError ?? refusal(.refusedByPolicy, "\(type(of: policy)) refused the server", trust, host)
    }
    return trust.core.lastEvaluation ?? AFTrustEvaluation(chain: trust.certificates)
  }

  private static let emptyComposition = "the policy is composed of no policies"

  private static func refusal(
    _ code: AFSecurityError.Code, _ reason: String, _ trust: AFServerTrust, _ host: String?
  ) -> AFSecurityError {
    var error = AFSecurityError(code, reason, chain: trust.certificates)
    error.host = host
    return error
  }

  /// The policy for `host`: the most exact pattern that matches it.
  static func choose(
    from rules: [(pattern: HostPattern, policy: SecurityPolicySnapshot)], otherwise: SecurityPolicySnapshot?,
    host: String?
  ) -> SecurityPolicySnapshot? {
    guard let host else { return otherwise }
    let matching = rules.filter { $0.pattern.matches(host) }
    return matching.max { $0.pattern.precision < $1.pattern.precision }?.policy ?? otherwise
  }
}
