import AFSupport
import AFTransport
public import Foundation

/// A proxy made no tunnel to the server: its answer to CONNECT was not 2xx (RFC 9110 §9.3.6), or there was none. The server has not
/// seen anything of the request.
///
/// It is the underlying error of a `URLError` with the code `cannotConnectToHost`, or `userAuthenticationRequired` for a 407. The
/// proxy's answer is never the response of the request: it does not come from the server.
public struct AFProxyRefusalError: Error, LocalizedError, CustomStringConvertible, Sendable, Hashable {
  /// The proxy's URL, without user and password.
  public let proxy: String
  /// The status of its answer, or nil if what it sent was none.
  public let statusCode: Int?

  /// What was refused, and with which status.
  public var description: String {
    let proxy = proxy.redactedURL.printable()
    let answer = statusCode.map { "answered \($0)" } ?? "gave no answer"
    return statusCode == 407
      ? "The proxy \(proxy) wants credentials that it has not got (407)"
      : "The proxy \(proxy) made no tunnel to the server: it \(answer)"
  }

  /// ``description``.
  public var errorDescription: String? { description }
}

extension TransferFailure {
  /// What became of a tunnel over `route`.
  func refusal(by route: ProxyRoute) -> AFProxyRefusalError {
    var proxy = ""
    if case .proxy(let url, _, _) = route { proxy = url.withoutUserInfo }
    let status = proxyHead?.statusCode ?? 0
    return AFProxyRefusalError(proxy: proxy, statusCode: status == 0 ? nil : status)
  }
}

extension TransferFailure {
  /// Whether the proxy could not, rather than would not, make a tunnel.
  var isOutageOfProxy: Bool {
    kind == .proxyRefused && (proxyHead.map { [500, 502, 503, 504].contains($0.statusCode) } ?? true)
  }
}
