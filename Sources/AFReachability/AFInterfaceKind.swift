import CNetlink

/// What a network interface is.
public enum AFInterfaceKind: String, Hashable, Sendable {
  /// A wire, or software that behaves like one: Ethernet, a bridge, a bond, a VLAN, a virtual pair.
  case ethernet
  /// A wireless LAN.
  case wifi
  /// A modem, or a point-to-point link as modems make them (PPP, raw IP).
  case cellular
  /// A VPN or another tunnel: tun, WireGuard, GRE, IP in IP, …
  case tunnel
  /// This host itself.
  case loopback
  /// Something else.
  case other
}

extension NetworkLink {
  /// The kind by name, hardware type and driver; `medium` tells the radios among what looks like Ethernet.
  package var kind: AFInterfaceKind {
    if isLoopback { return .loopback }
    if isCellular { return .cellular }
    if medium == .wifi { return .wifi }
    if isTunnel { return .tunnel }
    return Int32(hardwareType) == ARPHRD_ETHER ? .ethernet : .other
  }

  private var isCellular: Bool {
    let modemTypes = [ARPHRD_PPP, ARPHRD_RAWIP]
    return medium == .cellular || modemTypes.contains(Int32(hardwareType))
      || ["wwan", "rmnet"].contains(driverKind)
      || ["wwan", "ppp", "rmnet"].contains { name.hasPrefix($0) }
  }

  private var isTunnel: Bool {
    let types = [ARPHRD_NONE, ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT, ARPHRD_IPGRE, ARPHRD_IP6GRE]
    let drivers: Set = [
      "tun", "wireguard", "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "ipip", "ip6tnl", "sit", "vti", "vti6",
      "xfrm", "vxlan", "geneve", "ovpn", "ovpn-dco", "gtp", "amt",
    ]
    return types.contains(Int32(hardwareType)) || driverKind.map(drivers.contains) ?? false
  }
}
