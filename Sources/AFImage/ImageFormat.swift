internal import Foundation

/// The formats that are decoded. What is none of these by its bytes never reaches a decoder.
enum ImageFormat: String {
  case png, jpeg, gif, tiff, bmp, ico, xbm

  /// The format that a media type names; nil for a type that names none of these.
  init?(mediaType: String) {
    switch mediaType.lowercased() {
    case "image/png": self = .png
    case "image/jpeg": self = .jpeg
    case "image/gif": self = .gif
    case "image/tiff": self = .tiff
    case "image/bmp", "image/x-bmp", "image/x-win-bitmap": self = .bmp
    case "image/ico", "image/x-icon", "image/vnd.microsoft.icon": self = .ico
    case "image/x-xbitmap": self = .xbm
    default: return nil
    }
  }

  init?(_ data: Data) {
    let start = Array(data.prefix(8))
    if start == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] {
      self = .png
    } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if start.starts(with: Array("GIF8".utf8)) {
      self = .gif
    } else if start.starts(with: [0x49, 0x49, 0x2A, 0]) || start.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
      self = .tiff
    } else if start.starts(with: Array("BM".utf8)) {
      self = .bmp
    } else if start.starts(with: [0, 0, 1, 0]) || start.starts(with: [0, 0, 2, 0]) {
      self = .ico
    } else if start.starts(with: Array("#define".utf8)) || start.starts(with: Array("/*".utf8)) {
      self = .xbm
    } else {
      return nil
    }
  }
}
