import AFSupport
import AFTransport
import Foundation

/// What the proxies of a session were told, so that they have to be answered once and not for each request.
final class ProxyMemory: Sendable {
  private let known = Locked<[ProxyRoute: TransferAuthentication]>([:])

  func credentials(for route: ProxyRoute) -> TransferAuthentication? {
    route == .direct ? nil : known.withLock { $0[route] }
  }

  func remember(_ credentials: TransferAuthentication, for route: ProxyRoute) {
    known.withLock { $0[route] = credentials }
  }

  /// The proxy refused `credentials`; what others have found meanwhile stays.
  func forget(_ credentials: TransferAuthentication, for route: ProxyRoute) {
    known.withLock { if $0[route] == credentials { $0[route] = nil } }
  }
}

extension ProxyRoute {
  /// Host and port of the proxy; nil without one.
  var place: (host: String, port: Int)? {
    guard case .proxy(let text, _, _) = self, let url = URL(string: text), let host = url.host else { return nil }
    // libcurl's port for proxies that name none.
    return (host, url.port ?? (url.scheme == "https" ? 443 : 1080))
  }

  /// The credentials that are part of the route.
  var credentials: (user: String, password: String)? {
    if case .proxy(_, let user?, let password) = self { return (user, password ?? "") }
    return nil
  }
}
