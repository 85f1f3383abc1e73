import AFTransport
import Foundation
import Testing

@testable import AFCore

/// What an answer to the request for the rest means, row by row: RFC 9110 §14.2, §14.4, §15.3.7, §15.5.17; B33 to B36, B77, B78.
@Suite struct ResumeTableTests {
  // Each row: what is kept, what came, what it means. The part is 40,000 bytes of 100,000 with the tag "v1" unless it says so.

  private static let tagged = KeptPart(length: 40_000, total: 100_000, validator: PartValidator(entityTag: "\"v1\""))
  private static let unknownTotal = KeptPart(length: 40_000, validator: PartValidator(entityTag: "\"v1\""))
  private static let dated = KeptPart(
    length: 40_000, total: 100_000, validator: PartValidator(lastModified: monday, isDateStrong: true))
  private static let both = KeptPart(
    length: 40_000, total: 100_000, validator: PartValidator(entityTag: "\"v1\"", lastModified: monday))
  /// Bytes 1000 to 1999, of which the first 400 are there.
  private static let own = KeptPart(
    start: 1000, length: 400, end: 2000, total: 100_000, validator: PartValidator(entityTag: "\"v1\""))
  private static let complete = KeptPart(
    length: 278_076, total: 278_076, validator: PartValidator(entityTag: "\"v1\""))
  private static let huge = KeptPart(
    start: .max - 1000, length: .max, validator: PartValidator(entityTag: "\"v1\""))
  private static let monday = "Mon, 02 Nov 2026 08:00:00 GMT"
  private static let tuesday = "Tue, 03 Nov 2026 08:00:00 GMT"

  enum Meaning: Sendable, CustomStringConvertible {
    case append(Int64, Int64, Int64?)
    case whole, complete, changed, unusable, gone, refused

    var description: String { "\(label)" }

    private var label: String {
      switch self {
      case .append(let at, let end, let total): "append \(at)..<\(end) of \(total.map(String.init) ?? "?")"
      case .whole: "whole"
      case .complete: "complete"
      case .changed: "changed"
      case .unusable: "unusable"
      case .gone: "gone"
      case .refused: "refused"
      }
    }
  }

  private static func meaning(_ decision: ResumeDecision) -> Meaning {
    switch decision {
    case .append(let at, let end, let total): .append(at, end, total)
    case .whole: .whole
    case .complete: .complete
    case .changed: .changed
    case .unusable: .unusable
    case .gone: .gone
    case .refused: .refused
    }
  }

  private static func check(_ part: KeptPart, _ lines: String, _ meaning: Meaning, sourceLocation: SourceLocation) {
    let fields = lines.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let head = ResponseHead(bytes: Array("HTTP/1.1 \(fields.joined(separator: "\r\n"))\r\n".utf8))
    let found = Self.meaning(ResumeDecision(part, PartAnswer(head)))
    #expect("\(found)" == "\(meaning)", "\(lines)", sourceLocation: sourceLocation)
  }

  private static func check(
    _ part: KeptPart, _ rows: [(String, Meaning)], _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (lines, meaning) in rows { check(part, lines, meaning, sourceLocation: sourceLocation) }
  }

