import AFSupport

/// Which paths of an origin credentials may be sent to before the server has asked.
struct ProtectedPaths: Equatable, Sendable {
  /// More than these are not kept apart.
  static let limit = 32

  private(set) var prefixes: [String]

  /// Every path: for proxies.
  static let all = ProtectedPaths(prefixes: ["/"])

  private init(prefixes: [String]) {
    self.prefixes = prefixes
  }

  /// What one challenge for `path` says.
  ///
  /// Basic: the path up to its last "/", and all below (RFC 7617 §2.2). Digest: what `domain` names, or else everything (RFC 7616
  /// §3.3). Other origins may be named there too; they are left out, since nothing is told to them that was not meant for them.
  init(_ offer: AuthenticationOffer, for path: String, of origin: Origin?) {
    guard let digest = offer.digest else {
      prefixes = [offer.scheme == .basic ? Self.directory(path) : "/"]
      return
    }
    prefixes = digest.domain.prefix(Self.limit - 1).compactMap { uri in
      if uri.hasPrefix("/"), !uri.hasPrefix("//") { return String(uri.prefix { $0 != "?" && $0 != "#" }) }
      guard let origin, Origin(uri) == origin else { return nil }
      return RequestTarget.path(uri)
    }
    if digest.domain.isEmpty { prefixes = ["/"] } else { prefixes.append(path) }
  }

  private static func directory(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
  }

  /// How long the longest prefix of `path` is; nil if the path is outside. So is one with dot segments, whose place the server
  /// alone knows.
  func match(_ path: String) -> Int? {
    let best = prefixes.filter { path.hasPrefix($0) }.map(\.utf8.count).max()
    guard best != nil, !path.hasDotSegments else { return nil }
    return best
  }

  /// Whether `path` is inside as it is written: for the task that was asked about it, or was led there.
  func hold(_ path: String) -> Bool { prefixes.contains { path.hasPrefix($0) } }

  mutating func add(_ other: ProtectedPaths) {
    for prefix in other.prefixes where !prefixes.contains(where: { prefix.hasPrefix($0) }) {
      prefixes.removeAll { $0.hasPrefix(prefix) }
      prefixes.append(prefix)
    }
    if prefixes.count > Self.limit { prefixes.removeFirst(prefixes.count - Self.limit) }
  }
}

extension String {
  fileprivate var hasDotSegments: Bool {
    split(separator: "/").contains { segment in
      let plain = segment.lowercased().replacing("%2e", with: ".")
      return plain == "." || plain == ".."
    }
  }
}
