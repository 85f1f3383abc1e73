/// URLs whose query is there and empty, as in `http://host/path?`.
enum EmptyQuery {
  /// What the request line names for such a URL (RFC 9112 §3.2); nil for every other URL.
  ///
  /// RFC 3986 §6.2.3: the empty query is another name than none, so the question mark is not to be lost (pitfall 46).
  /// - Parameters:
  ///   - url: An absolute URL.
  ///   - isForwarded: The request is one for a proxy, which is told the whole URL.
  /// - Returns: The target, without a fragment.
  static func target(of url: String, isForwarded: Bool) -> String? {
    // Nearly all URLs are done with here.
    guard url.utf8.last == UInt8(ascii: "?") || url.utf8.contains(UInt8(ascii: "#")) else { return nil }
    let url = url.prefix { $0 != "#" }
    guard url.last == "?", url.firstIndex(of: "?") == url.index(before: url.endIndex),
      let colon = url.firstIndex(of: ":")
    else { return nil }
    let rest = url[colon...].dropFirst(3)
    guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return nil }
    let target = rest[start] == "/" ? String(rest[start...]) : "/" + rest[start...]
    return isForwarded ? url[..<start] + target : target
  }
}
