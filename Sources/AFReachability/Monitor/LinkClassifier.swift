import Foundation

/// Finds out whether hardware is a radio, which rtnetlink does not tell.
package struct LinkClassifier: Sendable {
  /// Where sysfs shows the interfaces.
  package var directory: String
  /// Whether nl80211 calls the interface of that number wireless; nil if it cannot be asked.
  package var askKernel: @Sendable (Int32) -> Bool?

  package init(
    directory: String = "/sys/class/net",
    askKernel: @escaping @Sendable (Int32) -> Bool? = { WirelessQuery.overSocket()?.isWireless($0) }
  ) {
    self.directory = directory
    self.askKernel = askKernel
  }

  /// What the hardware behind `link` is. Software devices (those with a driver kind) are no radios.
  package func medium(of link: NetworkLink) -> LinkMedium {
    guard link.driverKind == nil, !link.isLoopback else { return .wired }
    if askKernel(link.index) == true { return .wifi }
    let path = "\(directory)/\(link.name)"
    // sysfs shows the namespace it was mounted in, which need not be ours: the same name may be another interface.
    guard let index = try? String(contentsOfFile: "\(path)/ifindex", encoding: .utf8),
      Int32(index.trimmingCharacters(in: .whitespacesAndNewlines)) == link.index
    else { return .wired }
    let files = FileManager.default
    if files.fileExists(atPath: "\(path)/phy80211") || files.fileExists(atPath: "\(path)/wireless") { return .wifi }
    let properties = (try? String(contentsOfFile: "\(path)/uevent", encoding: .utf8)) ?? ""
    switch properties.split(separator: "\n").first(where: { $0.hasPrefix("DEVTYPE=") })?.dropFirst(8) {
    case "wwan": return .cellular
    case "wlan": return .wifi
    default: return .wired
    }
  }
}
