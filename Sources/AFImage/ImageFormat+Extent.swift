internal import Foundation

extension ImageFormat {
  /// Looks at the sizes that gdk-pixbuf tells of too late, or takes memory for before it tells.
  ///
  /// - A GIF's frames have sizes of their own, whatever its screen is; the decoder allocates each whole.
  /// - GLib ends the process if there is no memory for an XBM, and such a file is tiny beside what it declares.
  /// - Throws: ``AFImageError`` if the image has more pixels than allowed, or fewer bytes than its size asks for.
  func checkExtent(_ data: Data, maximumPixelCount: Int) throws {
    try data.withUnsafeBytes { bytes in
      switch self {
      case .gif:
        try Self.forEachGIFFrame(bytes) { width, height in
          guard width * height <= maximumPixelCount else { throw AFImageError(.tooLarge(width: width, height: height)) }
        }
      case .xbm:
        let width = Self.largestNumber(after: "width", in: bytes)
        let height = Self.largestNumber(after: "height", in: bytes)
        guard let width, let height, width > 0, height > 0 else { throw AFImageError(.malformed) }
        let (count, isTooMany) = width.multipliedReportingOverflow(by: height)
        guard !isTooMany, count <= maximumPixelCount else {
          throw AFImageError(.tooLarge(width: width, height: height))
        }
        // Eight pixels take at least two characters.
        guard (width + 7) / 8 * height <= bytes.count / 2 else { throw AFImageError(.truncated) }
      case .png, .jpeg, .tiff, .bmp, .ico: break
      }
    }
  }

  /// Calls `visit` with the size of each frame (GIF89a, sections 18 to 26), and stops where the structure ends.
  private static func forEachGIFFrame(
    _ bytes: UnsafeRawBufferPointer, _ visit: (_ width: Int, _ height: Int) throws -> Void
  ) throws {
    func table(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    func number(_ position: Int) -> Int { Int(bytes[position]) | Int(bytes[position + 1]) << 8 }
    guard bytes.count >= 13 else { return }
    var position = 13 + table(bytes[10])
    while position < bytes.count {
      switch bytes[position] {
      case 0x2C:
        guard position + 10 < bytes.count else { return }
        try visit(number(position + 5), number(position + 7))
        // The colours, and the size of the codes.
        position += 10 + table(bytes[position + 9]) + 1
      case 0x21: position += 2
      case 0x3B: return
      default:
        // The decoder skips what it does not know, byte by byte.
        position += 1
        continue
      }
      while position < bytes.count, bytes[position] > 0 { position += Int(bytes[position]) + 1 }
      position += 1
    }
  }

  /// The largest number behind any `word`: the decoder takes the last define of that name, and it has ideas of its own about
  /// where a line ends.
  private static func largestNumber(after word: String, in bytes: UnsafeRawBufferPointer) -> Int? {
    let word = Array(word.utf8)
    var largest: Int?
    var position = 0
    while position + word.count < bytes.count {
      guard bytes[position] == word[0], bytes[position..<position + word.count].elementsEqual(word) else {
        position += 1
        continue
      }
      position += word.count
      while position < bytes.count, bytes[position] == 0x20 || 0x09...0x0D ~= bytes[position] { position += 1 }
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") { position += 1 }
      var value: Int?
      while position < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[position] {
        // More digits than an Int32 has are as large as one can be.
        value = min((value ?? 0) * 10 + Int(bytes[position] - UInt8(ascii: "0")), Int(Int32.max))
        position += 1
      }
      if let value { largest = max(largest ?? 0, value) }
    }
    return largest
  }
}
