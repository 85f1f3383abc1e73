import AFSupport
import Foundation

/// Where a Location points (RFC 9110 §10.2.2), read over bytes by the rules of the WHATWG URL standard for what browsers
/// accept: space around it, line breaks in it, backslashes for slashes, missing or surplus slashes behind the scheme.
///
/// What comes out is a URL by RFC 3986: existing escapes stay as they are, and only what may not stand is escaped, byte by
/// byte, whatever its encoding. User information is left out, dot segments are taken out, and a fragment is inherited if the
/// Location has none.
package enum Location {
  /// The absolute URL, or nil for one that is empty, cannot be read, or is of another scheme than http and https.
  package static func target(_ location: some Collection<UInt8>, from base: String) -> String? {
    guard let base = ReferenceURL(base) else { return nil }
    let text = cleaned(location)
    guard !text.isEmpty else { return nil }
    var rest = text[...]
    var scheme = base.scheme
    if let (name, after) = splitScheme(rest) {
      guard name == "http" || name == "https" else { return nil }
      rest = after
      scheme = name
      guard name == base.scheme, !startsWithTwoSlashes(rest) else { return absolute(scheme, rest, base) }
    } else if startsWithTwoSlashes(rest) {
      return absolute(scheme, rest, base)
    }
    let parts = Parts(rest)
    var path = base.path
    var query = base.query
    if let first = parts.path.first {
      let folder = base.path.lastIndex(where: isSlash).map { base.path[...$0] } ?? []
      path = withoutDotSegments(isSlash(first) ? parts.path : folder + parts.path)
      query = parts.query
    } else if parts.query != nil {
      query = parts.query
    }
    return written(scheme, base.authority, path, query, parts.fragment ?? base.fragment)
  }

  // MARK: Steps

  /// Without control characters and spaces at both ends, and without tabs and line breaks anywhere.
  private static func cleaned(_ location: some Collection<UInt8>) -> [UInt8] {
    let bytes = Array(location)
    guard let first = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 }) else {
      return []
    }
    return bytes[first...last].filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
  }

  /// The scheme in lower case, and what stands behind its colon.
  private static func splitScheme(_ text: ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>)? {
    guard let colon = text.firstIndex(of: UInt8(ascii: ":")), let first = text.first, URLBytes.isLetter(first),
      text[..<colon].allSatisfy({
        URLBytes.isLetter($0) || URLBytes.isDigit($0) || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: ".")
      })
    else { return nil }
    return (String(decoding: text[..<colon].map(\.asciiLowercased), as: UTF8.self), text[(colon + 1)...])
  }

  private static func startsWithTwoSlashes(_ text: ArraySlice<UInt8>) -> Bool {
    text.count >= 2 && text.prefix(2).allSatisfy(isSlash)
  }

  static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

  /// A URL with an authority of its own, however many slashes stand before it.
  private static func absolute(_ scheme: String, _ text: ArraySlice<UInt8>, _ base: ReferenceURL) -> String? {
    let rest = text.drop(while: isSlash)
    let end = rest.firstIndex { isSlash($0) || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
    guard let authority = URLHost.authority(rest[..<end], isSecure: scheme == "https") else { return nil }
    let parts = Parts(rest[end...])
    return written(
      scheme, authority, withoutDotSegments(parts.path), parts.query, parts.fragment ?? base.fragment)
  }

  private static func written(
    _ scheme: String, _ authority: String, _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?,
    _ fragment: ArraySlice<UInt8>?
  ) -> String {
    var bytes: [UInt8] = Array("\(scheme)://\(authority)".utf8)
    URLBytes.append(path, to: &bytes)
    if let query {
      bytes.append(UInt8(ascii: "?"))
      URLBytes.append(query, to: &bytes, isPath: false)
    }
    if let fragment {
      bytes.append(UInt8(ascii: "#"))
      URLBytes.append(fragment, to: &bytes, isPath: false)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// RFC 3986 §5.2.4; an escaped dot is a dot. The result begins with a slash.
  static func withoutDotSegments(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let segments = (path.first.map(isSlash) == true ? path.dropFirst() : path)
      .split(omittingEmptySubsequences: false, whereSeparator: isSlash)
    var kept: [ArraySlice<UInt8>] = []
    for (index, segment) in segments.enumerated() {
      let dots = dotCount(segment)
      if dots == 2 { _ = kept.popLast() }
      if dots == nil { kept.append(segment) } else if index == segments.count - 1 { kept.append([]) }
    }
    return ArraySlice(kept.flatMap { [UInt8(ascii: "/")] + $0 })
  }

  /// 1 or 2 for a segment that is so many dots, and nil for another.
  private static func dotCount(_ segment: ArraySlice<UInt8>) -> Int? {
    guard segment.count <= 6 else { return nil }
    switch String(decoding: segment, as: UTF8.self).lowercased() {
    case ".", "%2e": return 1
    case "..", ".%2e", "%2e.", "%2e%2e": return 2
    default: return nil
    }
  }
}

extension Location {
  /// Path, query and fragment as they are written; the last two nil if their delimiter is missing.
  struct Parts {
    var path: ArraySlice<UInt8>
    var query: ArraySlice<UInt8>?
    var fragment: ArraySlice<UInt8>?

    init(_ text: ArraySlice<UInt8>) {
      path = text
      if let hash = path.firstIndex(of: UInt8(ascii: "#")) {
        fragment = path[(hash + 1)...]
        path = path[..<hash]
      }
      if let mark = path.firstIndex(of: UInt8(ascii: "?")) {
        query = path[(mark + 1)...]
        path = path[..<mark]
      }
    }
  }
}

/// The URL that a Location is resolved against.
private struct ReferenceURL {
  let scheme: String
  /// Host and port as they are written, without user information.
  let authority: String
  let path: ArraySlice<UInt8>
  let query: ArraySlice<UInt8>?
  let fragment: ArraySlice<UInt8>?

  init?(_ text: String) {
    guard let origin = Origin(text) else { return nil }
    let plain = text.utf8.contains(UInt8(ascii: "@")) ? text.withoutUserInfo : text
    let rest = Array(plain.utf8.dropFirst(origin.scheme.utf8.count + 3))[...]
    let end =
      rest.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) } ?? rest.endIndex
    scheme = origin.scheme
    authority = String(decoding: rest[..<end], as: UTF8.self)
    let parts = Location.Parts(rest[end...])
    path = parts.path.isEmpty ? [UInt8(ascii: "/")] : parts.path
    query = parts.query
    fragment = parts.fragment
  }
}
