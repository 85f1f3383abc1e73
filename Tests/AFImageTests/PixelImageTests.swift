import AFImage
import AFTestSupport
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct PixelImageTests {
  @Test("a PNG comes back as the pixels it was made of, alpha included")
  func png() throws {
    let image = try AFPixelImage(data: ImageFixtures.png(), scale: 2)
    #expect(image.width == 2)
    #expect(image.height == 1)
    #expect(image.size == CGSize(width: 1, height: 0.5))
    #expect(try image.rgba() == ImageFixtures.rgba)
    #expect(try AFPixelImage(data: image.pngData()).rgba() == ImageFixtures.rgba)
  }

  @Test(
    "every format is decoded",
    arguments: [
      (ImageFixtures.gif(), 2, 1, nil), (ImageFixtures.bmp(), 1, 1, Data([255, 0, 0, 255])),
      (ImageFixtures.ico(), 1, 1, Data([255, 0, 0, 255])), (ImageFixtures.tiff(), 1, 1, Data([255, 0, 0, 255])),
      (ImageFixtures.xbm(), 8, 1, Data([UInt8](repeating: 0, count: 4).prefix(3)) + [255]),
      (ImageFixtures.gif(width: 4, height: 4, frame: (2, 1)), 4, 4, nil), (ImageFixtures.jpeg, 16, 8, nil),
      (ImageFixtures.gif(count: 3), 2, 1, nil),
    ] as [(Data, Int, Int, Data?)])
  func formats(_ data: Data, _ width: Int, _ height: Int, _ first: Data?) throws {
    for inflates in [true, false] {
      let image = try AFPixelImage(data: data, inflates: inflates)
      #expect(image.isInflated == inflates)
      #expect(image.width == width)
      #expect(image.height == height)
      let pixels = try image.rgba()
      #expect(image.isInflated)
      #expect(pixels.count == 4 * width * height)
      if let first { #expect(pixels.prefix(4) == first) }
    }
  }

  @Test("a JPEG's pixels are about what they were")
  func jpeg() throws {
    let pixels = try AFPixelImage(data: ImageFixtures.jpeg).rgba()
    for index in stride(from: 0, to: pixels.count, by: 4) {
      #expect(pixels[index] > 240 && pixels[index + 1] < 15 && pixels[index + 2] < 15 && pixels[index + 3] == 255)
    }
  }

  @Test("an image that says it is to be turned is turned, decoded or not", arguments: [true, false])
  func orientation(_ inflates: Bool) throws {
    let image = try AFPixelImage(data: ImageFixtures.turnedJPEG, inflates: inflates)
    #expect(image.width == 8)
    #expect(image.height == 16)
    #expect(try image.rgba().count == 4 * 8 * 16)
  }

  @Test(
    "what is no image of these formats reaches no decoder", arguments: ["", "<svg/>", "hello", "%PDF", "P6 1 1 255 "])
  func unknownFormat(_ text: String) {
    #expect(throws: AFImageError.self) { try AFPixelImage(data: Data(text.utf8)) }
    #expect { try AFPixelImage(data: Data(text.utf8)) } throws: { ($0 as? AFImageError)?.code == .unknownFormat }
  }

  @Test("an image that ends early is an error, wherever it ends")
  func truncated() throws {
    let images = try [
      ImageFixtures.png(), ImageFixtures.jpeg, ImageFixtures.gif(), ImageFixtures.ico(), ImageFixtures.tiff(),
      ImageFixtures.xbm(),
    ]
    for image in images {
      // The last bytes of an XBM are of no importance, and those of a PNG its checksum.
      for count in 0..<image.count - 4 {
        #expect(throws: AFImageError.self, "\(count) of \(image.count) bytes") {
          try AFPixelImage(data: image.prefix(count))
        }
      }
    }
    let bmp = ImageFixtures.bmp()
    for count in 0..<bmp.count - 1 where count != bmp.count - 1 {
      #expect(throws: AFImageError.self) { try AFPixelImage(data: bmp.prefix(count)) }
    }
  }

  @Test("images of absurd size are refused before their memory is taken")
  func absurd() async throws {
    await #expect(processExitsWith: .success) {
      let images = try [
        ImageFixtures.emptyPNG(width: 50_000, height: 50_000), ImageFixtures.emptyPNG(width: 9_000, height: 9_000),
        ImageFixtures.bmp(width: 60_000, height: 60_000), ImageFixtures.bmp(width: 20_000, height: 20_000),
        ImageFixtures.gif(width: 65_535, height: 65_535, frame: (65_535, 65_535)),
        ImageFixtures.tiff(width: 20_000, height: 20_000), ImageFixtures.tiff(width: 1 << 30, height: 1 << 30),
        ImageFixtures.xbm(width: 60_000, height: 60_000), ImageFixtures.xbm(width: -1, height: 8),
        // F75 F76: a frame larger than its screen, a later frame, and rows that are not there.
        ImageFixtures.gif(width: 1, height: 1, frame: (23_000, 23_000)),
        ImageFixtures.gif(width: 1, height: 1).dropLast()
          + ImageFixtures.gif(width: 1, height: 1, frame: (65_535, 65_535)).dropFirst(19),
        ImageFixtures.xbm(width: 100_000, height: 200_000), ImageFixtures.xbm(width: 8_000, height: 8_000),
        ImageFixtures.xbm(width: 99_999_999_999, height: 1), ImageFixtures.xbm(width: 0, height: 0),
      ]
      for image in images {
        for inflates in [true, false] {
          do {
            _ = try AFPixelImage(data: image, inflates: inflates)
            exit(2)
          } catch is AFImageError {
          }
        }
      }
      // Hundreds of pictures, of which only the first is wanted.
      _ = try? AFPixelImage(data: ImageFixtures.gif(width: 1_000, height: 1_000, frame: (1_000, 1_000), count: 500))
      // Not getrusage: a process that was started by a large one begins with that one's peak.
      guard ProcessSnapshot.take().peakResidentBytes < 200 << 20 else { exit(3) }
      leaveAtOnce()
    }
  }

  @Test(
    "F75 F76 what the bytes declare counts before anything is decoded",
    arguments: [
      (ImageFixtures.gif(width: 1, height: 1, frame: (11, 10)), AFImageError.Code.tooLarge(width: 11, height: 10)),
      (ImageFixtures.gif(width: 11, height: 10, frame: (1, 1)), .tooLarge(width: 11, height: 10)),
      (ImageFixtures.xbm(width: 11, height: 10), .tooLarge(width: 11, height: 10)),
      (
        Data("/* c */ #define x_width 2\n#define x_width 101 #define y_height\t+1\n{ 0x1 };".utf8),
        .tooLarge(width: 101, height: 1)
      ),
      (Data("#define x_width 8\nstatic char x[] = { 0x1 };".utf8), .malformed),
      (Data("#define x_width 1\n#define x_height 100\n{0};".utf8), .truncated),
    ])
  func declared(_ image: Data, _ code: AFImageError.Code) {
    #expect {
      try AFPixelImage(data: image, maximumPixelCount: 100)
    } throws: {
      ($0 as? AFImageError)?.code == code
    }
  }

  @Test(
    "what costs much and says little is refused: a JPEG of very many scans; of a GIF the first picture alone is decoded"
  )
  func slow() throws {
    // 300 scans of 64 megapixels are 150 KB, and took most of a minute.
    let scans = ImageFixtures.progressiveJPEG(width: 8_000, height: 8_000, scans: 300)
    for inflates in [true, false] {
      #expect {
        try AFPixelImage(data: scans, inflates: inflates)
      } throws: {
        ($0 as? AFImageError)?.code == .malformed && "\($0)".contains("scans")
      }
    }
    #expect(try AFPixelImage(data: ImageFixtures.progressiveJPEG(width: 64, height: 48, scans: 64)).width == 64)
    #expect(try AFPixelImage(data: ImageFixtures.progressiveJPEG(width: 64, height: 48, scans: 500)).height == 48)
    // Each picture is 15 bytes; the decoder's list of them took time by the square of their number.
    let pictures = ImageFixtures.gif(width: 500, height: 500, frame: (500, 500), count: 100_000)
    let start = ContinuousClock.now
    #expect(
      try AFPixelImage(data: pictures).rgba()
        == AFPixelImage(
          data: ImageFixtures.gif(
            width: 500, height: 500, frame: (500, 500))
        ).rgba())
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect { try AFPixelImage(data: pictures.dropLast()) } throws: { ($0 as? AFImageError)?.code == .truncated }
  }

  @Test("the limit can be chosen, and is told")
  func limit() throws {
    #expect { try AFPixelImage(data: ImageFixtures.jpeg, maximumPixelCount: 127) } throws: {
      ($0 as? AFImageError)?.code == .tooLarge(width: 16, height: 8)
    }
    #expect(throws: Never.self) { try AFPixelImage(data: ImageFixtures.jpeg, maximumPixelCount: 128) }
  }

  @Test("any damage gives an image or an error, not a crash")
  func damage() throws {
    var generator = SystemRandomNumberGenerator()
    let images = try [
      ImageFixtures.png(), ImageFixtures.jpeg, ImageFixtures.gif(), ImageFixtures.ico(), ImageFixtures.tiff(),
      ImageFixtures.xbm(), ImageFixtures.bmp(),
    ]
    for image in images {
      for _ in 0..<200 {
        var damaged = image
        for _ in 0..<3 {
          damaged[Int.random(in: 0..<damaged.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let decoded = try? AFPixelImage(data: damaged, maximumPixelCount: 1 << 20)
        if let decoded { #expect(try decoded.rgba().count == 4 * decoded.width * decoded.height) }
      }
    }
  }

  @Test(
    "pixels that do not fit the dimensions make no image", arguments: [(0, 1), (1, 0), (-1, -2), (3, 1), (Int.max, 2)])
  func wrongPixels(_ width: Int, _ height: Int) {
    #expect(throws: AFImageError.self) { try AFPixelImage(width: width, height: height, rgba: ImageFixtures.rgba) }
  }

  @Test("an image is used from many threads")
  func threads() throws {
    let image = try AFPixelImage(data: ImageFixtures.jpeg, inflates: false)
    DispatchQueue.concurrentPerform(iterations: 50) { _ in
      #expect((try? image.rgba())?.count == 512)
      #expect((try? image.pngData()) != nil)
      _ = image.isInflated
    }
  }
}
