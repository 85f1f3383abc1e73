/// The three forms of a request's target that requests are sent with (RFC 9112 §3.2), made of a URL as libcurl makes them. A Digest
/// answer names the target.
enum RequestTarget {
  /// Path and query, for servers: what a server sees also where a proxy was on the way.
  static func origin(_ url: String) -> String {
    let (_, rest) = parts(url)
    return rest.hasPrefix("/") ? String(rest) : "/\(rest)"
  }

  /// The path alone.
  static func path(_ url: String) -> String { String(origin(url).prefix { $0 != "?" }) }

  /// The whole URL, for proxies that forward the request; without user and fragment, nor a port that goes without saying.
  static func absolute(_ url: String) -> String {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    let (authority, _) = parts(url)
    let port = scheme == "https" ? ":443" : ":80"
    let shown = authority.hasSuffix(port) ? authority.dropLast(port.count) : authority
    return "\(scheme)://\(shown)\(origin(url))"
  }

  /// Host and port, for CONNECT.
  static func authority(_ url: String) -> String {
    let (authority, _) = parts(url)
    let afterHost = authority.hasPrefix("[") ? authority.drop { $0 != "]" }.dropFirst() : authority.drop { $0 != ":" }
    let host = authority.prefix(authority.count - afterHost.count)
    return afterHost.count > 1 ? String(authority) : "\(host):\(url.isSecure ? 443 : 80)"
  }

  /// Host and port, and what follows them up to the fragment.
  private static func parts(_ url: String) -> (authority: Substring, rest: Substring) {
    let afterScheme = url.drop { $0 != ":" }
    guard afterScheme.hasPrefix("://") else { return ("", "") }
    let rest = afterScheme.dropFirst(3).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let shown = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return (shown, rest[authority.endIndex...])
  }
}
