import AFSupport
import AFTransport
import Foundation

/// The proxies of a session: those of the options, else those of the configuration's dictionary, else, if wanted, those that
/// the environment named when the session was made.
///
/// The dictionary's keys are CFNetwork's: `HTTPEnable`, `HTTPProxy`, `HTTPPort`, the same with `HTTPS` and `SOCKS`, and
/// `ExceptionsList`. Credentials are `kCFProxyUsernameKey` and `kCFProxyPasswordKey`.
struct ProxySettings: Sendable {
  private var plain = ProxyRoute.direct
  private var secure = ProxyRoute.direct
  private var exceptions = ProxyExceptions([])

  init(
    _ dictionary: [AnyHashable: Any]?, _ options: AFTransportOptions,
    environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment
  ) {
    if let proxy = options.proxy {
      plain = .proxy(proxy.url, user: proxy.user, password: proxy.password)
      secure = plain
      exceptions = ProxyExceptions(proxy.exceptions)
      return
    }
    let dictionary = dictionary ?? [:]
    let socks = Self.route("SOCKS", "socks5h", dictionary)
    let http = Self.route("HTTP", "http", dictionary) ?? socks
    let https = Self.route("HTTPS", "http", dictionary) ?? socks
    if http != nil || https != nil {
      exceptions = ProxyExceptions(dictionary["ExceptionsList"] as? [String] ?? [])
    } else if options.usesEnvironmentProxies {
      take(environment())
      return
    }
    plain = http ?? .direct
    secure = https ?? .direct
  }

  /// The way to a URL.
  func route(to url: String) -> ProxyRoute {
    let route = url.isSecure ? secure : plain
    guard route != .direct, !exceptions.isEmpty, let origin = Origin(url) else { return route }
    return exceptions.contains(origin.host, port: origin.port) ? .direct : route
  }

  /// `HTTP_PROXY` in capitals does not count: a CGI program's client can set it, by a header field named "Proxy".
  private mutating func take(_ environment: [String: String]) {
    func route(_ names: [String]) -> ProxyRoute {
      let text = (names + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      return text.map { .proxy($0, user: nil, password: nil) } ?? .direct
    }
    plain = route(["http_proxy"])
    secure = route(["https_proxy", "HTTPS_PROXY"])
    exceptions = Self.exceptions(environment)
  }

  /// What the environment excepts.
  static func exceptions(_ environment: [String: String]) -> ProxyExceptions {
    ProxyExceptions(list: ["no_proxy", "NO_PROXY"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "")
  }

  private static func route(_ prefix: String, _ scheme: String, _ dictionary: [AnyHashable: Any]) -> ProxyRoute? {
    guard let host = dictionary["\(prefix)Proxy"] as? String, !host.isEmpty else { return nil }
    let enabled = dictionary["\(prefix)Enable"]
    guard (enabled as? Bool) ?? ((enabled as? Int).map { $0 != 0 }) ?? false else { return nil }
    let port = dictionary["\(prefix)Port"] as? Int ?? (scheme == "http" ? 80 : 1080)
    return .proxy(
      url: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)",
      user: dictionary["kCFProxyUsernameKey"] as? String, password: dictionary["kCFProxyPasswordKey"] as? String)
  }
}

extension ProxyRoute {
  /// A proxy as people write it: without a scheme an HTTP one; credentials may stand in the URL.
  fileprivate static func proxy(_ text: String, user: String?, password: String?) -> ProxyRoute {
    // Schemes are compared byte for byte further on.
    let text =
      text.range(of: "://").map { text[..<$0.lowerBound].lowercased() + text[$0.lowerBound...] } ?? "http://\(text)"
    guard var parts = URLComponents(string: text), let ownUser = parts.user else {
      return .proxy(url: text, user: user, password: password)
    }
    let ownPassword = parts.password
    parts.user = nil
    parts.password = nil
    return .proxy(url: parts.string ?? text, user: user ?? ownUser, password: user == nil ? ownPassword : password)
  }
}
