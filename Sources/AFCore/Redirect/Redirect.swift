import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// Which request follows a redirect (RFC 9110 §15.4).
enum Redirect {
  private static let statuses: Set<Int> = [301, 302, 303, 307, 308]
  /// Fields about the user, and the one about the server: they hold for the origin that they were given for.
  static let fieldsOfOrigin = ["Authorization", "Cookie", "Proxy-Authorization", "Host"]
  /// Fields about the body, besides those that begin with "Content-".
  private static let fieldsOfBody = [
    "Transfer-Encoding", "Trailer", "Expect", "Digest", "Repr-Digest", "Last-Modified",
  ]

  /// The request that `head` asks for after `request`, or nil if the response is final: not a redirect, without a target,
  /// or with one that cannot be read or is not http(s).
  static func following(_ request: HopRequest, _ head: ResponseHead) -> HopRequest? {
    guard statuses.contains(head.statusCode), let location = head.valueBytes("Location"),
      let target = Location.target(location, from: request.url)
    else { return nil }
    var next = request
    next.url = target
    if changesMethod(head.statusCode, request.method) {
      next.method = "GET"
      next.body = .none
      next.headers.removeAll { field in
        field.name.lowercased().hasPrefix("content-") || fieldsOfBody.contains { field.name.equalsIgnoringCase($0) }
      }
    }
    if !Origin.areSame(request.url, target) {
      next.remove(fieldsOfOrigin)
      next.keepsCredentials = false
    }
    return next
  }

  /// Whether the next request is a GET without a body: after 303 whatever it was, and after 301 and 302 where it was a POST, as
  /// every client does. A HEAD stays one.
  private static func changesMethod(_ status: Int, _ method: String) -> Bool {
    switch status {
    case 303: method != "GET" && method != "HEAD"
    case 301, 302: method == "POST"
    default: false
    }
  }

  /// Resolves the value of Location or Content-Location.
  static func target(_ location: String, from base: String) -> String? {
    Location.target(location.utf8, from: base)
  }
}

extension HopRequest {
  /// What the app made of the proposed request.
  func replaced(by answer: URLRequest, proposed: URLRequest) -> HopRequest {
    var result = HopRequest(answer)
    result.keepsCredentials = keepsCredentials && Origin.areSame(result.url, url)
    switch body {
    case .stream where answer.httpBodyStream != nil && answer.httpBodyStream === proposed.httpBodyStream:
      result.body = body
    case .file where answer.httpBodyStream == nil && answer.httpBody == nil && result.method == method:
      result.body = body
    default: break
    }
    return result
  }
}
