import Foundation

/// Where certificates come from: a file, or a host and its port.
enum PinTarget: CustomStringConvertible {
  case file(URL)
  case host(String, port: Int)

  /// A file when there is one of that name, otherwise `HOST`, `HOST:PORT`, an IPv6 address, or `[ADDRESS]:PORT`.
  init(_ text: String) throws {
    if text.contains("/") || FileManager.default.fileExists(atPath: text) {
      self = .file(URL(fileURLWithPath: text))
      return
    }
    guard !text.isEmpty else { throw UsageError("a host or a file is missing") }
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      let rest = text[text.index(after: end)...]
      let host = String(text[text.index(after: text.startIndex)..<end])
      guard rest.isEmpty || rest.hasPrefix(":") else { throw UsageError("'\(text)' is neither a host nor a file") }
      self = .host(host, port: rest.isEmpty ? 443 : try Self.port(rest.dropFirst()))
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    switch parts.count {
    case 1: self = .host(text, port: 443)
    case 2: self = .host(String(parts[0]), port: try Self.port(parts[1]))
    default: self = .host(text, port: 443)
    }
  }

  private static func port(_ text: Substring) throws -> Int {
    guard let port = Int(text), (1...65_535).contains(port) else { throw UsageError("'\(text)' is no port") }
    return port
  }

  var description: String {
    switch self {
    case .file(let url): url.relativePath
    case .host(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}
