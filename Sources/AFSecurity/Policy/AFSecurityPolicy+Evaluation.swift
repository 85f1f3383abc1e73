import AFSupport
public import Foundation

extension AFSecurityPolicy {
  /// Judges a server and says why it is refused.
  ///
  /// A subclass that overrides ``evaluateServerTrust(_:forDomain:)`` is asked. Called from within such an override, this is the
  /// verdict of the settings, as `super` gives it.
  ///
  /// - Parameters:
  ///   - trust: What the server presented.
  ///   - domain: The host that was meant, a name or an address; nil leaves names unchecked.
  ///   - date: The moment to judge at; nil means ``evaluationDate``, or now.
  /// - Returns: The validated path and the pin that matched.
  /// - Throws: `AFSecurityError` with the reason, the certificate at fault and the whole chain.
  @discardableResult
  public func evaluate(
    _ trust: AFServerTrust, forDomain domain: String?, at date: Date? = nil
  ) throws(AFSecurityError) -> AFTrustEvaluation {
    try trust.judged(by: PolicyQuestion.isAsked(self) ? ownSnapshot() : snapshot(), host: domain, at: date)
  }

  /// Makes connections that this policy accepted be judged again before they carry another request.
  ///
  /// Changing a property does this by itself. A subclass whose verdict depends on state of its own calls it when that changes.
  public func invalidateVerdicts() { core.renew() }

  /// The policy as it is now. One that overrides nothing is as quick as ours.
  package func snapshot() -> SecurityPolicySnapshot {
    overrides.isEmpty ? plainSnapshot() : SecurityPolicySnapshot(generation: core.generation, rule: .subclass(self))
  }

  /// Changes with every mutation of this policy or of a member, and is never shared by two policies.
  package var generation: UInt64 { core.generation }

  /// Whether the policy has any pin to compare: then it makes no sense without TLS.
  package var pinsAnything: Bool {
    if !overrides.isEmpty, let settings = ownSettings { return settings.effectiveMode != .none }
    return core.ownPinning ?? core.rule.members.contains(where: \.pinsAnything)
  }

  /// The policy as it is now, with the settings that a subclass overrides, an overridden verdict not asked.
  func ownSnapshot() -> SecurityPolicySnapshot {
    guard !overrides.subtracting(.verdict).isEmpty, let settings = ownSettings else { return plainSnapshot() }
    return SecurityPolicySnapshot(generation: core.generation, rule: .settings(settings))
  }

  /// The policy as it is now, a subclass not asked for anything.
  func plainSnapshot() -> SecurityPolicySnapshot {
    core.snapshot { rule, generation in
      let snapshotRule: SecurityPolicySnapshot.Rule =
        switch rule {
        case .settings(let settings): .settings(settings)
        case .hosts(let rules, let otherwise):
          .hosts(rules.map { ($0.pattern, $0.policy.snapshot()) }, otherwise: otherwise?.snapshot())
        case .all(let policies): .all(policies.map { $0.snapshot() })
        case .any(let policies): .any(policies.map { $0.snapshot() })
        }
      return SecurityPolicySnapshot(generation: generation, rule: snapshotRule)
    }
  }
}
