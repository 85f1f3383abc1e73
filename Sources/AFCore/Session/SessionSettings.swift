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
  var cache: URLCache?
  var cachePolicy: URLRequest.CachePolicy
  var connectionsPerHost: Int

  init(_ configuration: URLSessionConfiguration) {
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
    cache = configuration.urlCache
    cachePolicy = configuration.requestCachePolicy
    connectionsPerHost = configuration.httpMaximumConnectionsPerHost
  }
}
