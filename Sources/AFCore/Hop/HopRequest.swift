import AFTransport
import Foundation
import FoundationNetworking

/// A request as hops are made of it: what `URLRequest` says, without its boxes, so that the path of a plain request through
/// the package makes no Foundation object.
struct HopRequest: Sendable {
  /// The absolute URL.
  var url: String
  var method: String
  var headers: [TransferRequest.HeaderField]
  var body: TaskBody
  /// Seconds of silence after which the hop fails, or nil for the session's.
  var timeout: Double?
  var handlesCookies = true
  /// False once a redirect has left the origin for which the caller's credentials were meant.
  var keepsCredentials = true
  /// Whether a complete answer ends the body, also one that says success: in an exchange the server has the last word.
  var endsBodyWithAnswer = false
  var cachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
  /// What the request was made from, for the options that play no part in a hop.
  var foundation: URLRequest?

  init(url: String, method: String, headers: [TransferRequest.HeaderField] = [], body: TaskBody = .none) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }

  init(_ request: URLRequest) {
    url = request.url?.absoluteString ?? ""
    method = request.httpMethod ?? "GET"
    headers = request.allHTTPHeaderFields?.map { TransferRequest.HeaderField($0.key, $0.value) } ?? []
    if let stream = request.httpBodyStream {
      body = .stream(StreamBody(stream))
    } else if let data = request.httpBody {
      body = .data(data)
    } else {
      body = .none
    }
    // Foundation does not say whether 60 was set or is the default; then the session's value counts.
    timeout = request.timeoutInterval == 60 ? nil : request.timeoutInterval
    handlesCookies = request.httpShouldHandleCookies
    cachePolicy = request.cachePolicy
    foundation = request
  }

  /// The same as a `URLRequest`, or nil if the URL is none.
  var urlRequest: URLRequest? {
    guard let url = URL(string: url) else { return foundation }
    var request = foundation ?? URLRequest(url: url)
    request.url = url
    request.httpMethod = method
    request.allHTTPHeaderFields = [:]
    for field in headers { request.setValue(field.value, forHTTPHeaderField: field.name) }
    if let timeout { request.timeoutInterval = timeout }
    request.httpShouldHandleCookies = handlesCookies
    request.cachePolicy = cachePolicy
    switch body {
    case .none, .file:
      request.httpBody = nil
      request.httpBodyStream = nil
    case .data(let data): request.httpBody = data
    case .stream(let body): request.httpBodyStream = body.stream
    }
    return request
  }

  /// The first value of a header field, by any letter case.
  func value(_ name: String) -> String? {
    headers.first { $0.name.equalsIgnoringCase(name) }?.value
  }

  mutating func set(_ name: String, _ value: String) {
    remove([name])
    headers.append(TransferRequest.HeaderField(name, value))
  }

  mutating func remove(_ names: [String]) {
    headers.removeAll { field in names.contains { field.name.equalsIgnoringCase($0) } }
  }
}

extension String {
  /// Compares ASCII text without regard to letter case; nothing else is folded.
  func equalsIgnoringCase(_ other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    return zip(utf8, other.utf8).allSatisfy { $0 == $1 || $0.asciiLowercased == $1.asciiLowercased }
  }
}

extension UInt8 {
  var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }
}
