package import Foundation

/// MIME types by file name extension.
package enum MIMEType {
  /// What a file of unknown kind is.
  package static let octetStream = "application/octet-stream"

  /// The type of files with this extension, in any case and without the dot; `application/octet-stream` if unknown.
  package static func forExtension(_ pathExtension: String) -> String {
    let key = pathExtension.lowercased()
    return common[key] ?? system[key] ?? octetStream
  }

  /// What the system knows: the shared MIME database of freedesktop.org, or else `/etc/mime.types`. Read when first needed.
  private static let system: [String: String] = {
    let shared = ["/usr/local/share/mime/globs2", "/usr/share/mime/globs2"].compactMap {
      FileManager.default.contents(atPath: $0)
    }
    if !shared.isEmpty {
      return shared.map { parseGlobs($0) }.reduce(into: [:]) { types, next in
        types.merge(next) { first, _ in first }
      }
    }
    return FileManager.default.contents(atPath: "/etc/mime.types").map { parseMIMETypes($0) } ?? [:]
  }()

  /// `globs2`: lines of `weight:type:pattern`, where only patterns of the form `*.extension` interest us. The greatest
  /// weight wins, and among equals the first.
  package static func parseGlobs(_ data: Data) -> [String: String] {
    var found: [String: (weight: Int, type: String)] = [:]
    for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count >= 3, let weight = Int(fields[0]), fields[2].hasPrefix("*.") else { continue }
      let key = fields[2].dropFirst(2).lowercased()
      guard !key.isEmpty, !key.contains(where: { "*?[.".contains($0) }) else { continue }
      if let known = found[key], known.weight >= weight { continue }
      found[key] = (weight, String(fields[1]))
    }
    return found.mapValues(\.type)
  }

  /// `mime.types`: lines of a type and its extensions.
  package static func parseMIMETypes(_ data: Data) -> [String: String] {
    var types: [String: String] = [:]
    for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      let words = line.split(whereSeparator: \.isWhitespace)
      guard let type = words.first, type.contains("/") else { continue }
      for word in words.dropFirst() where types[word.lowercased()] == nil { types[word.lowercased()] = String(type) }
    }
    return types
  }

  /// The types that uploads mostly have. They come before the system's table, so that a program sends the same type on
  /// every machine.
  private static let common: [String: String] = [
    "aac": "audio/aac",
    "apng": "image/apng",
    "avi": "video/x-msvideo",
    "avif": "image/avif",
    "bin": "application/octet-stream",
    "bmp": "image/bmp",
    "bz2": "application/x-bzip2",
    "cer": "application/x-x509-ca-cert",
    "crt": "application/x-x509-ca-cert",
    "css": "text/css",
    "csv": "text/csv",
    "der": "application/x-x509-ca-cert",
    "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "eml": "message/rfc822",
    "epub": "application/epub+zip",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gz": "application/gzip",
    "heic": "image/heic",
    "heif": "image/heif",
    "htm": "text/html",
    "html": "text/html",
    "ico": "image/vnd.microsoft.icon",
    "ics": "text/calendar",
    "jar": "application/java-archive",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "js": "text/javascript",
    "json": "application/json",
    "jxl": "image/jxl",
    "log": "text/plain",
    "m4a": "audio/mp4",
    "m4v": "video/x-m4v",
    "md": "text/markdown",
    "mjs": "text/javascript",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "odp": "application/vnd.oasis.opendocument.presentation",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "odt": "application/vnd.oasis.opendocument.text",
    "oga": "audio/ogg",
    "ogg": "audio/ogg",
    "ogv": "video/ogg",
    "opus": "audio/ogg",
    "otf": "font/otf",
    "pdf": "application/pdf",
    "pem": "application/x-pem-file",
    "plist": "application/x-plist",
    "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rtf": "application/rtf",
    "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "ttf": "font/ttf",
    "txt": "text/plain",
    "wasm": "application/wasm",
    "wav": "audio/wav",
    "weba": "audio/webm",
    "webm": "video/webm",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xhtml": "application/xhtml+xml",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "xml": "application/xml",
    "xz": "application/x-xz",
    "yaml": "application/yaml",
    "yml": "application/yaml",
    "zip": "application/zip",
    "zst": "application/zstd",
    "7z": "application/x-7z-compressed",
  ]
}
