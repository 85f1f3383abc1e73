internal import AFSupport
internal import Foundation

extension ImageFormat {
  /// Looks at the sizes that gdk-pixbuf tells of too late, or takes memory for before it tells.
  ///
  /// - A GIF's frames have sizes of their own, whatever its screen is; the decoder allocates each whole.
  /// - GLib ends the process if there is no memory for an XBM or a GIF's frame, and
  ///   such a file is tiny beside what it declares.
  /// - A JPEG's scans may be any number, and each of them costs as much as the whole image, though it has but a few bytes.
  /// - Throws: ``AFImageError`` if the image has more pixels than allowed, or fewer bytes than its size asks for.
  func checkExtent(_ data: Data, maximumPixelCount: Int) throws {
    try data.withUnsafeBytes { bytes in
      switch self {
      case .gif:
        var largest = 0
        try Self.forEachGIFFrame(bytes) { width, height, _ in
          guard width * height <= maximumPixelCount else { throw AFImageError(.tooLarge(width: width, height: height)) }
          largest = max(largest, width * height)
        }
        // The decoder takes an octet for each pixel from an allocator that ends the process where there is none, and then four.
        guard MemoryRoom.has(largest.multipliedReportingOverflow(by: 5).partialValue) else {
          throw AFImageError(.malformed, detail: "there is no memory for its pixels")
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
      case .jpeg: try Self.checkJPEGScans(bytes)
      case .png, .tiff, .bmp, .ico: break
      }
    }
  }

  /// So many scans are no harm to any image: encoders use ten or so.
  private static let harmlessScans = 64
  /// How many pixels all scans of a JPEG may visit together: those of the largest image by default, so often.
  private static let maximumScannedPixels = harmlessScans * AFPixelImage.defaultMaximumPixelCount

  /// Refuses a JPEG whose scans would take minutes (ITU-T T.81, annex B).
  private static func checkJPEGScans(_ bytes: UnsafeRawBufferPointer) throws {
    var pixels = 0
    var scans = 0
    var position = 2
    while position + 4 <= bytes.count {
      let marker = bytes[position + 1]
      guard bytes[position] == 0xFF, marker != 0xFF, marker > 0x01, !(0xD0...0xD9).contains(marker) else {
        // The data of a scan, a filling byte, or what the decoder skips.
        position += 1
        continue
      }
      let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
      if isFrame, position + 9 <= bytes.count {
        let height = Int(bytes[position + 5]) << 8 | Int(bytes[position + 6])
        let width = Int(bytes[position + 7]) << 8 | Int(bytes[position + 8])
        pixels = max(pixels, width * height)
      }
      if marker == 0xDA {
        scans += 1
        guard scans <= harmlessScans || scans * pixels <= maximumScannedPixels else {
          throw AFImageError(.malformed, detail: "it has more scans than an image of its size may have")
        }
      }
      position += 2 + max(2, Int(bytes[position + 2]) << 8 | Int(bytes[position + 3]))
    }
  }

  /// What of an image is given to the decoder, in order: of a GIF the first picture and an end. The other pictures take time and
  /// are not wanted, but they, and the file's end, must be there.
  func wantedParts(of data: Data) throws -> [Data] {
    guard self == .gif else { return [data] }
    var end: Int?
    let isWhole = try data.withUnsafeBytes { bytes in
      try Self.forEachGIFFrame(bytes) { _, _, frameEnd in end = end ?? frameEnd }
    }
    guard let end, end < data.count else { return [data] }
    guard isWhole else { throw AFImageError(.truncated) }
    return [data.prefix(end), Data([0x3B])]
  }

  /// Calls `visit` with the size of each frame (GIF89a, sections 18 to 26) and where it ends, and stops where the structure ends.
  /// Returns whether the file's trailer was met there.
  @discardableResult
  private static func forEachGIFFrame(
    _ bytes: UnsafeRawBufferPointer, _ visit: (_ width: Int, _ height: Int, _ end: Int) throws -> Void
  ) throws -> Bool {
    func table(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
    func number(_ position: Int) -> Int { Int(bytes[position]) | Int(bytes[position + 1]) << 8 }
    guard bytes.count >= 13 else { return false }
    var position = 13 + table(bytes[10])
    while position < bytes.count {
      var frame: (width: Int, height: Int)?
      switch bytes[position] {
      case 0x2C:
        guard position + 10 < bytes.count else { return false }
        frame = (number(position + 5), number(position + 7))
        // The colours, and the size of the codes.
        position += 10 + table(bytes[position + 9]) + 1
      case 0x21: position += 2
      case 0x3B: return true
      default:
        // The decoder skips what it does not know, byte by byte.
        position += 1
        continue
      }
      while position < bytes.count, bytes[position] > 0 { position += Int(bytes[position]) + 1 }
      position += 1
      if let frame { try visit(frame.width, frame.height, position) }
    }
    return false
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
