import AFArguments
import AFSupport
import Foundation

/// A URL of the command line, with what options add to it.
struct Target: Sendable, Equatable {
  let url: URL

  /// The URL as it may be shown.
  var shown: String { url.absoluteString.redactedURL.printable(limit: 300) }

  var host: String { url.host ?? "" }
  var isSecure: Bool { url.scheme?.lowercased() == "https" }

  /// Reads a URL; without a scheme it is https. `query` has what is to be escaped and added to its query, as `NAME=VALUE`.
  init(_ text: String, query: [String] = []) throws(ToolFailure) {
    guard !text.isEmpty else { throw .usage("the URL is empty") }
    let whole = text.contains("://") ? text : "https://\(text)"
    let shown = whole.redactedURL
    let scheme = whole.prefix { $0 != ":" }.lowercased()
    guard scheme == "http" || scheme == "https" else { throw .usage("'\(shown)' is neither http nor https") }
    guard let url = URL(string: Self.adding(query, to: whole)), let host = url.host, !host.isEmpty else {
      throw .usage("'\(shown)' is no URL")
    }
    if let port = url.port, !(0...65_535).contains(port) { throw .usage("'\(shown)' names a port above 65535") }
    self.url = url
  }

  private static func adding(_ query: [String], to url: String) -> String {
    guard !query.isEmpty else { return url }
    let fragment = url.firstIndex(of: "#") ?? url.endIndex
    var result = String(url[..<fragment])
    for pair in query {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let isFirst = !result.contains("?")
      if isFirst { result += "?" } else if !result.hasSuffix("?"), !result.hasSuffix("&") { result += "&" }
      result += PercentEncoding.escaped(parts[0])
      if parts.count == 2 { result += "=" + PercentEncoding.escaped(parts[1]) }
    }
    return result + url[fragment...]
  }

  /// The same URL with a user and password, which the library sends to this origin alone, when it asks.
  func with(_ login: Login) -> Target {
    guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return self }
    parts.percentEncodedUser = PercentEncoding.escaped(login.user).replacing("/", with: "%2F").replacing(
      "?", with: "%3F")
    parts.percentEncodedPassword =
      PercentEncoding.escaped(login.password).replacing("/", with: "%2F").replacing("?", with: "%3F")
    return parts.url.map { Target(url: $0) } ?? self
  }

  private init(url: URL) { self.url = url }
}

/// A user and a password.
struct Login: Sendable, Equatable {
  let user: String
  let password: String
}
