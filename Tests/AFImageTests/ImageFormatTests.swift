import Foundation
import Testing

@testable import AFImage

/// What is told of an image by its bytes, before a decoder sees it.
@Suite struct ImageFormatTests {
  @Test(
    arguments: [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], .png),
      ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0B], nil),
      ([0x89, 0x50, 0x4E, 0x47], nil), ([0xFF, 0xD8, 0xFF], .jpeg), ([0xFF, 0xD8], nil), (Array("GIF8".utf8), .gif),
      (Array("GIF9".utf8), nil), ([0x49, 0x49, 0x2A, 0], .tiff), ([0x4D, 0x4D, 0, 0x2A], .tiff),
      ([0x4D, 0x4D, 0x2A, 0], nil), (Array("BM".utf8), .bmp), ([0, 0, 1, 0], .ico), ([0, 0, 2, 0], .ico),
      ([0, 0, 3, 0], nil), (Array("#define".utf8), .xbm), (Array("/* x */".utf8), .xbm), ([], nil),
    ] as [([UInt8], ImageFormat?)])
  func `the first bytes tell the format`(bytes: [UInt8], format: ImageFormat?) {
    #expect(ImageFormat(Data(bytes)) == format)
  }

  @Test(
    arguments: [
      ("image/png", .png), ("IMAGE/PNG", .png), ("image/x-win-bitmap", .bmp), ("image/x-bmp", .bmp),
      ("image/x-icon", .ico), ("image/vnd.microsoft.icon", .ico), ("image/x-xbitmap", .xbm), ("image/webp", nil),
      ("", nil),
    ] as [(String, ImageFormat?)])
  func `the media type names a format, in any case`(type: String, format: ImageFormat?) {
    #expect(ImageFormat(mediaType: type) == format)
  }

  // MARK: Completeness

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let chunk: [UInt8] = [0, 0, 0, 2] + Array("IDAT".utf8) + [7, 7, 0, 0, 0, 0]
  private static let end: [UInt8] = [0, 0, 0, 0] + Array("IEND".utf8) + [0, 0, 0, 0]

  @Test(
    arguments: [
      (signature + chunk + end, true), (signature + end, true), (signature + chunk + end.dropLast(), false),
      (signature + chunk, false), (signature + chunk.dropLast(2) + end, false), (signature, false),
      // "IEND" within a chunk is not the end.
      (signature + [0, 0, 0, 12] + Array("IDAT".utf8) + end + [0, 0, 0, 0], false),
    ] as [([UInt8], Bool)])
  func `a PNG is complete with its last chunk`(bytes: [UInt8], isComplete: Bool) {
    #expect(ImageFormat.png.isComplete(Data(bytes)) == isComplete)
  }

  private static let start: [UInt8] = [0xFF, 0xD8]
  private static let table: [UInt8] = [0xFF, 0xDB, 0, 4, 0xFF, 0xD9]
  private static let scan: [UInt8] = [0xFF, 0xDA, 0, 3, 9]

  @Test(
    arguments: [
      (start + table + scan + [1, 2, 0xFF, 0xD9], true), (start + table + scan + [1, 2], false),
      (start + table + scan + [1, 2, 0xFF], false), (start + table + scan + [0xFF, 0, 1, 2], false),
      // What looks like a marker among the scan's bytes is none.
      (start + scan + [0xFF, 0x01, 0xFF, 0xFF, 1, 0xFF, 0xD9], true),
      // B.1.1.2: any number of 0xFF may stand before a marker.
      (start + [0xFF, 0xFF] + table + scan + [0xFF, 0xD9], true),
      // An end in a table is that of a thumbnail.
      (start + table, false), (start, false),
    ] as [([UInt8], Bool)])
  func `a JPEG is complete with an end behind its scan`(bytes: [UInt8], isComplete: Bool) {
    #expect(ImageFormat.jpeg.isComplete(Data(bytes)) == isComplete)
  }

  private static func icons(_ entries: (size: UInt8, offset: UInt8)..., count: UInt8? = nil, body: Int) -> [UInt8] {
    let list = entries.flatMap { [0, 0, 0, 0, 0, 0, 0, 0, $0.size, 0, 0, 0, $0.offset, 0, 0, 0] as [UInt8] }
    return [0, 0, 1, 0, count ?? UInt8(entries.count), 0] + list + [UInt8](repeating: 7, count: body)
  }

  @Test(
    arguments: [
      (icons((10, 22), body: 10), true), (icons((10, 22), body: 9), false), (icons((11, 22), body: 10), false),
      (icons((10, 23), body: 10), false), (icons((5, 38), (5, 43), body: 10), true),
      (icons((5, 38), (6, 43), body: 10), false), (icons((0, 22), body: 0), true), (icons(count: 1, body: 15), false),
      ([0, 0, 1, 0, 0], false),
    ] as [([UInt8], Bool)])
  func `an icon is complete if every picture of its list is there`(bytes: [UInt8], isComplete: Bool) {
    #expect(ImageFormat.ico.isComplete(Data(bytes)) == isComplete)
  }

  // MARK: Extent

  private func refuses(_ format: ImageFormat, _ data: Data, _ limit: Int) -> AFImageError.Code? {
    do {
      try format.checkExtent(data, maximumPixelCount: limit)
      return nil
    } catch {
      return (error as? AFImageError)?.code
    }
  }

  @Test func `a GIF may have frames of just the limit, and none of more, wherever it is`() {
    let frames = ImageFixtures.gif(frame: (10, 7), count: 3)
    #expect(refuses(.gif, frames, 70) == nil)
    #expect(refuses(.gif, frames, 69) == .tooLarge(width: 10, height: 7))
    // A first picture whose data look like the end, or like a picture of another size.
    let head = Data("GIF89a".utf8) + [2, 0, 1, 0, 0, 0, 0]
    let small: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2]
    let large: [UInt8] = [0x2C, 0, 0, 0, 0, 100, 0, 50, 0, 0, 2]
    #expect(refuses(.gif, head + small + [1, 0x3B, 0] + large + [0, 0x3B], 70) == .tooLarge(width: 100, height: 50))
    #expect(refuses(.gif, head + small + [12] + large + [0, 0, 0x3B], 70) == nil)
    // With colours of its own the data begin further on.
    let coloured: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0x80] + [UInt8](repeating: 0x3B, count: 6) + [2, 0]
    #expect(refuses(.gif, head + coloured + large + [0, 0x3B], 70) == .tooLarge(width: 100, height: 50))
  }

  @Test(
    arguments: [
      ("#define a_width 8\n#define a_height 4\n", 32, nil),
      ("#define a_width 8\n#define a_height 4\n", 31, .tooLarge(width: 8, height: 4)),
      ("#define a_width 0\n#define a_height 4\n", 100, .malformed),
      ("#define a_width 8\n#define a_height 0\n", 100, .malformed),
      ("#define a_width 8\n", 100, .malformed), ("#define a_width +8\n#define a_height 1\n", 8, nil),
      ("#define a_width 80\n#define b_width 8\n#define a_height 1\n", 79, .tooLarge(width: 80, height: 1)),
      ("#define a_width 8\n#define b_width 80\n#define a_height 1\n", 79, .tooLarge(width: 80, height: 1)),
      ("#define a_width 8000\n#define a_height 8\n", 1 << 20, .truncated),
    ] as [(String, Int, AFImageError.Code?)])
  func `an XBM counts by the largest numbers that it names`(text: String, limit: Int, code: AFImageError.Code?) {
    #expect(refuses(.xbm, Data((text + String(repeating: " ", count: 100)).utf8), limit) == code)
  }
}

