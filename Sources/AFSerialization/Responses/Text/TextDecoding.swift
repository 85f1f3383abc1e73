internal import AFSupport
internal import Foundation

/// Finds the encoding of a text and reads it.
///
/// In this order: a byte order mark, the `charset` of the Content-Type, for XML its declaration (RFC 7303 §3), and the
/// fallback, which is UTF-8 unless chosen otherwise: since RFC 7231 there is no ISO-8859-1 default any more.
enum TextDecoding {
  /// Reads a text.
  /// - Parameters:
  ///   - data: The bytes.
  ///   - contentType: The Content-Type field.
  ///   - fallback: What the text is if nothing says so, or the charset is unknown.
  /// - Returns: The text without a byte order mark, or nil if it is not in that encoding.
  /// - Throws: ``NoRoomForDocument``.
  static func text(
    _ data: Data, contentType: String?, fallback: String.Encoding
  ) throws(NoRoomForDocument) -> String? {
    if let (mark, encoding) = byteOrderMark(data) {
      return try string(data.dropFirst(mark), encoding)
    }
    if let name = contentType.flatMap({ ContentTypeParameter.value(of: "charset", in: $0) }) {
      if let charset = Charset(name: name) { return try charset.string(data) }
    } else if let contentType, isXML(contentType), let name = XMLDeclaration.encoding(in: data) {
      if let charset = Charset(name: name) { return try charset.string(data) }
    }
    return try string(data, fallback)
  }

  /// The text of an XML document by what the document itself says: mark, declaration, or UTF-8.
  /// - Returns: The text, or nil if it is not in that encoding, or the encoding is not known.
  /// - Throws: ``NoRoomForDocument``.
  static func xmlText(_ data: Data) throws(NoRoomForDocument) -> String? {
    if let (mark, encoding) = byteOrderMark(data) { return try string(data.dropFirst(mark), encoding) }
    guard let name = XMLDeclaration.encoding(in: data) else { return try string(data, .utf8) }
    return try Charset(name: name)?.string(data)
  }

  /// The length and encoding of a byte order mark. UTF-32 goes before UTF-16, whose mark it begins with.
  private static func byteOrderMark(_ data: Data) -> (Int, String.Encoding)? {
    let start = Array(data.prefix(4))
    if start.starts(with: [0xEF, 0xBB, 0xBF]) { return (3, .utf8) }
    if start == [0xFF, 0xFE, 0, 0] { return (4, .utf32LittleEndian) }
    if start == [0, 0, 0xFE, 0xFF] { return (4, .utf32BigEndian) }
    if start.starts(with: [0xFF, 0xFE]) { return (2, .utf16LittleEndian) }
    if start.starts(with: [0xFE, 0xFF]) { return (2, .utf16BigEndian) }
    return nil
  }

  static func string(_ data: Data, _ encoding: String.Encoding) throws(NoRoomForDocument) -> String? {
    try NoRoomForDocument.check(encoding == .utf8 ? data.count : DecodedSize.ofText(data))
    return encoding == .utf8 ? String(validating: data, as: UTF8.self) : String(data: data, encoding: encoding)
  }

  private static func isXML(_ contentType: String) -> Bool {
    let type = contentType.prefix { $0 != ";" && $0 != " " }.lowercased()
    return type == "text/xml" || type == "application/xml" || type.hasSuffix("+xml")
  }
}

/// `<?xml version="1.0" encoding="Shift_JIS"?>`
private enum XMLDeclaration {
  /// The encoding that the declaration names, if the document begins with one.
  static func encoding(in data: Data) -> String? {
    let start = Array(data.prefix(256))
    // UTF-16 without a mark is told by its first two characters.
    if start.starts(with: [0x3C, 0, 0x3F, 0]) { return "UTF-16LE" }
    if start.starts(with: [0, 0x3C, 0, 0x3F]) { return "UTF-16BE" }
    guard start.starts(with: Array("<?xml".utf8)), let end = start.firstIndex(of: UInt8(ascii: ">")) else { return nil }
    let declaration = String(decoding: start[..<end], as: UTF8.self)
    let name = declaration.firstMatch(of: /[ \t\r\n]encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']+)["']/).map { String($0.1) }
    // A declaration that can be read byte by byte is in no such encoding, whatever it says.
    return name.map {
      ["utf-16", "utf-32", "ucs-", "iso-10646"].contains(where: $0.lowercased().hasPrefix) ? "UTF-8" : $0
    }
  }
}
