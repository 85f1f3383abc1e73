import AFSecurity
import Foundation
import FoundationNetworking

/// Under which request a response stands in a `URLCache`.
///
/// Foundation's cache on Linux knows a request by host, port and decoded path alone: `?page=1` and `?page=2` are one entry to it, and
/// so are `/a/` and `/a`; and it makes a file name of them, which may be too long for one. A URL that is told apart by these, and
/// short, stands under itself, so that it is found by whoever asks the `URLCache`; any other stands under a digest of the whole.
struct CacheKey: Sendable {
  let request: URLRequest
  /// What Foundation calls the entry, also in the name of its file.
  let identifier: String

  /// A file name has 255 bytes at most, and Foundation adds some.
  private static let identifierLimit = 200

  private init(_ url: URL) {
    request = URLRequest(url: url)
    let parts = "\(url.host?.lowercased() ?? "")\0\(url.port ?? -1)\0\(url.path)\0"
    identifier = Data(parts.utf8).base64EncodedString()
  }

  /// The keys to look under, the one to store under first. Empty for what is no URL.
  static func all(for text: String) -> [CacheKey] {
    guard let url = URL(string: text), let host = url.host, !host.isEmpty else { return [] }
    let plain = CacheKey(url)
    guard !isPlain(url) || plain.identifier.utf8.count > identifierLimit else { return [plain] }
    return made(of: text, url).map { [$0, plain] } ?? [plain]
  }

  /// The key of a response for `text` that is for certain requests alone.
  static func variant(_ selector: String, for text: String) -> CacheKey? {
    guard let url = URL(string: text), url.host?.isEmpty == false else { return nil }
    return made(of: "\(text)\n\(selector)", url)
  }

  /// A key at the origin of `url` that no URL of the server's is likely to have.
  private static func made(of text: String, _ url: URL) -> CacheKey? {
    var parts = URLComponents()
    parts.scheme = url.scheme
    parts.host = url.host
    parts.port = url.port
    parts.path = "/.cached/" + Digest.sha256(text)
    return parts.url.map(CacheKey.init)
  }

  /// Whether the path is the same decoded, does not end in a slash that Foundation would drop, and is all there is.
  private static func isPlain(_ url: URL) -> Bool {
    let path = url.path(percentEncoded: true)
    return url.query == nil && !path.contains("%") && (path == "/" || !path.hasSuffix("/"))
  }
}

extension String {
  /// The URL without its fragment, which is nothing to a server.
  var withoutFragment: String {
    guard let mark = utf8.firstIndex(of: UInt8(ascii: "#")) else { return self }
    return String(self[..<mark])
  }
}