/// What comes out of the decoder.
@Suite struct PixelLayoutTests {
  /// A BMP of 24 bits; pixels are red, green, blue, from the top row down.
  private func bmp(_ rows: [[[UInt8]]]) -> Data {
    func number(_ value: Int, _ size: Int) -> Data { Data((0..<size).map { UInt8(value >> (8 * $0) & 255) }) }
    let width = rows[0].count
    let padding = Data(count: (4 - 3 * width % 4) % 4)
    let pixels = rows.reversed().reduce(Data()) { $0 + Data($1.flatMap { $0.reversed() }) + padding }
    var data = Data("BM".utf8) + number(54 + pixels.count, 4) + number(0, 4) + number(54, 4) + number(40, 4)
    data += number(width, 4) + number(rows.count, 4) + number(1, 2) + number(24, 2) + number(0, 4)
    return data + number(pixels.count, 4) + Data(count: 16) + pixels
  }

  @Test func `pixels of three channels keep their channels and rows, and are opaque`() throws {
    let rows: [[[UInt8]]] = [[[10, 20, 30]], [[40, 50, 60]], [[70, 80, 90]]]
    let image = try AFPixelImage(data: bmp(rows))
    #expect(image.width == 1 && image.height == 3)
    #expect(try Array(image.rgba()) == rows.flatMap { $0.flatMap { $0 + [255] } })
  }

  @Test(arguments: 1...8, [true, false])
  func `orientations from 5 on swap width and height, decoded or not`(orientation: Int, inflates: Bool) throws {
    var data = ImageFixtures.turnedJPEG
    let note = Data([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0])
    let place = try #require(data.range(of: note)).upperBound
    data[place] = UInt8(orientation)
    let image = try AFPixelImage(data: data, inflates: inflates)
    #expect((image.width, image.height) == (orientation >= 5 ? (8, 16) : (16, 8)))
  }

  @Test(arguments: [0, -1, .nan] as [CGFloat], [true, false])
  func `a scale that is none is 1`(scale: CGFloat, inflates: Bool) throws {
    let data = try ImageFixtures.png()
    #expect(try AFPixelImage(data: data, scale: scale, inflates: inflates).scale == 1)
    #expect(try AFPixelImage(width: 2, height: 1, rgba: ImageFixtures.rgba, scale: scale).scale == 1)
  }

  @Test(
    arguments: [
      (1, 0, 0), (0, 1, 0), (-1, -1, 4), (2, 1, 4), (1, 1, 8), (1, 1, 3), (.max, 2, 8), (1 << 16, 1 << 16, 0),
    ] as [(Int, Int, Int)])
  func `bytes that are not of that many pixels make no image`(width: Int, height: Int, count: Int) {
    #expect(throws: AFImageError.self) { try AFPixelImage(width: width, height: height, rgba: Data(count: count)) }
  }
}
