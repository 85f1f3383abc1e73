/// The network as far as reachability depends on it: links, addresses, wide routes, policy rules.
///
/// A value without input or output: events go in, paths come out. What the kernel does without telling (it drops routes
/// when a link or an address goes) is either done here too or answered with ``Change/routesUncertain``.
package struct NetworkModel: Equatable, Sendable {
  package private(set) var links: [Int32: NetworkLink] = [:]
  package private(set) var addresses: [Int32: [NetworkAddress]] = [:]
  package private(set) var routes: [NetworkRoute] = []
  package private(set) var rules: [RoutingRule] = []

  /// What an event may have changed.
  package struct Change: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// What the model itself answers.
    package static let paths = Change(rawValue: 1)
    /// What the kernel answers about single destinations.
    package static let lookUps = Change(rawValue: 2)
    /// Routes may have gone without a word: they have to be asked for again.
    package static let routesUncertain = Change(rawValue: 4)
    /// Until that has been done, the model's answers may be wrong.
    package static let pathsUncertain = Change(rawValue: 8)
    package static let uncertain: Change = [.routesUncertain, .pathsUncertain]
  }

  package init() {}

  /// Takes in what the kernel told.
  package mutating func apply(_ event: NetworkEvent) -> Change {
    switch event {
    case .link(let update): return applyLink(update)
    case .linkRemoved(let index): return removeLink(index)
    case .address(let address): return applyAddress(address)
    case .addressRemoved(let address): return removeAddress(address)
    case .route(let route, let replaces): return applyRoute(route, replaces: replaces)
    case .routeRemoved(let route): return removeRoute(route)
    case .narrowRoute: return .lookUps
    case .rule(let rule):
      guard !rules.contains(rule) else { return [] }
      rules.append(rule)
      rules.sort { $0.priority < $1.priority }
      return [.paths, .lookUps]
    case .ruleRemoved(let rule):
      guard let index = rules.firstIndex(of: rule) else { return [] }
      rules.remove(at: index)
      return [.paths, .lookUps]
    }
  }

  /// Says what hardware is, which the kernel does not tell on this socket.
  package mutating func setMedium(_ medium: LinkMedium, ofLink index: Int32) {
    links[index]?.medium = medium
  }

  /// Takes the routes of a fresh dump for the old ones. True if they differ.
  package mutating func takeRoutes(from other: NetworkModel) -> Bool {
    guard routes != other.routes else { return false }
    routes = other.routes
    return true
  }

  /// For kernels built without policy routing.
  package mutating func useDefaultRules() {
    rules = RoutingRule.defaults
  }
}

// MARK: Links and addresses

extension NetworkModel {
  private mutating func applyLink(_ update: LinkUpdate) -> Change {
    let old = links[update.index]
    guard let name = update.name ?? old?.name else { return [] }
    var link = NetworkLink(
      index: update.index,
      name: name,
      flags: update.flags,
      hardwareType: update.hardwareType,
      operationalState: update.operationalState ?? old?.operationalState,
      mtu: update.mtu ?? old?.mtu ?? 0,
      driverKind: update.driverKind ?? old?.driverKind,
      lowerIndex: update.lowerIndex ?? old?.lowerIndex,
      group: update.group ?? old?.group ?? 0
    )
    link.medium = old?.medium ?? .unknown
    guard link != old else { return [] }
    links[link.index] = link
    var change: Change = [.paths, .lookUps]
    if let old, old.isUp, !link.isUp { change.formUnion(dropRoutes(over: link.index)) }
    return change
  }

  private mutating func removeLink(_ index: Int32) -> Change {
    guard links.removeValue(forKey: index) != nil else { return [] }
    addresses[index] = nil
    return dropRoutes(over: index).union([.paths, .lookUps])
  }

  /// The kernel drops the IPv4 routes of a link that goes down without a message for each.
  private mutating func dropRoutes(over index: Int32) -> Change {
    let count = routes.count
    routes.removeAll { !$0.hops.isEmpty && $0.hops.allSatisfy { $0.linkIndex == index } }
    let isShared = routes.contains { $0.hops.contains { $0.linkIndex == index } }
    return routes.count != count || isShared ? .routesUncertain : []
  }

  private mutating func applyAddress(_ address: NetworkAddress) -> Change {
    var list = addresses[address.linkIndex] ?? []
    if let index = list.firstIndex(where: { $0.isSame(as: address) }) {
      guard list[index] != address else { return [] }
      list[index] = address
    } else {
      list.append(address)
    }
    addresses[address.linkIndex] = list
    return [.paths, .lookUps]
  }

  private mutating func removeAddress(_ address: NetworkAddress) -> Change {
    guard let index = addresses[address.linkIndex]?.firstIndex(where: { $0.isSame(as: address) }) else { return [] }
    addresses[address.linkIndex]?.remove(at: index)
    if addresses[address.linkIndex]?.isEmpty == true { addresses[address.linkIndex] = nil }
    let isAffected = routes.contains { route in
      route.preferredSource == address.address || route.hops.contains { $0.linkIndex == address.linkIndex }
    }
    if address.address.family == .ipv4 { dropRoutes(after: address) }
    return isAffected ? [.paths, .lookUps, .routesUncertain] : [.paths, .lookUps]
  }

  /// With its last IPv4 address a link loses its IPv4 routes, and any address takes those along that prefer it. The
  /// kernel does not tell.
  private mutating func dropRoutes(after gone: NetworkAddress) {
    if addresses[gone.linkIndex]?.contains(where: { $0.address.family == .ipv4 }) != true {
      routes.removeAll { route in
        route.family == .ipv4 && !route.hops.isEmpty && route.hops.allSatisfy { $0.linkIndex == gone.linkIndex }
      }
    }
    if !owns(gone.address) {
      routes.removeAll { $0.family == .ipv4 && $0.preferredSource == gone.address }
    }
  }

  /// Whether it is an address of this host.
  package func owns(_ address: IPAddress) -> Bool {
    addresses.values.contains { $0.contains { $0.address == address } }
  }
}

// MARK: Routes

extension NetworkModel {
  private mutating func applyRoute(_ route: NetworkRoute, replaces: Bool) -> Change {
    let changed: Change = [.paths, .lookUps]
    guard !routes.contains(route) else {
      return replaces && siblings(of: route).count > 1 ? changed.union(.uncertain) : []
    }
    let siblings = siblings(of: route)
    if replaces, siblings.count == 1 {
      routes[siblings[0]] = route
    } else {
      routes.append(route)
    }
    // Which of several was replaced is not said; and IPv6 tells of a next hop that joins others in several ways.
    let isAmbiguous = replaces ? siblings.count > 1 : route.family == .ipv6 && !siblings.isEmpty
    return isAmbiguous ? changed.union(.uncertain) : changed
  }

  private mutating func removeRoute(_ route: NetworkRoute) -> Change {
    let changed: Change = [.paths, .lookUps]
    if let index = routes.firstIndex(of: route) {
      routes.remove(at: index)
      return changed
    }
    // A next hop that left a group, or a route that went silently before.
    return siblings(of: route).isEmpty ? .lookUps : changed.union(.uncertain)
  }

  private func siblings(of route: NetworkRoute) -> [Int] {
    routes.indices.filter { routes[$0].hasSameKey(as: route) }
  }
}
