import Foundation
import Testing

@testable import AFCore

@Suite struct LineSplitterTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var text: String
    var feeds: [String]
    var any: [String]
    var testDescription: String { text.debugDescription }

    init(_ text: String, _ feeds: [String], any: [String]? = nil) {
      (self.text, self.feeds, self.any) = (text, feeds, any ?? feeds)
    }
  }

  static let rows = [
    Row("", []), Row("a", ["a"]), Row("a\n", ["a"]), Row("a\nb", ["a", "b"]), Row("\n", [""]), Row("\n\n", ["", ""]),
    Row("a\r\nb\r\n", ["a", "b"]), Row("a\n\nb", ["a", "", "b"]),
    Row("a\rb", ["a\rb"], any: ["a", "b"]), Row("a\r", ["a\r"], any: ["a"]), Row("\r\r\n", ["\r"], any: ["", ""]),
    Row("a\r\r\nb", ["a\r", "b"], any: ["a", "", "b"]), Row("\r\n", [""]), Row("a\n\r", ["a", "\r"], any: ["a", ""]),
    Row("a\r\nb\rc\n\n\r\nd", ["a", "b\rc", "", "", "d"], any: ["a", "b", "c", "", "", "d"]),
    Row("é\u{2028}ü\u{85}\n", ["é\u{2028}ü\u{85}"]),
  ]

  private static func lines(_ text: String, _ ending: LineSplitter.Ending, step: Int) throws -> [String] {
    var splitter = LineSplitter(ending: ending, limit: 100)
    var lines: [[UInt8]] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: step) {
      try splitter.append(Data(bytes[start..<min(start + step, bytes.count)])) { lines.append($0) }
    }
    if let last = try splitter.finish() { lines.append(last) }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: rows, [1, 2, 3, 100]) func `Lines are the same however the bytes come`(row: Row, step: Int) throws {
    #expect(try Self.lines(row.text, .lineFeed, step: step) == row.feeds)
    #expect(try Self.lines(row.text, .any, step: step) == row.any)
  }

  @Test(arguments: [
    ("12345\n", 5, true), ("123456\n", 5, false), ("12345\r\n", 5, true), ("12345\r", 5, false), ("12345", 5, true),
    ("123456", 5, false), ("1234567", 5, false), ("\n", 0, true), ("1\n", 0, false),
  ]) func `The limit counts a line's bytes and not its ending's`(text: String, limit: Int, fits: Bool) {
    var thrown: AFStreamError?
    do {
      var splitter = LineSplitter(ending: .lineFeed, limit: limit)
      try splitter.append(Data(text.utf8)) { _ in }
      _ = try splitter.finish()
    } catch {
      thrown = error
    }
    #expect(thrown == (fits ? nil : .lineTooLong(limit: limit)))
  }

  @Test(
    arguments: [
      ("abcdefg\n", 3, ["abc", "def", "g"]), ("abcdef\n", 3, ["abc", "def"]), ("abc\r\nabcd", 3, ["abc", "abc", "d"]),
      ("abcdefg", 3, ["abc", "def", "g"]), ("\n\n", 3, ["", ""]), ("ab", 0, ["a", "b"]),
    ], [1, 2, 100])
  func `A line that is too long comes in pieces where the caller wants that`(
    row: (text: String, limit: Int, lines: [String]), step: Int
  ) throws {
    var splitter = LineSplitter(ending: .any, limit: row.limit, excess: .comesInPieces)
    var lines: [[UInt8]] = []
    let bytes = Array(row.text.utf8)
    for start in stride(from: 0, to: bytes.count, by: step) {
      try splitter.append(Data(bytes[start..<min(start + step, bytes.count)])) { lines.append($0) }
    }
    if let last = try splitter.finish() { lines.append(last) }
    #expect(lines.map { String(decoding: $0, as: UTF8.self) } == row.lines)
  }
}
