import AFSecurity
import Foundation

/// The hosts that are reached without a proxy, as `no_proxy` and CFNetwork's `ExceptionsList` name them.
///
/// A name stands for itself and all names below it, with or without a leading dot or "*."; an address for itself; an address
/// with a prefix length, as in "10.0.0.0/8", for its network; "*" for everything. A port behind a name or an address narrows it to
/// that port. Letter case and a last dot play no part. This is what curl, Go and Python have in common; where they differ, more hosts
/// are reached directly rather than fewer. It is looked at here and not by libcurl, because who judges a TLS proxy, and who is asked
/// about its credentials, has to know whether there is one.
struct ProxyExceptions: Sendable, Equatable {
  private struct Network: Sendable, Equatable {
    let address: [UInt8]
    let length: Int
    let port: Int?

    func contains(_ other: [UInt8]) -> Bool {
      guard other.count == address.count else { return false }
      return (0..<length).allSatisfy { bit in
        (address[bit / 8] ^ other[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
      }
    }
  }

  private struct Name: Sendable, Equatable {
    let name: String
    let port: Int?
  }

  private var names: [Name] = []
  private var networks: [Network] = []
  private var isEverything = false
  /// Entries that are none of these: they count for nothing.
  private(set) var notUnderstood: [String] = []

  init(_ entries: [String]) {
    for entry in entries {
      let text = entry.trimmingCharacters(in: .whitespaces).lowercased()
      if text.isEmpty { continue }
      if text == "*" {
        isEverything = true
      } else if let network = Self.network(text) {
        networks.append(network)
      } else if let name = Self.name(text) {
        names.append(name)
      } else {
        notUnderstood.append(entry)
      }
    }
  }

  /// The value of `no_proxy`: commas or blanks between the entries.
  init(list: String) {
    self.init(list.split { $0 == "," || $0.isWhitespace }.map(String.init))
  }

  var isEmpty: Bool { names.isEmpty && networks.isEmpty && !isEverything }

  /// Whether a host, as it stands in a URL, is reached directly. Without a port, entries that name one do not count.
  func contains(_ host: String, port: Int? = nil) -> Bool {
    if isEverything { return true }
    func isFor(_ wanted: Int?) -> Bool { wanted == nil || wanted == port }
    var host = host.lowercased()
    if let address = Self.address(host) { return networks.contains { isFor($0.port) && $0.contains(address) } }
    if host.hasSuffix(".") { host.removeLast() }
    return names.contains { isFor($0.port) && (host == $0.name || host.hasSuffix(".\($0.name)")) }
  }

  /// An address; one of IPv4 that is written as IPv6 is one of IPv4.
  private static func address(_ text: String) -> [UInt8]? {
    guard let octets = IPAddress(text: text)?.octets else { return nil }
    let isMapped =
      octets.count == 16 && octets.prefix(10).allSatisfy { $0 == 0 } && octets[10] == 0xFF && octets[11] == 0xFF
    return isMapped ? Array(octets.suffix(4)) : octets
  }

  private static func network(_ text: String) -> Network? {
    let (text, port) = withoutPort(text)
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = address(String(parts[0])) else { return nil }
    guard parts.count == 2 else { return Network(address: address, length: address.count * 8, port: port) }
    guard port == nil, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(parts[1]),
      (0...address.count * 8).contains(length)
    else { return nil }
    return Network(address: address, length: length, port: nil)
  }

  private static func name(_ text: String) -> Name? {
    var (text, port) = withoutPort(text)
    if text.hasPrefix("*.") { text.removeFirst() }
    if text.hasPrefix(".") { text.removeFirst() }
    if text.hasSuffix(".") { text.removeLast() }
    // What looks like an address and is none would be a name that no URL has.
    guard !text.isEmpty, !text.hasPrefix("."), !text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      text.utf8.allSatisfy({ byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-._~".utf8.contains(byte)
      })
    else { return nil }
    return Name(name: text, port: port)
  }

  /// An entry and the port behind it, if there is one: one colon alone, or one behind a bracket.
  private static func withoutPort(_ text: String) -> (String, Int?) {
    guard let colon = text.lastIndex(of: ":"), text[..<colon].hasSuffix("]") || !text[..<colon].contains(":"),
      case let digits = text[text.index(after: colon)...], (1...5).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits), (1...65535).contains(port)
    else { return (text, nil) }
    return (String(text[..<colon]), port)
  }
}
