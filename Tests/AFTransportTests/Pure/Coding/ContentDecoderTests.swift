import Foundation
import Testing

@testable import AFTransport

@Suite struct ContentDecoderTests {
  @Test func `a body without a byte is complete`() throws {
    let decoder = try #require(ContentDecoder([.gzip]))
    #expect(decoder.finish() == nil)
  }

  @Test(arguments: [[ContentCoding.gzip], [.gzip, .gzip]])
  func `a reader that has had enough stops the step, and nothing is lost`(codings: [ContentCoding]) throws {
    let plain = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 1000) })
    var packed = plain
    for _ in codings { packed = try #require(gzip(packed)) }
    let decoder = try #require(ContentDecoder(codings))
    var result = Data()
    func take(_ decoded: UnsafeRawBufferPointer) -> Bool {
      result.append(contentsOf: decoded)
      return false
    }
    var step = packed.withUnsafeBytes { decoder.decode($0, take) }
    var steps = 1
    while step == .stopped {
      #expect(decoder.hasPending)
      steps += 1
      step = decoder.resume(take)
    }
    #expect(step == .consumed)
    #expect(result == plain)
    #expect(decoder.finish() == nil && !decoder.hasPending)
    #expect(steps > 10)
  }

  @Test func `what was decoded before a fault is given out, and nothing after it`() throws {
    let packed = try #require(gzip(Data(repeating: 0x61, count: 100)))
    let decoder = try #require(ContentDecoder([.gzip]))
    var bytes = Array(packed)
    bytes[bytes.count - 5] ^= 1
    var count = 0
    #expect(
      bytes.withUnsafeBytes {
        decoder.decode($0) {
          count += $0.count; return true
        }
      } == .failed)
    #expect(count == 100)
    #expect(
      packed.withUnsafeBytes {
        decoder.decode($0) {
          count += $0.count; return true
        }
      } == .failed)
    #expect(count == 100)
    #expect(decoder.failure?.message.contains("does not fit the 100 bytes") == true)
  }

  // MARK: Limits (F34)

  struct Limit: Sendable {
    var decodedLimit: Int64?
    var ratio: Int?
    let coded: Int64
    let decoded: Int64
    let fault: CodingFault?
  }

  @Test(arguments: [
    Limit(decodedLimit: nil, ratio: nil, coded: 1, decoded: .max, fault: nil),
    Limit(decodedLimit: 100, ratio: nil, coded: 1, decoded: 100, fault: nil),
    Limit(decodedLimit: 100, ratio: nil, coded: 1, decoded: 101, fault: .tooLarge(limit: 100)),
    Limit(decodedLimit: 0, ratio: nil, coded: 1, decoded: 1, fault: .tooLarge(limit: 0)),
    Limit(decodedLimit: -5, ratio: nil, coded: 1, decoded: 0, fault: nil),
    Limit(decodedLimit: -5, ratio: nil, coded: 1, decoded: 1, fault: .tooLarge(limit: 0)),
    Limit(decodedLimit: nil, ratio: 10, coded: 1, decoded: 64 << 20, fault: nil),
    Limit(decodedLimit: nil, ratio: 10, coded: 1, decoded: 64 << 20 + 1, fault: .growsTooMuch(ratio: 10)),
    Limit(decodedLimit: nil, ratio: 10, coded: 10 << 20, decoded: 100 << 20, fault: nil),
    Limit(decodedLimit: nil, ratio: 10, coded: 10 << 20, decoded: 100 << 20 + 1, fault: .growsTooMuch(ratio: 10)),
    Limit(decodedLimit: nil, ratio: .max, coded: .max, decoded: .max, fault: nil),
    Limit(decodedLimit: nil, ratio: -1, coded: 64 << 20, decoded: 65 << 20, fault: .growsTooMuch(ratio: 1)),
  ])
  func `F34: limits`(row: Limit) {
    var limits = BodyLimits()
    limits.decoded = row.decodedLimit
    limits.ratio = row.ratio
    #expect(limits.fault(coded: row.coded, decoded: row.decoded) == row.fault)
  }

  @Test func `F34: a body that inflates without end is stopped at the limit`() throws {
    let once = try #require(gzip(Data(count: 80 << 20)))
    let twice = try #require(gzip(once))
    // gzip alone cannot pass the default; twice can.
    for (codings, bytes, isTooMuch) in [([ContentCoding.gzip], once, false), ([.gzip, .gzip], twice, true)] {
      let decoder = try #require(ContentDecoder(codings))
      var count: Int64 = 0
      let step = bytes.withUnsafeBytes {
        decoder.decode($0) {
          count += Int64($0.count); return true
        }
      }
      #expect(step == (isTooMuch ? .failed : .consumed))
      #expect(count == (isTooMuch ? BodyLimits.freeGrowth : 80 << 20))
      #expect(decoder.failure?.kind == (isTooMuch ? .oversizedBody : nil))
    }
  }
}
