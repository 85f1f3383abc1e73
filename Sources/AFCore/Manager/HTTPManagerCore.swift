public import AFSecurity
import AFSerialization
import AFSupport
public import Foundation

/// What an HTTP manager has beside a URL session manager's state.
final class HTTPManagerCore: Sendable {
  let baseURL: URL?
  /// Whether the base URL is an https one.
  let isSecure: Bool
  /// The base URL as text, if a plain path can simply be put behind it.
  private let prefix: String?
  let requestSerializer = Locked(AFHTTPRequestSerializer())
  let responseSerializer: Locked<AFHTTPResponseSerializer> = Locked(AFJSONResponseSerializer())

  init(baseURL: URL?) {
    let base = baseURL.map(Self.withTrailingSlash)
    self.baseURL = base
    isSecure = base?.scheme?.lowercased() == "https"
    if let base, base.query == nil, base.fragment == nil {
      let text = base.absoluteString
      prefix = text.hasSuffix("/") ? text : base.path.isEmpty ? text + "/" : nil
    } else {
      prefix = nil
    }
  }

  /// A path that does not end in a slash gets one, in front of the query: otherwise its last segment would be replaced.
  private static func withTrailingSlash(_ url: URL) -> URL {
    guard !url.path.isEmpty, !url.absoluteString.hasSuffix("/"),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), !parts.percentEncodedPath.hasSuffix("/")
    else { return url.absoluteURL }
    parts.percentEncodedPath += "/"
    return parts.url ?? url
  }

  /// Whether resolving the path against a base means no more than putting it behind: no scheme, no leading slash, no dot
  /// segments, nothing to escape. A plain path costs a tenth of resolving it by the book.
  private static func isPlain(_ path: String) -> Bool {
    var previous = UInt8(ascii: "/")
    for byte in path.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"): break
      case UInt8(ascii: "."), UInt8(ascii: "/"):
        if previous == UInt8(ascii: "/") { return false }
      default: return false
      }
      previous = byte
    }
    return true
  }

  /// The absolute URL of a path that needs no resolving; nil for any other.
  func plainURL(_ path: String) -> String? {
    guard let prefix, !path.isEmpty, Self.isPlain(path) else { return nil }
    return prefix + path
  }

  /// The absolute URL of a path, or nil if it is none.
  func url(_ path: String) -> String? {
    guard let baseURL else { return path }
    if path.isEmpty { return baseURL.absoluteString }
    if let url = plainURL(path) { return url }
    return URL(string: path, encodingInvalidCharacters: false).flatMap {
      URL(string: $0.relativeString, relativeTo: baseURL)?.absoluteString
    }
  }
}

/// A security policy that pins was set on a manager whose requests do not go over TLS.
public struct AFInvalidSecurityPolicyError: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// The policy's pinning mode.
  public let mode: AFSSLPinningMode
  /// The manager's base URL.
  public let baseURL: URL?

  /// What is wrong, with AFNetworking's name for it.
  public var description: String {
    "Invalid Security Policy: a policy with pinning mode \(mode) needs a manager with an https base URL, not "
      + (baseURL?.absoluteString.redactedURL ?? "none")
  }

  /// ``description``.
  public var errorDescription: String? { description }
}
