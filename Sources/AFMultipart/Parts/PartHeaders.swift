/// The header fields of a part, in the order they are sent.
struct PartHeaders: Sendable {
  var fields: [(name: String, value: String)] = []

  /// The fields of a form field, or with a file name those of a file.
  init(name: String, fileName: String? = nil, mimeType: String? = nil) {
    var disposition = "form-data; name=\"\(Self.escaped(name, quotes: true))\""
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
