import AFSecurity
import Foundation

/// The hosts that are reached without a proxy, as `no_proxy` and CFNetwork's `ExceptionsList` name them.
///
/// A name stands for itself and all names below it, with or without a leading dot or "*."; an address for itself; an address
/// with a prefix length, as in "10.0.0.0/8", for its network; "*" for everything. It is looked at here and not by libcurl,
/// because who judges a TLS proxy, and who is asked about its credentials, has to know whether there is one.
struct ProxyExceptions: Sendable, Equatable {
  private struct Network: Sendable, Equatable {
    let address: [UInt8]
    let length: Int

    func contains(_ other: [UInt8]) -> Bool {
      guard other.count == address.count else { return false }
      return (0..<length).allSatisfy { bit in
        (address[bit / 8] ^ other[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
      }
    }
  }

  private var names: [String] = []
  private var networks: [Network] = []
  private var isEverything = false

  init(_ entries: [String]) {
    for entry in entries {
      var name = entry.trimmingCharacters(in: .whitespaces).lowercased()
      if name == "*" { isEverything = true }
      if let network = Self.network(name) {
        networks.append(network)
        continue
      }
      if name.hasPrefix("*.") { name.removeFirst() }
      if name.hasPrefix(".") { name.removeFirst() }
      if name.hasSuffix(".") { name.removeLast() }
      if !name.isEmpty { names.append(name) }
    }
  }

  /// The value of `no_proxy`: commas or blanks between the entries.
  init(list: String) {
    self.init(list.split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init))
  }

  var isEmpty: Bool { names.isEmpty && networks.isEmpty && !isEverything }

  /// Whether a host, as it stands in a URL, is reached directly.
  func contains(_ host: String) -> Bool {
    if isEverything { return true }
    var host = host.lowercased()
    if let address = IPAddress(text: host) { return networks.contains { $0.contains(address.octets) } }
    if host.hasSuffix(".") { host.removeLast() }
    return names.contains { host == $0 || host.hasSuffix(".\($0)") }
  }

  private static func network(_ text: String) -> Network? {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = IPAddress(text: String(parts[0]))?.octets else { return nil }
    guard parts.count == 2 else { return Network(address: address, length: address.count * 8) }
    guard let length = Int(parts[1]), (0...address.count * 8).contains(length) else { return nil }
    return Network(address: address, length: length)
  }
}
