public import AFSecurity
import AFSerialization
import AFSupport
public import Foundation

/// What an HTTP manager has beside a URL session manager's state.
final class HTTPManagerCore: Sendable {
  let baseURL: URL?
  let requestSerializer = Locked(AFHTTPRequestSerializer())
  let responseSerializer: Locked<AFHTTPResponseSerializer> = Locked(AFJSONResponseSerializer())

  init(baseURL: URL?) {
    self.baseURL = baseURL.map(Self.withTrailingSlash)
  }

  /// A path that does not end in a slash gets one, in front of the query: otherwise its last segment would be replaced.
  private static func withTrailingSlash(_ url: URL) -> URL {
    guard !url.path.isEmpty, !url.absoluteString.hasSuffix("/"),
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true), !parts.percentEncodedPath.hasSuffix("/")
    else { return url.absoluteURL }
    parts.percentEncodedPath += "/"
    return parts.url ?? url
  }

  /// The absolute URL of a path, or nil if it is none.
  func url(_ path: String) -> String? {
    guard let baseURL else { return path }
    if path.isEmpty { return baseURL.absoluteString }
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
      + (baseURL?.absoluteString.withoutUserInfo ?? "none")
  }

  /// ``description``.
  public var errorDescription: String? { description }
}
