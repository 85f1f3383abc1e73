import AFTransport
import Foundation
import FoundationNetworking

/// What of a `URLSessionConfiguration` counts, read once, so that a request pays for none of it twice.
struct SessionSettings: Sendable {
  var requestTimeout: Double
  var resourceTimeout: Double
  var additionalHeaders: [TransferRequest.HeaderField]
  /// Nil if the session neither sends nor keeps cookies.
  var cookies: HTTPCookieStorage?
  var sendsCookies: Bool
  var cookieAcceptPolicy: HTTPCookie.AcceptPolicy
  var credentials: URLCredentialStorage?
  /// Nil also if every request of the session asks for itself whether something has changed, or for a part.
  var cache: URLCache?
  var cachePolicy: URLRequest.CachePolicy
  var connectionsPerHost: Int
  /// The protocol classes that the user added.
  var protocolClasses: [URLProtocol.Type]
  var options: AFTransportOptions
  private var proxies: ProxySettings

  init(_ configuration: URLSessionConfiguration, options: AFTransportOptions) {
    requestTimeout = configuration.timeoutIntervalForRequest
    resourceTimeout = configuration.timeoutIntervalForResource
    additionalHeaders =
      configuration.httpAdditionalHeaders?.compactMap { key, value in
        (key as? String).map { TransferRequest.HeaderField($0, String(describing: value)) }
      } ?? []
    cookieAcceptPolicy = configuration.httpCookieAcceptPolicy
    sendsCookies = configuration.httpShouldSetCookies
    cookies = cookieAcceptPolicy == .never && !sendsCookies ? nil : configuration.httpCookieStorage
    credentials = configuration.urlCredentialStorage
    cache = additionalHeaders.contains(where: \.bypassesCache) ? nil : configuration.urlCache
    cachePolicy = configuration.requestCachePolicy
    connectionsPerHost = configuration.httpMaximumConnectionsPerHost
    protocolClasses = (configuration.protocolClasses ?? []).compactMap { type in
      Self.builtInProtocols.contains { $0 == type } ? nil : type as? URLProtocol.Type
    }
    self.options = options
    proxies = ProxySettings(configuration.connectionProxyDictionary, options)
  }

  /// Foundation's own, which every configuration lists: their work is the engine's here.
  private static let builtInProtocols: [AnyClass] = URLSessionConfiguration.default.protocolClasses ?? []

  /// What counts for a request: its own policy, or else the session's.
  func cachePolicy(for request: HopRequest) -> URLRequest.CachePolicy {
    request.cachePolicy == .useProtocolCachePolicy ? cachePolicy : request.cachePolicy
  }

  /// The way to a URL.
  func proxy(for url: String) -> ProxyRoute { proxies.route(to: url) }
}
