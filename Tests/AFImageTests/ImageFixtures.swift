import AFImage
import Foundation

/// Small images of every format, and hostile ones, made of bytes: no decoder's own writer is trusted to make them wrong.
enum ImageFixtures {
  /// 2 × 1 pixels, red and half-transparent blue.
  static let rgba = Data([255, 0, 0, 255, 0, 0, 255, 128])

  static func png() throws -> Data {
    try AFPixelImage(width: 2, height: 1, rgba: rgba).pngData()
  }

  /// 16 × 8 red pixels.
  static let jpeg =
    Data(
      base64Encoded: """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19i\
        Z2hnPk1xeXBkeFxlZ2P/2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2Nj\
        Y2NjY2NjY2P/wAARCAAIABADASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF\
        BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVW\
        V1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi\
        4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC\
        AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVm\
        Z2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq\
        8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDFoooryz7w/9k=
        """) ?? Data()

  /// The JPEG with an EXIF note that it is to be turned by 90°.
  static var turnedJPEG: Data {
    let tiff: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    let segment = Array("Exif\0\0".utf8) + tiff
    return Data([0xFF, 0xD8, 0xFF, 0xE1]) + big16(segment.count + 2) + segment + jpeg.dropFirst(2)
  }

  /// A grey JPEG of so many scans, each of which goes over the whole image with a few bytes.
  static func progressiveJPEG(width: Int, height: Int, scans: Int) -> Data {
    func segment(_ marker: UInt8, _ content: Data) -> Data {
      Data([0xFF, marker]) + big16(content.count + 2) + content
    }
    // A Huffman table with the one code 0.
    func table(_ id: UInt8, _ symbol: UInt8) -> Data { segment(0xC4, Data([id, 1]) + Data(count: 15) + [symbol]) }
    var data = Data([0xFF, 0xD8]) + segment(0xDB, Data([0]) + Data(repeating: 1, count: 64))
    data += segment(0xC2, Data([8]) + big16(height) + big16(width) + [1, 1, 0x11, 0]) + table(0, 0) + table(0x10, 0xE0)
    let blocks = (width + 7) / 8 * ((height + 7) / 8)
    data += segment(0xDA, Data([1, 1, 0, 0, 0, 0])) + Data(count: blocks / 8) + [0x7F >> UInt8(blocks % 8)]
    // Runs of 32,767 blocks without coefficients: the code, and fourteen ones.
    var runs: [UInt8] = []
    for _ in 0..<(blocks + 32_766) / 32_767 { runs += [0] + [UInt8](repeating: 1, count: 14) }
    runs += [UInt8](repeating: 1, count: (8 - runs.count % 8) % 8)
    var scan = segment(0xDA, Data([1, 1, 0, 1, 63, 0]))
    for start in stride(from: 0, to: runs.count, by: 8) {
      let byte = runs[start..<start + 8].reduce(0) { $0 << 1 | $1 }
      scan += byte == 0xFF ? [0xFF, 0] : [byte]
    }
    for _ in 1..<scans { data += scan }
    return data + [0xFF, 0xD9]
  }

  /// A GIF whose first picture fills `frame` of its screen.
  static func gif(width: Int = 2, height: Int = 1, frame: (Int, Int) = (2, 1), count: Int = 1) -> Data {
    var data = Data("GIF89a".utf8) + little16(width) + little16(height) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    for _ in 0..<count {
      data += [0x2C, 0, 0, 0, 0] + little16(frame.0) + little16(frame.1) + [0, 2, 2, 0x4C, 0x01, 0]
    }
    return data + [0x3B]
  }

  /// A BMP of one red pixel, or one that only says it is larger.
  static func bmp(width: Int = 1, height: Int = 1) -> Data {
    let pixels: [UInt8] = [0, 0, 255, 0]
    var data = Data("BM".utf8) + little32(54 + pixels.count) + little32(0) + little32(54) + little32(40)
    data += little32(width) + little32(height) + little16(1) + little16(24) + little32(0) + little32(pixels.count)
    return data + Data(count: 16) + pixels
  }

  /// An icon of one red pixel.
  static func ico() -> Data {
    let header: Data = little32(40) + little32(1) + little32(2) + little16(1) + little16(32) + Data(count: 24)
    let bitmap = header + [0, 0, 255, 255] + Data(count: 4)
    return Data([0, 0, 1, 0, 1, 0, 1, 1, 0, 0]) + little16(1) + little16(32) + little32(bitmap.count) + little32(22)
      + bitmap
  }

  /// A TIFF of one red pixel, or one that only says it is larger.
  static func tiff(width: Int = 1, height: Int = 1) -> Data {
    let entries = [
      (256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 2), (273, 4, 8), (277, 3, 3),
      (278, 4, height), (279, 4, 3),
    ]
    var data = Data("II*\0".utf8) + little32(12) + [255, 0, 0, 0] + little16(entries.count)
    for (tag, type, value) in entries { data += little16(tag) + little16(type) + little32(1) + little32(value) }
    return data + little32(0)
  }

  /// An XBM of 8 × 1 pixels, or one that only says it is larger.
  static func xbm(width: Int = 8, height: Int = 1) -> Data {
    Data("#define a_width \(width)\n#define a_height \(height)\nstatic char a_bits[] = {\n 0x0f };\n".utf8)
  }

  /// A PNG head that says how large it is, with little behind it.
  static func emptyPNG(width: Int, height: Int) throws -> Data {
    var data = try png()
    data.replaceSubrange(16..<24, with: big32(width) + big32(height))
    // The head's checksum follows it.
    data.replaceSubrange(29..<33, with: big32(Int(crc32(data[12..<29]))))
    return data
  }

  private static func crc32(_ data: Data) -> UInt32 {
    ~data.reduce(~0) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }
  }

  private static func little16(_ value: Int) -> Data { Data([UInt8(value & 255), UInt8(value >> 8 & 255)]) }
  private static func little32(_ value: Int) -> Data { little16(value) + little16(value >> 16) }
  private static func big16(_ value: Int) -> Data { Data([UInt8(value >> 8 & 255), UInt8(value & 255)]) }
  private static func big32(_ value: Int) -> Data { big16(value >> 16) + big16(value) }
}
