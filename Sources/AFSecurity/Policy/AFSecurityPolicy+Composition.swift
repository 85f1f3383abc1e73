extension AFSecurityPolicy {
  /// A policy that leaves the verdict to another one, chosen by host.
  ///
  ///     let policy = try AFSecurityPolicy.perHost(["api.example.com": pinned, "*.example.com": privateAuthority])
  ///
  /// A key is a host name, an address, or `*.` and a name for all hosts below it, at any depth. The most exact key wins. A member
  /// that is changed later counts as changed here too; the settings of the composed policy itself have no effect.
  ///
  /// - Parameters:
  ///   - policies: The policies by host.
  ///   - excluded: Hosts that none of the policies is for, in the same form, such as a subdomain of a pinned one that others run. They
  ///     are judged by a default policy: the system's authorities, and the name.
  ///   - otherwise: The policy for all other hosts; nil refuses them with code `noPolicyForHost`.
  /// - Returns: The composed policy.
  /// - Throws: `AFSecurityError` with code `noPolicyForHost` for a key that can match no host, or one that is there twice.
  public class func perHost(
    _ policies: [String: AFSecurityPolicy], excluding excluded: Set<String> = [], otherwise: AFSecurityPolicy? = nil
  ) throws(AFSecurityError) -> AFSecurityPolicy {
    var rules: [HostPattern: AFSecurityPolicy] = [:]
    let plain = AFSecurityPolicy()
    for (text, policy) in Array(policies) + excluded.map({ ($0, plain) }) {
      guard let pattern = HostPattern(text) else {
        throw AFSecurityError(.noPolicyForHost, "'\(text)' is neither a host, nor an address, nor '*.' and a name")
      }
      guard rules.updateValue(policy, forKey: pattern) == nil else {
        throw AFSecurityError(.noPolicyForHost, "'\(text)' is named twice")
      }
    }
    let hostRules = rules.map { PolicyCore.HostRule(pattern: $0, policy: $1) }
    return AFSecurityPolicy(rule: .hosts(hostRules, otherwise: otherwise))
  }

  /// A policy that accepts what every one of `policies` accepts; none of them means nothing.
  public class func allOf(_ policies: [AFSecurityPolicy]) -> AFSecurityPolicy {
    AFSecurityPolicy(rule: .all(policies))
  }

  /// A policy that accepts what at least one of `policies` accepts; the error is the last one's.
  public class func anyOf(_ policies: [AFSecurityPolicy]) -> AFSecurityPolicy {
    AFSecurityPolicy(rule: .any(policies))
  }
}
