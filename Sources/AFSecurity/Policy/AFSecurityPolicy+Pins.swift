extension AFSecurityPolicy {
  /// Whether the policy pins something for a host, in whatever it is composed of.
  package func pins(host: String) -> Bool {
    guard type(of: self) == AFSecurityPolicy.self else {
      // A subclass decides by itself; what it was set up with is all that can be said.
      return core.ownPinning ?? true
    }
    switch core.rule {
    case .settings(let settings): return settings.effectiveMode != .none
    case .all(let policies), .any(let policies): return policies.contains { $0.pins(host: host) }
    case .hosts(let rules, let otherwise):
      let best = rules.filter { $0.pattern.matches(host) }.max { $0.pattern.precision < $1.pattern.precision }
      return (best?.policy ?? otherwise)?.pins(host: host) ?? false
    }
  }
}
