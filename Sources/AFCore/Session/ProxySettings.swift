import AFTransport
import Foundation

/// The proxies of a session: those of the options, else those of the configuration's dictionary, else, if wanted, those of
/// the environment.
///
/// The dictionary's keys are CFNetwork's: `HTTPEnable`, `HTTPProxy`, `HTTPPort`, the same with `HTTPS` and `SOCKS`, and
/// `ExceptionsList`. Credentials are `kCFProxyUsernameKey` and `kCFProxyPasswordKey`.
struct ProxySettings: Sendable {
  private var plain: ProxyRoute
  private var secure: ProxyRoute

  init(_ dictionary: [AnyHashable: Any]?, _ options: AFTransportOptions) {
    if let proxy = options.proxy {
      plain = .proxy(
        url: proxy.url, user: proxy.user, password: proxy.password,
        bypass: proxy.exceptions.isEmpty ? nil : proxy.exceptions.joined(separator: ","))
      secure = plain
      return
    }
    let otherwise: ProxyRoute = options.usesEnvironmentProxies ? .environment : .direct
    let dictionary = dictionary ?? [:]
    let socks = Self.route("SOCKS", "socks5h", dictionary)
    plain = Self.route("HTTP", "http", dictionary) ?? socks ?? otherwise
    secure = Self.route("HTTPS", "http", dictionary) ?? socks ?? otherwise
  }

  func route(isSecure: Bool) -> ProxyRoute { isSecure ? secure : plain }

  private static func route(_ prefix: String, _ scheme: String, _ dictionary: [AnyHashable: Any]) -> ProxyRoute? {
    guard let host = dictionary["\(prefix)Proxy"] as? String, !host.isEmpty else { return nil }
    let enabled = dictionary["\(prefix)Enable"]
    guard (enabled as? Bool) ?? ((enabled as? Int).map { $0 != 0 }) ?? false else { return nil }
    let port = dictionary["\(prefix)Port"] as? Int ?? (scheme == "http" ? 80 : 1080)
    let exceptions = dictionary["ExceptionsList"] as? [String] ?? []
    return .proxy(
      url: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)",
      user: dictionary["kCFProxyUsernameKey"] as? String, password: dictionary["kCFProxyPasswordKey"] as? String,
      bypass: exceptions.isEmpty ? nil : exceptions.joined(separator: ","))
  }
}