  @Test func `F49 F50 206 answers, by their Content-Range`() {
    let range = "206 Partial Content|Content-Range: "
    Self.check(
      Self.tagged,
      [
        (range + "bytes 40000-99999/100000", .append(40_000, 100_000, 100_000)),
        (range + "bytes 40000-49999/100000", .append(40_000, 50_000, 100_000)),
        (range + "bytes 40000-99998/100000", .append(40_000, 99_999, 100_000)),
        (range + "bytes 40000-40000/100000", .append(40_000, 40_001, 100_000)),
        (range + "bytes 40000-99999/*", .append(40_000, 100_000, 100_000)),
        (range + "BYTES 40000-99999/100000", .append(40_000, 100_000, 100_000)),
        (range + "bytes  40000-99999/100000", .append(40_000, 100_000, 100_000)),
        (range + "bytes 0040000-99999/100000", .append(40_000, 100_000, 100_000)),
        // Before the next byte, and beyond it: overwritten from there.
        (range + "bytes 36864-99999/100000", .append(36_864, 100_000, 100_000)),
        (range + "bytes 0-99999/100000", .append(0, 100_000, 100_000)),
        // Nothing new, or a gap.
        (range + "bytes 0-39999/100000", .unusable), (range + "bytes 0-9999/100000", .unusable),
        (range + "bytes 39999-39999/100000", .unusable), (range + "bytes 40001-99999/100000", .unusable),
        (range + "bytes 50000-99999/100000", .unusable),
        // Another whole.
        (range + "bytes 40000-89999/90000", .changed), (range + "bytes 40000-99999/100001", .changed),
        (range + "bytes 0-9/10", .changed),
        // No sense.
        (range + "bytes 99999-40000/100000", .unusable), (range + "bytes 40000-100000/100000", .unusable),
        (range + "bytes 40000-/100000", .unusable), (range + "bytes -60000/100000", .unusable),
        (range + "bytes=40000-99999/100000", .unusable), (range + "bytes 40000-99999", .unusable),
        (range + "bytes 40000-99999/", .unusable), (range + "bytes */100000", .unusable),
        (range + "bytes */*", .unusable), (range + "items 40000-99999/100000", .unusable),
        (range + "bytes +40000-99999/100000", .unusable), (range + "bytes 0x9c40-99999/100000", .unusable),
        (range + "bytes 4_0000-99999/100000", .unusable), (range + "40000-99999/100000", .unusable),
        (range + "bytes 40000-99999/100000/1", .unusable), (range, .unusable), ("206 Partial Content", .unusable),
        // Numbers that no arithmetic holds.
        (range + "bytes 40000-9223372036854775807/*", .unusable),
        (range + "bytes 40000-9223372036854775806/*", .append(40_000, .max, 100_000)),
        (range + "bytes 40000-99999/9223372036854775808", .unusable),
        (range + "bytes 40000-99999999999999999999/*", .unusable),
        (range + "bytes 9223372036854775807-9223372036854775807/*", .unusable),
        (range + "bytes 40000-99999/9223372036854775807", .changed),
        // Lengths that contradict it.
        (range + "bytes 40000-99999/*|Content-Length: 9223372036854775807", .unusable),
        (range + "bytes 40000-99999/100000|Content-Length: 59999", .unusable),
        (range + "bytes 40000-99999/100000|Content-Length: 60000", .append(40_000, 100_000, 100_000)),
        (range + "bytes 40000-99999/100000|Content-Length: 0", .unusable),
        // Two fields of one meaning, and of two.
        (
          range + "bytes 40000-99999/100000|Content-Range: bytes 40000-99999/100000",
          .append(40_000, 100_000, 100_000)
        ),
        (range + "bytes 40000-99999/100000|Content-Range: bytes 0-9/100000", .unusable),
        // Not the bytes themselves.
        (range + "bytes 40000-99999/100000|Content-Type: multipart/byteranges; boundary=b", .unusable),
        (range + "bytes 40000-99999/100000|Content-Encoding: gzip", .unusable),
        (range + "bytes 40000-99999/100000|Content-Encoding: identity", .append(40_000, 100_000, 100_000)),
      ])
    Self.check(
      Self.unknownTotal,
      [
        (range + "bytes 40000-99999/*", .append(40_000, 100_000, nil)),
        (range + "bytes 40000-99999/100000", .append(40_000, 100_000, 100_000)),
        (range + "bytes 40000-9223372036854775806/*", .append(40_000, .max, nil)),
        (range + "bytes 0-39999/40000", .unusable), (range + "bytes 40000-40000/40000", .complete),
      ])
    Self.check(Self.huge, [(range + "bytes 0-9/*", .unusable), (range + "bytes */9223372036854775807", .unusable)])
  }

