import CNetlink

extension NetworkModel {
  /// The ways to everywhere, at most one for each family, for a process of user `user`.
  package func generalPaths(user: UInt32) -> [AFReachabilityPath] {
    Self.ordered([IPAddress.Family.ipv4, .ipv6].compactMap { generalPath($0, user: user) })
  }

  /// The way over one family. Both halves of its address space must have one; the first half's is given.
  private func generalPath(_ family: IPAddress.Family, user: UInt32) -> AFReachabilityPath? {
    let halves = Self.halves(family).map { wideRoute(to: $0, user: user) }
    guard let route = halves.first ?? nil, halves.allSatisfy({ $0 != nil }) else { return nil }
    return path(over: route)
  }

  /// 0.0.0.0/1 and 128.0.0.0/1; the halves of 2000::/3, which is all of IPv6 that is handed out.
  private static func halves(_ family: IPAddress.Family) -> [IPPrefix] {
    let texts = family == .ipv4 ? [("0.0.0.0", 1), ("128.0.0.0", 1)] : [("2000::", 4), ("3000::", 4)]
    return texts.compactMap { text, length in IPAddress(text).map { IPPrefix($0, length) } }
  }

  /// Walks the policy rules as the kernel does, but takes no route whose link is dead or which has no source address.
  private func wideRoute(to destination: IPPrefix, user: UInt32) -> NetworkRoute? {
    var floor: UInt32 = 0
    for rule in rules where rule.family == destination.address.family {
      guard rule.priority >= floor, rule.matches(destination: destination, user: user) else { continue }
      switch rule.action {
      case .nothing: break
      case .refuse: return nil
      case .goTo(let priority): floor = priority
      case .lookUp(let table):
        guard let route = bestRoute(to: destination, in: table), !isSuppressed(route, by: rule) else { continue }
        switch route.kind {
        case .unicast: return route
        case .throw: continue
        default: return nil
        }
      }
    }
    return nil
  }

  private func isSuppressed(_ route: NetworkRoute, by rule: RoutingRule) -> Bool {
    if let length = rule.suppressedPrefixLength, route.destination.length <= length { return true }
    guard let group = rule.suppressedGroup else { return false }
    return route.hops.contains { links[$0.linkIndex]?.group == group }
  }

  /// The longest prefix wins, then the lowest metric, among the routes that work. One with a type of service is for packets
  /// that ask for it, which those of an ordinary connection do not.
  private func bestRoute(to destination: IPPrefix, in table: UInt32) -> NetworkRoute? {
    routes
      .filter { $0.table == table && $0.typeOfService == 0 && $0.destination.contains(destination) && works($0) }
      .min { ($1.destination.length, $0.metric) < ($0.destination.length, $1.metric) }
  }

  private func works(_ route: NetworkRoute) -> Bool {
    guard route.kind == .unicast else { return !isNullEntry(route) }
    return path(over: route) != nil
  }

  /// IPv6's built-in last resort: not a refusal but the end of a table.
  private func isNullEntry(_ route: NetworkRoute) -> Bool {
    route.family == .ipv6 && route.kind == .unreachable && route.metric == .max
  }

  /// The path over the first next hop whose link works; loopback leads nowhere.
  private func path(over route: NetworkRoute) -> AFReachabilityPath? {
    for hop in route.hops {
      guard let link = links[hop.linkIndex], link.isUsable, !link.isLoopback else { continue }
      let preferred = route.preferredSource.flatMap { owns($0) ? $0 : nil }
      guard let source = preferred ?? source(on: link.index, route: route) else { continue }
      return path(
        family: route.family, link: link, source: source, gateway: hop.gateway, mtu: route.mtu
      )
    }
    return nil
  }

  /// The address packets would leave with: one of the link's own, or one of another interface.
  private func source(on index: Int32, route: NetworkRoute) -> IPAddress? {
    func first(_ list: [NetworkAddress]) -> IPAddress? {
      list.first { address in
        address.address.family == route.family && address.isUsableSource
          && route.source.map { $0.contains(address.address) } ?? true
      }?.address
    }
    if let own = addresses[index].flatMap(first) { return own }
    for other in addresses.keys.sorted() where other != index && links[other]?.isUp == true {
      if let source = addresses[other].flatMap(first) { return source }
    }
    return nil
  }
}

