/// Whether the network can be reached, and over what.
///
/// The cases and raw values are AFNetworking's.
public enum AFNetworkReachabilityStatus: Int, Sendable {
  /// Not known: monitoring has not told yet, or the system does not let us look.
  case unknown = -1
  /// No way there.
  case notReachable = 0
  /// Reachable over a cellular modem.
  case reachableViaWWAN = 1
  /// Reachable over anything else: Wi-Fi, Ethernet, a tunnel, loopback.
  case reachableViaWiFi = 2
}

/// A short English text for a status: "Unknown", "Not Reachable", "Reachable via WWAN" or "Reachable via WiFi".
@discardableResult
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
  switch status {
  case .unknown: "Unknown"
  case .notReachable: "Not Reachable"
  case .reachableViaWWAN: "Reachable via WWAN"
  case .reachableViaWiFi: "Reachable via WiFi"
  }
}
