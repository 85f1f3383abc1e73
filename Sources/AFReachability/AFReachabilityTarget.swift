/// What a monitor watches the way to.
public enum AFReachabilityTarget: Hashable, Sendable {
  /// The Internet at large: a default route over a link that works.
  case general
  /// A host, by name or by address ("api.example.com", "192.0.2.1", "fe80::1%eth0").
  ///
  /// The kernel is asked which route leads there. A name is resolved in the background, and again when the network
  /// changes.
  case host(String)
  /// An interface by its name: that it works and has an address to send from.
  case interface(String)
  /// Reachable when one of them is.
  indirect case any([AFReachabilityTarget])
  /// Reachable when each of them is.
  indirect case all([AFReachabilityTarget])
}
