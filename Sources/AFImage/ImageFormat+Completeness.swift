internal import Foundation

extension ImageFormat {
  /// Whether the end of the image is there. gdk-pixbuf itself takes a cut-off PNG, JPEG or icon for a whole one and leaves
  /// the rest of the pixels as they are; the other formats it judges well.
  func isComplete(_ data: Data) -> Bool {
    data.withUnsafeBytes { bytes in
      switch self {
      case .png: Self.hasPNGEnd(bytes)
      case .jpeg: Self.hasJPEGEnd(bytes)
      case .ico: Self.hasIcons(bytes)
      case .gif, .tiff, .bmp, .xbm: true
      }
    }
  }

  /// Walks from chunk to chunk (length, type, content, checksum) to IEND.
  private static func hasPNGEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 8
    while position + 12 <= bytes.count {
      let length = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
      let type = bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)
      if UInt32(bigEndian: type) == 0x4945_4E44 { return true }
      position += 12 + length
    }
    return false
  }

  /// Walks from segment to segment to the first scan, behind which the end marker cannot be mistaken: in a scan every 0xFF
  /// that is data has a zero behind it. Before it there may be one, of a thumbnail.
  private static func hasJPEGEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var position = 2
    while position + 4 <= bytes.count, bytes[position] == 0xFF {
      let marker = bytes[position + 1]
      if marker == 0xFF {
        position += 1
        continue
      }
      let length = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: position + 2, as: UInt16.self)))
      position += 2 + length
      if marker == 0xDA { break }
    }
    guard position < bytes.count else { return false }
    return zip(bytes[position...], bytes[position...].dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
  }

  /// Whether every icon of the directory lies within the file.
  private static func hasIcons(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= 6 else { return false }
    let count = Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)))
    guard bytes.count >= 6 + 16 * count else { return false }
    return (0..<count).allSatisfy { index in
      let entry = 6 + 16 * index
      let size = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: entry + 8, as: UInt32.self))
      let offset = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: entry + 12, as: UInt32.self))
      return Int(offset) + Int(size) <= bytes.count
    }
  }
}
