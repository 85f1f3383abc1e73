import AFTransport
import Foundation

/// Which request follows a redirect (RFC 9110 §15.4).
enum Redirect {
  /// More hops than these are a loop.
  static let limit = 20

  private static let credentials = ["Authorization", "Cookie", "Proxy-Authorization"]
  private static let contentFields = [
    "Content-Length", "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Transfer-Encoding",
  ]

  /// The request that `head` asks for after `request`, or nil if the response is final: not a redirect, without a target,
  /// or with one that is not http(s).
  static func following(_ request: HopRequest, _ head: ResponseHead) -> HopRequest? {
    let status = head.statusCode
    guard [301, 302, 303, 307, 308].contains(status), let location = head.value("Location"), !location.isEmpty,
      let target = target(location, from: request.url)
    else { return nil }
    var next = request
    next.url = target
    if status == 303 ? request.method != "HEAD" : (status < 303 && request.method == "POST") {
      next.method = "GET"
      next.body = .none
      next.remove(contentFields)
    }
    if Origin(request.url) != Origin(target) {
      next.remove(credentials)
      next.keepsCredentials = false
    }
    return next
  }

  /// Resolves a Location (RFC 9110 §10.2.2); the fragment is inherited if it has none.
  static func target(_ location: String, from base: String) -> String? {
    guard let baseURL = URL(string: base), let url = URL(string: location, relativeTo: baseURL)?.absoluteURL,
      var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https", parts.host?.isEmpty == false
    else { return nil }
    parts.user = nil
    parts.password = nil
    if parts.fragment == nil { parts.percentEncodedFragment = baseURL.fragment(percentEncoded: true) }
    return parts.string
  }
}

/// Scheme, host and port of a URL.
struct Origin: Hashable, Sendable {
  let scheme: String
  let host: String
  let port: Int

  init?(_ text: String) {
    guard let url = URL(string: text) else { return nil }
    self.init(url)
  }

  init?(_ url: URL) {
    guard let scheme = url.scheme?.lowercased(), let host = url.host?.lowercased() else { return nil }
    self.scheme = scheme
    self.host = host
    port = url.port ?? (scheme == "https" ? 443 : 80)
  }
}