  @Test func `F53 B36 206 answers, by their validators`() {
    let good = "206 Partial Content|Content-Range: bytes 40000-99999/100000|"
    let append = Meaning.append(40_000, 100_000, 100_000)
    Self.check(
      Self.tagged,
      [
        (good + "ETag: \"v1\"", append), (good + "ETag: \"v2\"", .changed), (good + "ETag: W/\"v1\"", .changed),
        (good + "ETag: v1", .changed), (good + "ETag: \"V1\"", .changed),
        (good + "Last-Modified: \(Self.tuesday)", append),
      ])
    Self.check(
      Self.both,
      [
        (good + "ETag: \"v1\"|Last-Modified: \(Self.tuesday)", append),
        (good + "ETag: \"v2\"|Last-Modified: \(Self.monday)", .changed),
        (good + "Last-Modified: \(Self.tuesday)", .changed), (good + "Last-Modified: \(Self.monday)", append),
      ])
    Self.check(
      Self.dated,
      [
        (good + "Last-Modified: \(Self.monday)", append), (good + "Last-Modified: \(Self.tuesday)", .changed),
        (good + "Last-Modified: Monday, 02-Nov-26 08:00:00 GMT", append),
        (good + "Last-Modified: yesterday", .changed), (good + "ETag: \"new\"", append), (good, append),
      ])
  }

  @Test func `B78 Answers of other statuses`() {
    let keeps = [
      204, 205, 207, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 405, 406, 407, 408, 409, 411, 413, 414, 415,
      421, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 507, 508, 511, 599,
    ]
    Self.check(Self.tagged, keeps.map { ("\($0) Some", .refused) })
    Self.check(Self.tagged, [404, 410, 412].map { ("\($0) Some", .gone) })
    let range = "|Content-Range: "
    Self.check(
      Self.tagged,
      [
        ("200 OK", .whole), ("200 OK|ETag: \"v1\"", .whole), ("200 OK|ETag: \"v2\"", .whole), ("203 Some", .whole),
        // F91
        ("200 OK" + range + "bytes 40000-99999/100000", .unusable),
        ("200 OK" + range + "bytes 40000-99999/*", .unusable), ("200 OK" + range + "nonsense", .unusable),
        ("200 OK" + range + "bytes 0-99999/100000", .whole), ("200 OK" + range + "bytes 0-39999/100000", .unusable),
        ("200 OK" + range + "bytes */100000", .unusable),
      ])
  }

  @Test func `F96 B35 Nothing left to send`() {
    let none = "416 Range Not Satisfiable"
    let range = none + "|Content-Range: "
    Self.check(
      Self.complete,
      [
        (range + "bytes */278076", .complete), (none, .complete), (range + "bytes */278075", .changed),
        (range + "bytes */278077", .changed), (range + "bytes */*", .unusable), (range + "nonsense", .unusable),
        (range + "bytes */278076|ETag: \"v1\"", .complete), (range + "bytes */278076|ETag: \"v2\"", .changed),
        ("206 Partial|Content-Range: bytes 278076-278075/278076|Content-Length: 0", .complete),
        ("206 Partial|Content-Range: bytes 278076-278076/278076", .complete),
        ("206 Partial|Content-Range: bytes 278077-278080/278076", .complete),
        ("206 Partial|Content-Range: bytes 278076-278075/278076|ETag: \"v2\"", .changed),
        ("206 Partial|Content-Range: bytes 0-278075/278076", .unusable), ("200 OK", .whole),
      ])
    Self.check(
      Self.tagged,
      [
        (none, .unusable), (range + "bytes */100000", .unusable), (range + "bytes */90000", .changed),
        (range + "bytes */39999", .changed), (range + "bytes */0", .changed), (range + "bytes */40000", .complete),
        (range + "bytes 0-9/40000", .complete), (range + "bytes */9223372036854775807", .changed),
        (range + "bytes */92233720368547758070", .unusable),
      ])
    Self.check(
      Self.unknownTotal,
      [
        (none, .unusable), (range + "bytes */40000", .complete), (range + "bytes */100000", .unusable),
        (range + "bytes */1000", .changed),
      ])
  }

