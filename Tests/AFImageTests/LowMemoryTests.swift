import AFImage
import AFTestSupport
import Foundation
import Testing

/// Memory that ends: an image is decoded whole, or there is an error. Each in a process of its own.
@Suite struct LowMemoryTests {
  /// What is larger than 32 MiB the allocator gives back when it is freed, and has to ask for again.
  private static let side = 3_000

  private static func png() throws -> Data {
    try AFPixelImage(width: side, height: side, rgba: Data(repeating: 200, count: 4 * side * side)).pngData()
  }

  private static func gif() -> Data { ImageFixtures.gif(width: side, height: side, frame: (side, side), count: 3) }

  private static func jpeg() -> Data { ImageFixtures.progressiveJPEG(width: side, height: side, scans: 3) }

  private static func decodes(_ image: Data) throws -> Bool {
    do {
      let decoded = try AFPixelImage(data: image)
      let rgba = try decoded.rgba()
      guard rgba.count == 4 * side * side, rgba[3] == 255 || rgba[3] == 200 || rgba[3] == 0 else { exit(20) }
      return true
    } catch is AFImageError {
      return false
    }
  }

  @Test func `an image for whose pixels there is no room is an error`() async {
    await #expect(processExitsWith: .success) {
      guard !ProcessSnapshot.isSanitized else { return }
      for image in [try LowMemoryTests.png(), LowMemoryTests.gif()] {
        guard try LowMemoryTests.decodes(image) else { exit(10) }
        guard FailingMemory.limitAddressSpace(more: 4 << 20), try !LowMemoryTests.decodes(image) else { exit(11) }
        var isDecoded = false
        for more in [16, 32, 40, 48, 64, 80, 96, 128, 256] where !isDecoded {
          guard FailingMemory.limitAddressSpace(more: more << 20) else { exit(12) }
          isDecoded = try LowMemoryTests.decodes(image)
        }
        guard isDecoded, FailingMemory.limitAddressSpace(more: 4 << 30) else { exit(13) }
      }
      exit(0)
    }
  }

  @Test(.enabled(if: FailingMemory.isPreloaded, "Scripts/test preloads what is needed"))
  func `an allocator that refuses any one large request makes an error`() async {
    await #expect(processExitsWith: .success) {
      for image in [try LowMemoryTests.png(), LowMemoryTests.jpeg()] {
        guard try LowMemoryTests.decodes(image) else { exit(10) }
        var number = 0
        while true {
          number += 1
          let isDecoded = try await FailingMemory.run(failing: number, from: 1 << 20) {
            try LowMemoryTests.decodes(image)
          }
          if FailingMemory.counted < number {
            guard isDecoded else { exit(11) }
            break
          }
          guard number < 100 else { exit(12) }
        }
        guard number > 1 else { exit(13) }
      }
      for image in [try LowMemoryTests.png(), LowMemoryTests.jpeg(), LowMemoryTests.gif()] {
        guard try await !FailingMemory.run(from: 1 << 20, { try LowMemoryTests.decodes(image) }) else { exit(14) }
      }
      exit(0)
    }
  }
}
