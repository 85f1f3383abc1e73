import Foundation
public import FoundationNetworking

/// A file name that a server suggests, made safe: one path segment, never empty, without dots at its beginning, without
/// characters that control a terminal or the direction of text, at most 255 bytes of UTF-8.
///
/// `filename*` of Content-Disposition wins over `filename` (RFC 6266 §4.3, RFC 8187); both are decoded before they are cleaned.
/// Without them it is the last segment of the URL's path, and without that "download". The `suggestedFilename` of a task's
/// response is the same, but for the last: there it is the URL's host, as on Apple's systems.
/// - Parameter response: The response.
/// - Returns: The name.
public func AFSuggestedFilename(_ response: HTTPURLResponse) -> String {
  SafeFilename.suggested(response) ?? "download"
}

/// Cleans file names from elsewhere.
enum SafeFilename {
  private static let limit = 255

  /// The name that Content-Disposition or the URL's path suggests.
  static func suggested(_ response: HTTPURLResponse) -> String? {
    let disposition = response.value(forHTTPHeaderField: "Content-Disposition").map { ContentDisposition($0) }
    let candidates = [disposition?.extendedName, disposition?.name, response.url?.lastPathComponent]
    return candidates.lazy.compactMap { $0.flatMap(clean) }.first
  }

  /// The last segment of `name`, cleaned; nil if nothing is left.
  static func clean(_ name: String) -> String? {
    // A backslash separates segments for some, so it does for all.
    let segment = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
    let scalars = segment.unicodeScalars.filter { scalar in
      scalar.properties.generalCategory != .control && !scalar.properties.isBidiControl
        && scalar.properties.generalCategory != .lineSeparator
        && scalar.properties.generalCategory != .paragraphSeparator
    }
    // A file whose name begins with a dot is hidden, and may be one that a shell reads.
    var cleaned = String(String.UnicodeScalarView(scalars.drop { $0 == "." || $0.properties.isWhitespace }))
      .trimmingCharacters(in: .whitespaces)
    guard !cleaned.isEmpty else { return nil }
    if cleaned.utf8.count > limit { cleaned = shortened(cleaned) }
    return cleaned
  }

  /// The name cut between characters, its extension kept if that is a short one.
  private static func shortened(_ name: String) -> String {
    let dot = name.lastIndex(of: ".")
    let suffix = dot.map { String(name[$0...]) } ?? ""
    let keeps = suffix.utf8.count <= 16 && dot != name.startIndex
    var stem = keeps ? String(name[..<(dot ?? name.endIndex)]) : name
    let room = limit - (keeps ? suffix.utf8.count : 0)
    while stem.utf8.count > room { stem.removeLast() }
    return keeps ? stem + suffix : stem
  }
}

/// The file names in a Content-Disposition field.
struct ContentDisposition {
  var name: String?
  var extendedName: String?

  init(_ field: String) {
    for parameter in Self.parameters(field) {
      switch parameter.name {
      case "filename": name = name ?? parameter.value
      case "filename*": extendedName = extendedName ?? Self.decode(parameter.value)
      default: break
      }
    }
  }

  /// The parameters, quotes and escapes taken off.
  private static func parameters(_ field: String) -> [(name: String, value: String)] {
    var found: [(name: String, value: String)] = []
    var name = ""
    var value = ""
    var isValue = false
    var isQuoted = false
    var isEscaped = false
    var wasQuoted = false
    func flush() {
      // Of a value in quotes the white space is its own.
      let own = !isValue ? "" : wasQuoted ? value : value.trimmingCharacters(in: .whitespaces)
      found.append((name.trimmingCharacters(in: .whitespaces).lowercased(), own))
      name = ""
      value = ""
      isValue = false
      wasQuoted = false
    }
    for character in field {
      if isEscaped {
        value.append(character)
        isEscaped = false
      } else if isQuoted {
        switch character {
        case "\\": isEscaped = true
        case "\"": isQuoted = false
        default: value.append(character)
        }
      } else if character == ";" {
        flush()
      } else if isValue {
        if character == "\"" {
          if !wasQuoted { value = value.trimmingCharacters(in: .whitespaces) }
          isQuoted = true
          wasQuoted = true
        } else if !wasQuoted || !character.isWhitespace {
          value.append(character)
        }
      } else if character == "=" {
        isValue = true
      } else {
        name.append(character)
      }
    }
    flush()
    return found
  }

  /// RFC 8187: `charset'language'percent-encoded`.
  private static func decode(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    switch parts[0].lowercased() {
    case "utf-8": return String(parts[2]).removingPercentEncoding
    case "iso-8859-1":
      var scalars = String.UnicodeScalarView()
      var rest = Substring(parts[2]).utf8
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          scalars.append(Unicode.Scalar(byte))
          continue
        }
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, digits.utf8.allSatisfy(URLBytes.isHex), let code = UInt8(digits, radix: 16) else {
          return nil
        }
        scalars.append(Unicode.Scalar(code))
        rest = rest.dropFirst(2)
      }
      return String(scalars)
    default: return nil
    }
  }
}
