import AFSupport
import Foundation

/// Where certificates come from: a file, standard input, or a host and its port.
enum PinTarget: CustomStringConvertible {
  case file(URL)
  case standardInput
  case host(String, port: Int)

  /// `-` for standard input, an https URL, a file when there is one of that name, otherwise `HOST`, `HOST:PORT`, an IPv6
  /// address, or `[ADDRESS]:PORT`.
  init(_ text: String) throws(ToolFailure) {
    if text == "-" {
      self = .standardInput
      return
    }
    if let scheme = text.range(of: "://") {
      guard text[..<scheme.lowerBound].lowercased() == "https" else {
        throw .usage(
          "'\(text)' is reached without TLS, so it sends no certificate; give HOST[:PORT] or an https URL")
      }
      let authority = text.withoutUserInfo[scheme.upperBound...].prefix { !"/?#".contains($0) }
      guard !authority.isEmpty else { throw .usage("'\(text)' names no host") }
      self = try Self.host(String(authority), as: text)
      return
    }
    if text.contains("/") || FileManager.default.fileExists(atPath: text) {
      self = .file(URL(fileURLWithPath: text))
      return
    }
    guard !text.isEmpty else { throw .usage("a host or a file is missing") }
    self = try Self.host(text, as: text)
  }

  private static func host(_ text: String, as given: String) throws(ToolFailure) -> PinTarget {
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      let rest = text[text.index(after: end)...]
      let host = String(text[text.index(after: text.startIndex)..<end])
      guard rest.isEmpty || rest.hasPrefix(":") else { throw .usage("'\(given)' is neither a host nor a file") }
      return .host(host, port: rest.isEmpty ? 443 : try port(rest.dropFirst()))
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    switch parts.count {
    case 2:
      guard !parts[0].isEmpty else { throw .usage("'\(given)' names no host") }
      return .host(String(parts[0]), port: try port(parts[1]))
    default: return .host(text, port: 443)
    }
  }

  private static func port(_ text: Substring) throws(ToolFailure) -> Int {
    guard let port = Int(text), (1...65_535).contains(port) else { throw .usage("'\(text)' is no port") }
    return port
  }

  var description: String {
    switch self {
    case .file(let url): url.relativePath
    case .standardInput: "standard input"
    case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}
