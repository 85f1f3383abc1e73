import AFSupport

/// The state of a policy, shared by its open shell and by those who evaluate with it.
final class PolicyCore: Sendable {
  struct State: Sendable {
    var rule: Rule
    var generation: UInt64
    /// The snapshot of this generation, once somebody asked for it.
    var snapshot: SecurityPolicySnapshot?
    /// For composed policies: the youngest generation among the members when `generation` was taken.
    var youngestMember: UInt64 = 0
  }

  /// What the verdict comes from.
  enum Rule: Sendable {
    case settings(PolicySettings)
    case hosts([HostRule], otherwise: AFSecurityPolicy?)
    case all([AFSecurityPolicy])
    case any([AFSecurityPolicy])

    var members: [AFSecurityPolicy] {
      switch self {
      case .settings: []
      case .hosts(let rules, let otherwise): rules.map(\.policy) + (otherwise.map { [$0] } ?? [])
      case .all(let policies), .any(let policies): policies
      }
    }
  }

  struct HostRule: Sendable {
    let pattern: HostPattern
    let policy: AFSecurityPolicy
  }

  private let state: Locked<State>

  init(_ rule: Rule) {
    state = Locked(State(rule: rule, generation: Self.nextGeneration()))
  }

  var rule: Rule { state.withLock { $0.rule } }

  /// The settings of a plain policy; a composed one has none of its own and shows the defaults.
  var settings: PolicySettings {
    guard case .settings(let settings) = rule else { return PolicySettings() }
    return settings
  }

  /// Whether a plain policy pins; nil for a composed one. Asked before every request, so nothing is copied for it.
  var ownPinning: Bool? {
    state.withLock { state in
      if case .settings(let settings) = state.rule { return settings.effectiveMode != .none }
      return nil
    }
  }

  /// Changes the settings and starts a new generation. A composed policy has nothing to change.
  func update(_ change: (inout PolicySettings) -> Void) {
    let generation = Self.nextGeneration()
    state.change { state in
      guard case .settings(var settings) = state.rule else { return }
      change(&settings)
      state.rule = .settings(settings)
      state.generation = generation
      state.snapshot = nil
    }
  }

  /// Makes the verdict come from something else, and starts a new generation.
  func replace(with rule: Rule) {
    let generation = Self.nextGeneration()
    state.change { state in
      state.rule = rule
      state.generation = generation
      state.snapshot = nil
    }
  }

  /// Starts a new generation without a change of settings.
  func renew() {
    let generation = Self.nextGeneration()
    state.change { state in
      state.generation = generation
      state.snapshot = nil
    }
  }

  /// Changes with every mutation, also of a member; no two policies ever share one.
  var generation: UInt64 {
    let (members, own) = state.withLock { ($0.rule.members, $0.generation) }
    guard let youngest = members.map(\.core.generation).max() else { return own }
    // Taken before the lock: two locks are never held at a time.
    let next = Self.nextGeneration()
    return state.change { state in
      if state.youngestMember != youngest {
        state.youngestMember = youngest
        state.generation = next
        state.snapshot = nil
      }
      return state.generation
    }
  }

  /// The snapshot that `make` takes, kept for as long as the generation lasts.
  func snapshot(
    _ make: (Rule, _ generation: UInt64) -> SecurityPolicySnapshot
  ) -> SecurityPolicySnapshot {
    // Members first: what is read after the number is at least as new as the number says.
    let generation = generation
    let (kept, rule) = state.withLock { ($0.snapshot, $0.rule) }
    if let kept, kept.generation == generation { return kept }
    let snapshot = make(rule, generation)
    state.change { if $0.generation == generation { $0.snapshot = snapshot } }
    return snapshot
  }

  private static let counter = Locked<UInt64>(0)

  private static func nextGeneration() -> UInt64 {
    counter.withLock { counter in
      counter += 1
      return counter
    }
  }
}
