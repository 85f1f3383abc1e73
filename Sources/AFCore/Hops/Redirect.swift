import AFSupport
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
    if !Origin.areSame(request.url, target) {
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
