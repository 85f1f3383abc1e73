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
  /// Host and port of the proxy for requests of a kind; nil without one.
  func place(isSecure: Bool) -> (host: String, port: Int)? {
    let text: String? =
      switch self {
      case .direct: nil
      case .proxy(let url, _, _, _): url
      case .environment: Self.environment(isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"])
      }
    guard let text, let url = URL(string: text.contains("://") ? text : "http://" + text), let host = url.host else {
      return nil
    }
    // libcurl's port for proxies that name none.
    return (host, url.port ?? (url.scheme == "https" ? 443 : 1080))
  }

  private static func environment(_ names: [String]) -> String? {
    let environment = ProcessInfo.processInfo.environment
    return (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  }

  /// The credentials that are part of the route.
  var credentials: (user: String, password: String)? {
    if case .proxy(_, let user?, let password, _) = self { return (user, password ?? "") }
    return nil
  }
}
