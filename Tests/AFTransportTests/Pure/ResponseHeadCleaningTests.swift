import Testing

@testable import AFTransport

/// What a recipient has to repair of a head (RFC 9112 §2.2, §5.1, §5.2; RFC 9110 §5.5), and what it leaves out.
@Suite struct ResponseHeadCleaningTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let lines: String
    let fields: [String]
    init(_ lines: String, _ fields: [String]) {
      self.lines = lines
      self.fields = fields
    }
    var testDescription: String { lines.debugDescription }
  }

  private static let status = "HTTP/1.1 200 OK\r\n"

  @Test(arguments: [
    Row("", []),
    Row("A: b\r\n", ["A=b"]),
    Row("A: b", ["A=b"]),
    Row("A:b\n", ["A=b"]),
    Row("A:\r\n", ["A="]),
    Row("A: \t b \t \r\n", ["A=b"]),
    // Folded values.
    Row("A: b\r\n c\r\n", ["A=b c"]),
    Row("A: b\r\n\tc\r\n", ["A=b c"]),
    Row("A: b\r\n   c\r\n", ["A=b c"]),
    Row("A: b\n c\n", ["A=b c"]),
    Row("A: b\r\n c\r\n d\r\nE: f\r\n", ["A=b c d", "E=f"]),
    Row("A:\r\n b\r\n", ["A=b"]),
    Row("A: b\r\n \r\n", ["A=b"]),
    Row("A: b\r\n \r\n c\r\n", ["A=b c"]),
    Row("A: b\r\n Set-Cookie: c=d\r\n", ["A=b Set-Cookie: c=d"]),
    Row("A: b\r\n", ["A=b"]),
    Row("A\r\n : b\r\nC: d\r\n", ["C=d"]),
    // White space in front of the first field.
    Row(" A: b\r\nC: d\r\n", ["C=d"]),
    Row("\tA: b\r\n e: f\r\nC: d\r\n", ["C=d"]),
    // NUL and CR.
    Row("A: b\0c\r\n", ["A=b c"]),
    Row("A: \0\r\n", ["A="]),
    Row("A: b\rc\r\n", ["A=b c"]),
    Row("A: b\r\r\n", ["A=b"]),
    Row("A: b\r", ["A=b"]),
    Row("A: b\rSet-Cookie: c=d\r\n", ["A=b Set-Cookie: c=d"]),
    Row("A\0: b\r\nC: d\r\n", ["C=d"]),
    // Lines that are no fields.
    Row("A : b\r\nC: d\r\n", ["C=d"]),
    Row("A\t: b\r\nC: d\r\n", ["C=d"]),
    Row("A B: c\r\nC: d\r\n", ["C=d"]),
    Row(": b\r\nC: d\r\n", ["C=d"]),
    Row("words\r\nC: d\r\n", ["C=d"]),
    Row("(a): b\r\nC: d\r\n", ["C=d"]),
    Row("é: b\r\nC: d\r\n", ["C=d"]),
    Row("!#$%&'*+-.^_`|~09azAZ: b\r\n", ["!#$%&'*+-.^_`|~09azAZ=b"]),
    Row("A: b:c\r\n", ["A=b:c"]),
    Row("\r\nC: d\r\n", ["C=d"]),
  ])
  func `fields of a head`(row: Row) {
    let head = ResponseHead(bytes: Array((Self.status + row.lines).utf8))
    #expect(head.fields.map { "\($0.name)=\($0.value)" } == row.fields)
    #expect(head.statusCode == 200)
    #expect(head.reasonPhrase == "OK")
    for field in head.fields {
      #expect(head.value(field.name) == field.value)
      #expect(head.valueBytes(field.name).map(Array.init) == Array(field.value.utf8))
    }
    // Once clean, always clean.
    #expect(ResponseHead(bytes: head.bytes).bytes == head.bytes)
  }

  @Test func `F92: a value's bytes are those that came`() {
    let head = ResponseHead(bytes: Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9, 0x0D, 0x0A])
    #expect(head.valueBytes("location").map(Array.init) == Array("/caf".utf8) + [0xE9])
    #expect(head.valueBytes("Link") == nil)
  }

  @Test(
    arguments: [
      ("5", 5), ("0", 0), ("00005", 5), ("9223372036854775807", .max), ("9223372036854775808", nil), ("+5", nil),
      ("-5", nil),
      ("", nil), ("5 5", nil), ("5,5", nil), ("0x5", nil), ("5.0", nil), ("٥", nil),
      (String(repeating: "9", count: 40), nil),
    ] as [(String, Int64?)])
  func `a length is digits`(value: String, length: Int64?) {
    #expect(ResponseHead(bytes: Array("HTTP/1.1 200 OK\r\nContent-Length: \(value)\r\n".utf8)).contentLength == length)
  }

  @Test func `a large head is read in time that grows with its size`() {
    let lines = (0..<20_000).map { "X-\($0 % 7): \($0)\r\n" }.joined()
    let head = ResponseHead(bytes: Array((Self.status + lines).utf8))
    #expect(head.fields.count == 20_000)
    #expect(head.values("x-3").count == 2857)
    let spaces = String(repeating: " ", count: 200_000)
    #expect(ResponseHead(bytes: Array((Self.status + "A:\(spaces)b\(spaces)\r\n").utf8)).value("a") == "b")
    let folds = String(repeating: "\r\n x", count: 50_000)
    #expect(
      ResponseHead(bytes: Array((Self.status + "A: b\(folds)\r\n").utf8)).value("a")?.utf8.count == 1 + 50_000 * 2)
  }
}
