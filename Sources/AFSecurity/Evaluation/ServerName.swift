import Foundation

/// What a client calls the server, in the form that certificates are compared with.
enum ServerName: Sendable, Hashable {
  /// A host name in ASCII, without a trailing dot.
  case dns(String)
  case address(IPAddress)
  /// A text that names no host; it matches no certificate.
  case unusable(String)

  init(_ host: String) {
    if let address = IPAddress(text: host) {
      self = .address(address)
      return
    }
    var name = host.hasSuffix(".") ? String(host.dropLast()) : host
    if !name.utf8.allSatisfy({ $0 < 0x80 }) {
      var components = URLComponents()
      components.host = name
      name = components.encodedHost ?? ""
    }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let isWellFormed = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.utf8.allSatisfy(Self.isNameOctet)
    }
    // `127.1` and `0x7f.0.0.1` are addresses to a resolver (URL standard, "ends in a number"), never names.
    let endsInNumber = labels.last.map { $0.allSatisfy(\.isNumber) || $0.lowercased().hasPrefix("0x") } ?? true
    self = isWellFormed && !endsInNumber && name.utf8.count <= 253 ? .dns(name) : .unusable(host)
  }

  /// Whether a label has an underscore: OpenSSL takes no wildcard for such a name, but curl and the browsers do.
  var hasOddLabel: Bool {
    if case .dns(let name) = self { name.utf8.contains(UInt8(ascii: "_")) } else { false }
  }

  private static func isNameOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }
}
