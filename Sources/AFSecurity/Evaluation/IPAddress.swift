import Foundation

/// The octets of an IP address as a certificate carries them.
package struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  package let octets: [UInt8]

  init(_ octets: [UInt8]) { self.octets = octets }

  /// Dotted-decimal IPv4, or IPv6 with or without brackets and zone; anything else is nil.
  package init?(text: String) {
    // C would stop reading there and take the rest for nothing.
    guard !text.utf8.contains(0) else { return nil }
    var text = Substring(text)
    if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
    var v4 = in_addr()
    if inet_pton(AF_INET, String(text), &v4) == 1 {
      octets = withUnsafeBytes(of: &v4) { Array($0) }
      return
    }
    // The zone says through which interface; a certificate cannot know it.
    if let zone = text.firstIndex(of: "%") { text = text[..<zone] }
    var v6 = in6_addr()
    guard inet_pton(AF_INET6, String(text), &v6) == 1 else { return nil }
    octets = withUnsafeBytes(of: &v6) { Array($0) }
  }

  package var description: String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family =
      switch octets.count {
      case 4: AF_INET
      case 16: AF_INET6
      default: AF_UNSPEC
      }
    guard family != AF_UNSPEC, inet_ntop(family, octets, &buffer, socklen_t(buffer.count)) != nil else {
      return octets.map { String(format: "%02x", $0) }.joined()
    }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