  @Test func `F51 The caller's own range`() {
    let range = "206 Partial Content|Content-Range: "
    Self.check(
      Self.own,
      [
        (range + "bytes 1400-1999/100000", .append(1400, 2000, 100_000)),
        (range + "bytes 1400-1499/100000", .append(1400, 1500, 100_000)),
        (range + "bytes 1000-1999/100000", .append(1000, 2000, 100_000)),
        (range + "bytes 1400-1999/*", .append(1400, 2000, 100_000)),
        (range + "bytes 999-1999/100000", .unusable), (range + "bytes 400-1999/100000", .unusable),
        (range + "bytes 1400-99999/100000", .unusable), (range + "bytes 1401-1999/100000", .unusable),
      ])
    #expect(Self.own.range == "bytes=1400-1999")
    #expect(Self.tagged.range == "bytes=40000-")
  }

  @Test(arguments: [
    (nil, RequestedRange.whole), ("bytes=0-", .one), ("bytes=1000-1999", .one), ("Bytes=-500", .one),
    ("bytes= 5-6", .one), ("bytes=0-1,5-6", .other), ("items=0-5", .other), ("bytes=", .other), ("bytes=-", .other),
    ("bytes=a-b", .other), ("bytes=5", .other), ("bytes=99999999999999999999-", .other), ("", .other),
  ])
  func `A Range field asks for the whole, for one part, or for something else`(field: String?, expected: RequestedRange)
  {
    #expect(RequestedRange(field) == expected)
  }

  @Test(arguments: [
    ("200", RequestedRange.whole, "take 0 nil"), ("200|Content-Length: 100000", .whole, "take 0 nil"),
    ("200|Content-Range: bytes 40000-99999/100000|Content-Length: 60000", .whole, "refuse"),
    ("200|Content-Range: bytes 40000-99999/100000", .whole, "refuse"),
    ("200|Content-Range: bytes 40000-99999/100000|Content-Length: 100000", .whole, "take 0 nil"),
    ("200|Content-Range: bytes 0-99999/100000", .whole, "take 0 nil"), ("404", .whole, "take nil nil"),
    ("206|Content-Range: bytes 0-49999/100000", .whole, "begin 50000 100000"),
    ("206|Content-Range: bytes 0-49999/*", .whole, "begin 50000 nil"), ("206", .whole, "refuse"),
    ("206|Content-Range: bytes 1-49999/100000", .whole, "refuse"),
    ("206|Content-Range: bytes 0-9/10|Content-Length: 9", .whole, "refuse"),
    ("206|Content-Range: bytes 0-9/10|Content-Type: multipart/byteranges", .whole, "refuse"),
    ("206|Content-Range: bytes 1000-1999/100000", .one, "take 1000 2000"), ("206", .one, "take nil nil"),
    ("206|Content-Range: bytes 1000-1999/100000|Content-Length: 3", .one, "take nil nil"),
    ("206|Content-Type: multipart/byteranges; boundary=b", .other, "take nil nil"), ("200", .one, "take 0 nil"),
  ])
  func `F91 What a first answer brings`(lines: String, requested: RequestedRange, expected: String) {
    let head = ResponseHead(bytes: Array("HTTP/1.1 \(lines.split(separator: "|").joined(separator: "\r\n"))\r\n".utf8))
    func show(_ number: Int64?) -> String { number.map { "\($0)" } ?? "nil" }
    let found =
      switch FirstDecision(requested, PartAnswer(head)) {
      case .take(let start, let end): "take \(show(start)) \(show(end))"
      case .begin(let end, let total): "begin \(end) \(show(total))"
      case .refuse: "refuse"
      }
    #expect(found == expected)
  }

  @Test(
    arguments: [
      // opened, position, end, goal
      (0, 100, nil, nil, BodyEndDecision.finished), (40, 100, 100, 100, .finished), (40, 50, 50, 100, .goOn),
      (40, 45, 50, 100, .goOn), (40, 51, 50, 100, .overrun), (40, 100, 100, nil, .goOn), (40, 40, 50, 100, .stuck),
      (40, 40, 50, nil, .stuck), (100, 100, 100, 100, .finished), (0, .max, .max, .max, .finished),
      (40, 101, 100, 100, .overrun),
    ] as [(Int64, Int64, Int64?, Int64?, BodyEndDecision)])
  func `F49 What the end of a body means`(
    opened: Int64, position: Int64, end: Int64?, goal: Int64?, expected: BodyEndDecision
  ) {
    #expect(BodyEndDecision(opened: opened, position: position, end: end, goal: goal) == expected)
  }

