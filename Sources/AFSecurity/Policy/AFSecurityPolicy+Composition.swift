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
  ///   - otherwise: The policy for all other hosts; nil refuses them with code `noPolicyForHost`.
  /// - Returns: The composed policy.
  /// - Throws: `AFSecurityError` with code `noPolicyForHost` for a key that can match no host.
  public class func perHost(
    _ policies: [String: AFSecurityPolicy], otherwise: AFSecurityPolicy? = nil
  ) throws(AFSecurityError) -> AFSecurityPolicy {
    let rules = try policies.map { text, policy throws(AFSecurityError) in
      guard let pattern = HostPattern(text) else {
        throw AFSecurityError(.noPolicyForHost, "'\(text)' is neither a host, nor an address, nor '*.' and a name")
      }
      return PolicyCore.HostRule(pattern: pattern, policy: policy)
    }
    return AFSecurityPolicy(rule: .hosts(rules, otherwise: otherwise))
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
