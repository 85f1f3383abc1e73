public import Foundation

/// What is known about the way to a target at one moment.
public struct AFReachabilityState: Hashable, Sendable {
  /// The answer in AFNetworking's terms.
  public var status: AFNetworkReachabilityStatus
  /// The ways there, at most one for each address family; empty unless reachable. The first is the one that the
  /// ``status`` and the single-value properties are about: not cellular before cellular, then IPv4 before IPv6.
  public var paths: [AFReachabilityPath]
  /// Why the target is not reachable or its state not known, if that is not just the want of a route.
  public var failure: AFReachabilityError?
  /// When ``status`` took its present value, as far as this process has watched.
  public var since: Date

  /// Makes a state by hand, for tests and previews.
  public init(
    status: AFNetworkReachabilityStatus,
    paths: [AFReachabilityPath] = [],
    failure: AFReachabilityError? = nil,
    since: Date = Date()
  ) {
    self.status = status
    self.paths = paths
    self.failure = failure
    self.since = since
  }

  /// Whether there is a way, cellular or not. Unknown counts as no.
  public var isReachable: Bool { status == .reachableViaWWAN || status == .reachableViaWiFi }

  /// The interface's name, such as "eth0".
  public var interfaceName: String? { paths.first?.interfaceName }

  /// What the interface is.
  public var interfaceKind: AFInterfaceKind? { paths.first?.interfaceKind }

  /// The address that packets leave with.
  public var sourceAddress: String? { paths.first?.sourceAddress }

  /// The router, or nil if the target is on the link itself.
  public var gateway: String? { paths.first?.gateway }

  /// The largest packet that the first link of the path takes, in bytes.
  public var mtu: Int? { paths.first?.mtu }

  /// A guess whether traffic costs money: the path is cellular, or a tunnel while the only uplinks are cellular.
  public var isLikelyMetered: Bool { paths.first?.isLikelyMetered ?? false }

  /// Whether there is a way over IPv4.
  public var supportsIPv4: Bool { paths.contains { $0.family == .ipv4 } }

  /// Whether there is a way over IPv6.
  public var supportsIPv6: Bool { paths.contains { $0.family == .ipv6 } }
}

/// One way to a target, over one address family.
public struct AFReachabilityPath: Hashable, Sendable {
  /// The address families of the Internet.
  public enum Family: String, Hashable, Sendable {
    /// Version 4.
    case ipv4
    /// Version 6.
    case ipv6
  }

  /// IPv4 or IPv6.
  public var family: Family
  /// The outgoing interface's name, such as "eth0".
  public var interfaceName: String
  /// The outgoing interface's number, as in `if_nametoindex`.
  public var interfaceIndex: Int
  /// What the outgoing interface is.
  public var interfaceKind: AFInterfaceKind
  /// The address that packets leave with, if one is known.
  public var sourceAddress: String?
  /// The next router, or nil if there is none on the way out.
  public var gateway: String?
  /// The largest packet that the link, or the route if it says less, takes, in bytes.
  public var mtu: Int
  /// A guess whether traffic costs money.
  public var isLikelyMetered: Bool

  /// Makes a path by hand, for tests and previews.
  public init(
    family: Family,
    interfaceName: String,
    interfaceIndex: Int,
    interfaceKind: AFInterfaceKind,
    sourceAddress: String? = nil,
    gateway: String? = nil,
    mtu: Int,
    isLikelyMetered: Bool = false
  ) {
    self.family = family
    self.interfaceName = interfaceName
    self.interfaceIndex = interfaceIndex
    self.interfaceKind = interfaceKind
    self.sourceAddress = sourceAddress
    self.gateway = gateway
    self.mtu = mtu
    self.isLikelyMetered = isLikelyMetered
  }
}