  @Test(arguments: [
    ("ETag: \"v1\"", "\"v1\""), ("ETag: W/\"v1\"", nil), ("ETag: v1", nil), ("ETag: \"", nil), ("X: y", nil),
    ("ETag: \"v1\"|Last-Modified: \(monday)|Date: \(tuesday)", "\"v1\""),
    ("ETag: W/\"v1\"|Last-Modified: \(monday)|Date: \(tuesday)", nil),
    ("Last-Modified: \(monday)|Date: \(tuesday)", monday), ("Last-Modified: \(monday)", nil),
    ("Last-Modified: \(monday)|Date: Mon, 02 Nov 2026 08:00:59 GMT", nil),
    ("Last-Modified: \(monday)|Date: Mon, 02 Nov 2026 08:01:00 GMT", monday),
    ("Last-Modified: \(tuesday)|Date: \(monday)", nil), ("Last-Modified: nonsense|Date: \(tuesday)", nil),
    ("Last-Modified: Monday, 02-Nov-26 08:00:00 GMT|Date: \(tuesday)", "Monday, 02-Nov-26 08:00:00 GMT"),
  ])
  func `F53 Only what is strong stands in If-Range`(lines: String, expected: String?) {
    let head = ResponseHead(
      bytes: Array("HTTP/1.1 200 OK\r\n\(lines.split(separator: "|").joined(separator: "\r\n"))\r\n".utf8))
    #expect(PartValidator(head)?.ifRange == expected)
  }

  /// What is written in place of what.
  private static let untruths: [(old: String, new: String)] = [
    ("40000", "-1"), ("40000", "0"), ("40000", "9223372036854775807"), ("40000", "9223372036854775808"),
    ("\"start\":5", "\"start\":-5"), ("\"start\":5", "\"start\":9223372036854775000"),
    ("\"end\":90000", "\"end\":40004"), ("\"version\":2", "\"version\":3"), ("\"GET\"", "\"DELETE\""),
    ("http://h/x", "file:///etc/passwd"), ("/tmp/", ""), ("AFNetworking-1.download", ".ssh/authorized_keys"),
    (".download", "/../../.bashrc"), (#"\"v1\""#, #"W/\"v1\""#), (#"["A","b"]"#, #"["A"]"#),
  ]
  private static let rubbish: [String] = [
    "", "{}", "rubbish", "bplist00", "<?xml version=\"1.0\"?>", "[]", String(repeating: "[", count: 100_000),
  ]

  @Test(arguments: rubbish + untruths.map { sound.replacingOccurrences(of: $0.old, with: $0.new) })
  func `F50 Resume data that cannot be true is none`(text: String) {
    #expect(ResumeData(Data(text.utf8)) == nil)
  }

  private static let sound = """
    {"version":2,"url":"http://h/x","method":"GET","headers":[["A","b"]],"validator":"\\"v1\\"","total":100000,\
    "path":"/tmp/AFNetworking-1.download","offset":40000,"start":5,"end":90000}
    """

  @Test func `Resume data says what it was made of`() throws {
    let data = try #require(ResumeData(Data(Self.sound.utf8)))
    #expect(data.part.position == 40_005)
    #expect(data.part.range == "bytes=40005-89999")
    let again = try #require(data.data.flatMap { ResumeData($0) })
    #expect(again.part == data.part)
    #expect(again.request.headers == data.request.headers)
  }

  @Test func `B79 Resume data of the first form is still read`() throws {
    let old: [String: Any] = [
      "version": 1, "url": "http://h/x", "method": "GET", "headers": [["Accept", "*/*"]], "validator": "\"v1\"",
      "total": 100_000, "path": "/tmp/AFNetworking-1.download", "offset": 40_000,
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: old, format: .binary, options: 0)
    let resume = try #require(ResumeData(data))
    #expect(resume.part == Self.tagged)
    // It may hold what a redirect led to: the session's credentials are not for that.
    #expect(!resume.request.keepsCredentials)
  }
}
