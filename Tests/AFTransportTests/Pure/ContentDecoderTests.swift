import Foundation
import Testing

@testable import AFTransport

@Suite struct ContentDecoderTests {
  /// "Hello World!" as gzip.
  private static let hello: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x6D, 0xCA, 0xB2, 0x5C, 0x00, 0x03, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x57,
    0x08, 0xCF, 0x2F, 0xCA, 0x49, 0x51, 0x04, 0x00, 0xA3, 0x1C, 0x29, 0x1C, 0x0C, 0x00, 0x00, 0x00,
  ]

  private func decode(_ bytes: [UInt8], _ coding: ContentDecoder.Coding, step: Int) -> [UInt8]? {
    let decoder = ContentDecoder(coding)
    var result: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let piece = Array(bytes[position..<min(position + step, bytes.count)])
      let outcome = piece.withUnsafeBytes { bytes in
        decoder.decode(bytes) { decoded in
          result.append(contentsOf: decoded)
          return true
        }
      }
      if outcome == .damaged { return nil }
      position += step
    }
    return decoder.isComplete ? result : nil
  }

  @Test(arguments: [1, 2, 7, 32]) func `B37: gzip in pieces of any size`(step: Int) {
    #expect(decode(Self.hello, .gzip, step: step) == Array("Hello World!".utf8))
  }

  @Test func `two members are one body`() {
    #expect(decode(Self.hello + Self.hello, .gzip, step: 5) == Array("Hello World!Hello World!".utf8))
  }

  @Test func `deflate with and without zlib's frame`() {
    let raw: [UInt8] = [0x4B, 0x4C, 0x4A, 0x06, 0x00]
    let framed: [UInt8] = [0x78, 0x9C] + raw + [0x02, 0x4D, 0x01, 0x27]
    #expect(decode(raw, .deflate, step: 64) == Array("abc".utf8))
    #expect(decode(framed, .deflate, step: 64) == Array("abc".utf8))
  }

  @Test func `a cut or damaged body is not complete`() {
    #expect(decode(Array(Self.hello.dropLast(9)), .gzip, step: 64) == nil)
    #expect(decode([0x1F, 0x8B, 0x08, 0x00] + [UInt8](repeating: 0xFF, count: 40), .gzip, step: 64) == nil)
    #expect(decode(Array("not gzip at all".utf8), .gzip, step: 64) == nil)
  }

  @Test func `a body without a byte is complete`() {
    #expect(ContentDecoder(.gzip).isComplete)
  }

  @Test func `a reader that has had enough stops the step, and nothing is lost`() throws {
    let plain = Data(repeating: 0x61, count: 1_000_000)
    let packed = try #require(gzip(plain))
    let decoder = ContentDecoder(.gzip)
    var count = 0
    var step = packed.withUnsafeBytes { bytes in
      decoder.decode(bytes) { decoded in
        count += decoded.count
        return false
      }
    }
    var steps = 1
    while step == .stopped {
      steps += 1
      step = decoder.resume { decoded in
        count += decoded.count
        return false
      }
    }
    #expect(step == .consumed)
    #expect(count == plain.count)
    #expect(decoder.isComplete && !decoder.hasPending)
    #expect(steps > 10)
  }

  @Test func `codings that are not understood are left alone`() {
    #expect(ContentDecoder.coding("br") == nil)
    #expect(ContentDecoder.coding("gzip, gzip") == nil)
    #expect(ContentDecoder.coding(nil) == nil)
    #expect(ContentDecoder.coding("X-GZIP") == .gzip)
  }
}
