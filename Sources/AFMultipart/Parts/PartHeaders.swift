import AFSupport

/// The header fields of a part, in the order they are sent.
struct PartHeaders: Sendable {
  var fields: [(name: String, value: String)] = []

  /// The fields of a form field, or with a file name those of a file.
  init(name: String, fileName: String? = nil, mimeType: String? = nil) {
    var disposition = "form-data; name=\"\(Self.escaped(Self.withNormalizedLineBreaks(name), quotes: true))\""
    if let fileName { disposition += "; filename=\"\(Self.escaped(fileName, quotes: true))\"" }
    fields.append(("Content-Disposition", disposition))
    if let mimeType { fields.append(("Content-Type", mimeType)) }
  }

  /// Fields from a dictionary, which has no order of its own: disposition, type, the others by name.
  init(_ headers: [String: String]) {
    func rank(_ name: String) -> Int {
      switch name.lowercased() {
      case "content-disposition": 0
      case "content-type": 1
      default: 2
      }
    }
    fields = headers.map { ($0.key, $0.value) }.sorted { (rank($0.0), $0.0) < (rank($1.0), $1.0) }
  }

  /// The header lines and the empty line that ends them.
  var block: String {
    var block = ""
    for field in fields {
      block += Self.escaped(field.name, quotes: false) + ": " + Self.escaped(field.value, quotes: false) + "\r\n"
    }
    return block + "\r\n"
  }

  /// The first name that is no token, which no recipient could tell from the value (RFC 9110 §5.1).
  var invalidName: String? {
    fields.first { !HTTPHeaderValidation.isToken($0.name) }?.name
  }

  /// Every CR without LF and LF without CR as CRLF, as the "multipart/form-data encoding algorithm" of the WHATWG HTML
  /// standard does with the names of fields, before it escapes them. File names stay as they are.
  static func withNormalizedLineBreaks(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return text }
    var result = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      defer { previous = scalar }
      switch scalar {
      case "\r": result.append(contentsOf: "\r\n".unicodeScalars)
      case "\n": if previous != "\r" { result.append(contentsOf: "\r\n".unicodeScalars) }
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Makes a text unable to end its line and, with `quotes`, its quoted string: the "escape a multipart/form-data name"
  /// steps of the WHATWG HTML standard. NUL is our addition, as some parsers end the text there.
  static func escaped(_ text: String, quotes: Bool) -> String {
    func needsEscape(_ byte: UInt8) -> Bool {
      byte == 0x0D || byte == 0x0A || byte == 0 || (quotes && byte == 0x22)
    }
    guard text.utf8.contains(where: needsEscape) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case "\0": result += "%00"
      case "\"" where quotes: result += "%22"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