extension NetworkModel {
  /// Puts together what is known about one way out.
  package func path(
    family: IPAddress.Family, link: NetworkLink, source: IPAddress?, gateway: IPAddress?, mtu: Int?
  ) -> AFReachabilityPath {
    let kind = kind(of: link)
    return AFReachabilityPath(
      family: family == .ipv4 ? .ipv4 : .ipv6,
      interfaceName: link.name,
      interfaceIndex: Int(link.index),
      interfaceKind: kind,
      sourceAddress: source?.description,
      gateway: gateway?.description,
      mtu: mtu.map { $0 > 0 ? min($0, link.mtu) : link.mtu } ?? link.mtu,
      isLikelyMetered: kind == .cellular || kind == .tunnel && hasOnlyCellularUplinks
    )
  }

  /// What an interface is: a VLAN and its like are what they are stacked on.
  package func kind(of link: NetworkLink) -> AFInterfaceKind {
    let stacked: Set = ["vlan", "macvlan", "macvtap", "ipvlan", "ipvtap"]
    guard let driver = link.driverKind, stacked.contains(driver), let lower = link.lowerIndex.flatMap({ links[$0] }),
      lower.index != link.index, lower.driverKind.map(stacked.contains) != true
    else { return link.kind }
    return lower.kind
  }

  /// Whether whatever a tunnel runs over is a modem: there is a working wide route over one, and none over another link.
  private var hasOnlyCellularUplinks: Bool {
    let kinds = routes.flatMap(\.hops).compactMap { links[$0.linkIndex] }.filter(\.isUsable).map { kind(of: $0) }
    let uplinks = kinds.filter { $0 != .tunnel && $0 != .loopback }
    return !uplinks.isEmpty && uplinks.allSatisfy { $0 == .cellular }
  }

  /// The ways out of one interface; nil if there is none of that name.
  package func interfacePaths(_ name: String) -> [AFReachabilityPath]? {
    guard let link = links.values.first(where: { $0.name == name }) else { return nil }
    guard link.isUsable else { return [] }
    let paths = [IPAddress.Family.ipv4, .ipv6].compactMap { family -> AFReachabilityPath? in
      let own = addresses[link.index]?.first { address in
        address.address.family == family && (address.isUsableSource || link.isLoopback)
      }
      guard let own else { return nil }
      let route = routes.first { route in
        route.family == family && route.hops.contains { $0.linkIndex == link.index }
      }
      let hop = route?.hops.first { $0.linkIndex == link.index }
      return path(family: family, link: link, source: own.address, gateway: hop?.gateway, mtu: route?.mtu)
    }
    return Self.ordered(paths)
  }

  /// The way that the kernel's answer to a look-up describes; nil if packets would get nowhere.
  package func path(lookedUp route: NetworkRoute) -> AFReachabilityPath? {
    guard [.unicast, .local, .anycast, .broadcast, .multicast].contains(route.kind),
      let hop = route.hops.first, let link = links[hop.linkIndex], link.isUsable
    else { return nil }
    let destination = route.destination.address
    if route.kind == .unicast {
      // Another host cannot answer to a loopback address, which the kernel names while its own are still being checked for
      // duplicates; a global destination not to a link-local address; and nothing to none.
      guard let source = route.preferredSource, !source.isUnspecified, !source.isLoopback || destination.isLoopback
      else { return nil }
      if destination.family == .ipv6, source.isLinkLocal, !destination.isLinkLocal { return nil }
    }
    return path(
      family: destination.family, link: link, source: route.preferredSource, gateway: hop.gateway, mtu: route.mtu
    )
  }

  /// Not cellular before cellular, then IPv4 before IPv6.
  static func ordered(_ paths: [AFReachabilityPath]) -> [AFReachabilityPath] {
    func rank(_ path: AFReachabilityPath) -> Int {
      (path.interfaceKind == .cellular ? 2 : 0) + (path.family == .ipv4 ? 0 : 1)
    }
    return paths.sorted { rank($0) < rank($1) }
  }
}
