import AFSupport

/// An address to look up, with the interface that a link-local one is on.
struct Destination: Hashable {
  let address: IPAddress
  /// The interface's name or number.
  let scope: String?

  /// Reads "192.0.2.1", "2001:db8::1", "[2001:db8::1]" or "fe80::1%eth0"; nil for a name.
  init?(_ host: String) {
    let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    let parts = bare.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
    self.init(address: address, scope: parts.count == 2 ? String(parts[1]) : nil)
  }

  init(_ address: SocketAddress) {
    self.init(address: address.address, scope: address.scope.map(String.init))
  }

  init(address: IPAddress, scope: String?) {
    self.address = address
    self.scope = scope
  }
}

extension AFReachabilityTarget {
  /// Whether links, addresses, routes and rules alone decide it.
  var isModelled: Bool {
    switch self {
    case .general, .interface: true
    case .host: false
    case .any(let members), .all(let members): members.allSatisfy(\.isModelled)
    }
  }

  /// The names in it that have to be resolved.
  var names: Set<String> {
    switch self {
    case .general, .interface: []
    case .host(let host): Destination(host) == nil && !Self.isLocalhost(host) ? [host] : []
    case .any(let members), .all(let members): members.reduce(into: []) { $0.formUnion($1.names) }
    }
  }

  /// Whether `host` is this host's loopback, by name or by address.
  package static func isLoopback(_ host: String) -> Bool {
    isLocalhost(host) || Destination(host)?.address.isLoopback ?? false
  }

  /// RFC 6761: "localhost" and the names below it are this host, and no resolver is asked.
  static func isLocalhost(_ name: String) -> Bool {
    let lower = (name.hasSuffix(".") ? String(name.dropLast()) : name).lowercased()
    return lower == "localhost" || lower.hasSuffix(".localhost")
  }
}

extension MonitorLoop {
  /// What is to be said about `target` now; nil if that cannot be said yet.
  func verdict(on target: AFReachabilityTarget) -> Verdict? {
    if let failure { return Verdict(unknown: failure) }
    guard let watch, !watch.isStale else { return nil }
    switch target {
    case .general: return Verdict(paths: watch.model.generalPaths(user: user))
    case .interface(let name):
      guard let paths = watch.model.interfacePaths(name) else {
        return Verdict(notReachable: .noSuchInterface(name: name))
      }
      return Verdict(paths: paths)
    case .host(let host): return verdict(onHost: host)
    case .any(let members): return .any(members.map { verdict(on: $0) })
    case .all(let members): return .all(members.map { verdict(on: $0) })
    }
  }

  private func verdict(onHost host: String) -> Verdict? {
    if let destination = Destination(host) { return verdict(on: [destination]) }
    if AFReachabilityTarget.isLocalhost(host) {
      return verdict(on: ["127.0.0.1", "::1"].compactMap { Destination($0) })
    }
    switch names.answer(for: host, now: .now) {
    case .pending: return nil
    case .failed(let reason): return Verdict(notReachable: .nameNotResolved(name: host, reason: reason))
    case .addresses(let addresses): return verdict(on: addresses.map { Destination($0) })
    }
  }

  private func verdict(on destinations: [Destination]) -> Verdict? {
    var paths: [AFReachabilityPath] = []
    for destination in destinations {
      if let path = lookUp(destination) { paths.append(path) }
    }
    // A look-up that failed or lost its answer has spoilt this round; it is made again.
    guard lookUpFailure == nil, watch?.isStale == false else { return nil }
    return Verdict(paths: Verdict.onePerFamily(paths))
  }

  /// Asks the kernel, unless it has been asked since the last change.
  private func lookUp(_ destination: Destination) -> AFReachabilityPath? {
    if let known = lookUps[destination] { return known }
    guard let watch, !watch.isStale else { return nil }
    var scope: Int32?
    if let text = destination.scope {
      scope = watch.model.links.values.first { $0.name == text }?.index ?? Int32(text)
      guard let scope, scope > 0 else { return nil }
    }
    monitor.count { $0.lookUps += 1 }
    do throws(POSIXFailure) {
      let path = try watch.lookUp(destination.address, scope: scope).flatMap { watch.model.path(lookedUp: $0) }
      lookUps[destination] = .some(path)
      return path
    } catch {
      lookUpFailure = error
      return nil
    }
  }
}
