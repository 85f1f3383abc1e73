import Foundation
import Testing

@testable import AFTransport

@Suite struct ChunkedBodyTests {
  struct Outcome: Equatable {
    var body = ""
    var trailers: [String] = []
    var isComplete = false
    var excess = 0
    var isBroken = false
  }

  /// Reads `text` in pieces of `step` bytes.
  private static func read(_ text: String, step: Int) -> Outcome {
    var chunks = ChunkedBody()
    var outcome = Outcome()
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: step) {
      let piece = Array(bytes[start..<min(bytes.count, start + step)])
      do {
        try piece.withUnsafeBytes { raw in
          try chunks.read(raw, longestTrailer: 100) { run in
            outcome.body += String(decoding: run, as: UTF8.self)
          } trailer: { line in
            outcome.trailers.append(String(decoding: line, as: UTF8.self))
            return line.count <= 100
          }
        }
      } catch {
        outcome.isBroken = true
        return outcome
      }
    }
    outcome.isComplete = chunks.isComplete
    outcome.excess = chunks.excess
    return outcome
  }

  static let sound: [(String, String)] = [
    ("0\r\n\r\n", ""),
    ("2\r\nok\r\n0\r\n\r\n", "ok"),
    ("1\r\no\r\n1\r\nk\r\n0\r\n\r\n", "ok"),
    ("000002\r\nok\r\n000\r\n\r\n", "ok"),
    ("0000000000000002\r\nok\r\n0\r\n\r\n", "ok"),
    ("a\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    ("A\r\n0123456789\r\n0\r\n\r\n", "0123456789"),
    ("2;x\r\nok\r\n0\r\n\r\n", "ok"),
    ("2;x=y;z=\"a;b 1\"\r\nok\r\n0;last\r\n\r\n", "ok"),
    ("2 ;x\r\nok\r\n0\r\n\r\n", "ok"),
    ("2   \r\nok\r\n0\t\r\n\r\n", "ok"),
    // §2.2: a lone line feed ends a line, too.
    ("2\nok\n0\n\n", "ok"),
    ("4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n"),
  ]

  @Test(arguments: sound)
  func `a chunked body is what its chunks hold, however it is cut up`(text: String, body: String) {
    for step in 1...text.utf8.count {
      let outcome = Self.read(text, step: step)
      #expect(outcome.body == body && outcome.isComplete && !outcome.isBroken && outcome.excess == 0)
      #expect(outcome.trailers.count == 1)
    }
  }

  @Test(arguments: [
    "0x5\r\nhello\r\n0\r\n\r\n", "0x5\r\n\r\n", "-1\r\n", "+5\r\nhello\r\n", "g\r\n", "\r\n", " 5\r\nhello\r\n",
    ";x\r\n",
    "FFFFFFFFFFFFFFFF1\r\n", "FFFFFFFFFFFFFFFF\r\n", "8000000000000000\r\n", "00000000000000005\r\nhello\r\n",
    "5 5\r\nhello\r\n", "5.0\r\nhello\r\n", "5\rhello\r\n", "2\r\nokay\r\n0\r\n\r\n", "2\r\nok0\r\n\r\n", "2\r\nok\rx",
    "2\r\nok\r\n\r\n0\r\n\r\n", "3\r\nok\r\n0\r\n\r\n", "2,3\r\nok\r\n", "\u{661}\r\no\r\n",
    "1;" + String(repeating: "x", count: 9000) + "\r\no\r\n0\r\n\r\n",
  ])
  func `F94: chunks that are none are broken framing, however they are cut up`(text: String) {
    for step in [1, 2, 3, 7, text.utf8.count] { #expect(Self.read(text, step: step).isBroken, "in steps of \(step)") }
  }

  @Test func `a size of 2^63 − 1 can be read, and is not waited for in memory`() {
    let outcome = Self.read("7FFFFFFFFFFFFFFF\r\nabc", step: 4)
    #expect(outcome.body == "abc" && !outcome.isComplete && !outcome.isBroken)
  }

  @Test(arguments: [
    "2", "2\r", "2\r\n", "2\r\no", "2\r\nok", "2\r\nok\r\n", "2\r\nok\r\n0\r\n", "0\r\nX: y\r\n", "0\r\n\r",
  ])
  func `what ends early is not complete`(text: String) {
    let outcome = Self.read(text, step: 1)
    #expect(!outcome.isComplete && !outcome.isBroken)
  }

  @Test func `trailers come line by line, and what follows them is excess`() {
    let text = "1\r\no\r\n0\r\nX-Sum: 7\r\nY: z\nZ:\r\n\r\nHTTP/1.1 200 OK\r\n"
    for step in 1...text.utf8.count {
      let outcome = Self.read(text, step: step)
      #expect(outcome.trailers == ["X-Sum: 7\r\n", "Y: z\n", "Z:\r\n", "\r\n"])
      #expect(outcome.excess == 17 && outcome.isComplete)
    }
  }

  @Test func `a trailer line without end is shown once it is longer than may be, and no more of it is kept`() {
    let outcome = Self.read("0\r\nX: " + String(repeating: "v", count: 1000), step: 50)
    #expect(outcome.trailers.first?.utf8.count == 101)
  }
}
