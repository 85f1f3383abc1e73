import Foundation

/// A host name, an address, or `*.` and the rest of a name: which hosts a policy is for.
struct HostPattern: Sendable, Hashable {
  private let name: ServerName
  /// Whether the name's first label was `*`; it then stands for one or more labels.
  private let isWildcard: Bool

  /// Nil for a text that can match no host.
  init?(_ text: String) {
    isWildcard = text.hasPrefix("*.")
    name = ServerName(isWildcard ? String(text.dropFirst(2)) : text).lowercased
    switch name {
    case .dns: break
    case .address where !isWildcard: break
    case .address, .unusable: return nil
    }
  }

  /// Longer names win over shorter ones, and exact names over wildcards.
  var precision: Int {
    guard case .dns(let text) = name else { return .max }
    return isWildcard ? text.utf8.count : text.utf8.count + 1_000
  }

  func matches(_ host: String) -> Bool {
    let candidate = ServerName(host).lowercased
    guard isWildcard, case .dns(let suffix) = name, case .dns(let text) = candidate else { return candidate == name }
    return text.hasSuffix("." + suffix)
  }
}

extension ServerName {
  /// The name in the form that two equal names share.
  var lowercased: ServerName {
    switch self {
    case .dns(let name): .dns(name.lowercased())
    case .address, .unusable: self
    }
  }
}
