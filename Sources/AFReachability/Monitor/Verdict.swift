/// What is to be said about a target, without the time since when.
struct Verdict: Equatable {
  var status: AFNetworkReachabilityStatus
  var paths: [AFReachabilityPath] = []
  var failure: AFReachabilityError?

  init(_ state: AFReachabilityState) {
    status = state.status
    paths = state.paths
    failure = state.failure
  }

  /// Reachable if there are paths: over a modem if the best of them is one.
  init(paths: [AFReachabilityPath]) {
    self.paths = paths
    switch paths.first?.interfaceKind {
    case nil: status = .notReachable
    case .cellular: status = .reachableViaWWAN
    default: status = .reachableViaWiFi
    }
  }

  init(notReachable failure: AFReachabilityError) {
    status = .notReachable
    self.failure = failure
  }

  init(unknown failure: AFReachabilityError) {
    status = .unknown
    self.failure = failure
  }

  var isReachable: Bool { !paths.isEmpty }

  /// Reachable as soon as one of `members` is; nil while that may still turn out.
  static func any(_ members: [Verdict?]) -> Verdict? {
    let known = members.compactMap { $0 }
    let paths = known.flatMap(\.paths)
    if !paths.isEmpty { return Verdict(paths: onePerFamily(paths)) }
    guard known.count == members.count else { return nil }
    return known.first { $0.status == .unknown } ?? known.first ?? Verdict(notReachable: .invalidTarget("any of none"))
  }

  /// Reachable when each of `members` is; nil while that may still turn out.
  static func all(_ members: [Verdict?]) -> Verdict? {
    let known = members.compactMap { $0 }
    if let obstacle = known.first(where: { !$0.isReachable }) { return obstacle }
    guard known.count == members.count else { return nil }
    guard !known.isEmpty else { return Verdict(notReachable: .invalidTarget("all of none")) }
    var verdict = Verdict(paths: onePerFamily(known.flatMap(\.paths)))
    // A modem on the way to one of them makes the whole expensive.
    if known.contains(where: { $0.status == .reachableViaWWAN }) { verdict.status = .reachableViaWWAN }
    return verdict
  }

  /// The best path of each family.
  static func onePerFamily(_ paths: [AFReachabilityPath]) -> [AFReachabilityPath] {
    var families: Set<AFReachabilityPath.Family> = []
    return NetworkModel.ordered(paths).filter { families.insert($0.family).inserted }
  }
}
