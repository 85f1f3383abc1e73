import Foundation
import Testing

@testable import AFTransport

/// RFC 9112 §6.3, row by row: which of the fields tells where a response's body ends.
@Suite struct MessageFramingTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var line = "HTTP/1.1 200 OK"
    var method = "GET"
    let fields: [String]
    /// Nil: cannot be told.
    let length: MessageFraming.Length?
    var isDoubtful = false
    var isFolded = false

    init(_ fields: String..., is length: MessageFraming.Length?, doubtful: Bool = false, folded: Bool = false) {
      self.fields = fields
      self.length = length
      isDoubtful = doubtful
      isFolded = folded
    }

    func to(_ method: String = "GET", _ line: String = "HTTP/1.1 200 OK") -> Row {
      var row = self
      row.method = method
      row.line = line
      return row
    }

    var testDescription: String { "\(method) \(line) | \(fields.joined(separator: " | "))" }
  }

  static let withoutBody: [Row] = [
    Row("Content-Length: 50", is: .some(.none)).to("HEAD"),
    Row("Transfer-Encoding: chunked", is: .some(.none)).to("HEAD"),
    Row("Content-Length: 5, 6", is: .some(.none)).to("HEAD"),
    Row("Content-Length: 5", is: .some(.none)).to("GET", "HTTP/1.1 204 No Content"),
    Row("Transfer-Encoding: chunked", is: .some(.none)).to("POST", "HTTP/1.1 204 No Content"),
    Row("Content-Length: 5", is: .some(.none)).to("GET", "HTTP/1.1 304 Not Modified"),
    Row("Content-Length: x", is: .some(.none)).to("GET", "HTTP/1.1 304 Not Modified"),
    Row(is: .some(.none)).to("GET", "HTTP/1.0 204 No Content"),
    Row(is: .untilEnd).to("GET", "HTTP/2 200"),
    Row(is: .untilEnd).to("GET", "HTTP/1.2 200 OK"),
    Row(is: nil).to("GET", "HTTP/2.5 200 OK"),
    Row(is: nil).to("GET", "HTTP/2.0 200 OK"),
    Row(is: nil).to("GET", "HTTP/1.10 200 OK"),
    Row(is: nil).to("HEAD", "HTTP/3.1 204 No Content"),
    // RFC 9110 §15.3.6: a 205 says by its fields that it has none.
    Row("Content-Length: 0", is: .bytes(0)).to("GET", "HTTP/1.1 205 Reset Content"),
    Row(is: .untilEnd).to("GET", "HTTP/1.1 205 Reset Content"),
  ]

  static let lengths: [Row] = [
    Row("Content-Length: 0", is: .bytes(0)),
    Row("Content-Length: 5", is: .bytes(5)),
    Row("content-length:5", is: .bytes(5)),
    Row("CONTENT-LENGTH: \t 5 \t", is: .bytes(5)),
    Row("Content-Length: 005", is: .bytes(5)),
    Row("Content-Length: 00000000000000000000000000000005", is: .bytes(5)),
    Row("Content-Length: 9223372036854775807", is: .bytes(.max)),
    Row("Content-Length: 9223372036854775808", is: nil),
    Row("Content-Length: 18446744073709551621", is: nil),
    Row("Content-Length: 99999999999999999999999999", is: nil),
    Row("Content-Length: -1", is: nil),
    Row("Content-Length: -0", is: nil),
    Row("Content-Length: +5", is: nil),
    Row("Content-Length: 5.0", is: nil),
    Row("Content-Length: 0x5", is: nil),
    Row("Content-Length: 5e1", is: nil),
    Row("Content-Length: 5 5", is: nil),
    Row("Content-Length: 5;x", is: nil),
    Row("Content-Length: \"5\"", is: nil),
    Row("Content-Length: five", is: nil),
    Row("Content-Length: \u{665}", is: nil),
    Row("Content-Length: 5\0", is: nil),
    Row("Content-Length:", is: nil),
    Row("Content-Length: ,", is: nil),
    Row("Content-Length: 5,", is: nil),
    Row("Content-Length: , 5", is: nil),
    // §6.3, 5: a list of one and the same number is that number.
    Row("Content-Length: 5, 5", is: .bytes(5)),
    Row("Content-Length: 5,5 , 05", is: .bytes(5)),
    Row("Content-Length: 5", "Content-Length: 5", is: .bytes(5)),
    Row("Content-Length: 5, 6", is: nil),
    Row("Content-Length: 6, 5", is: nil),
    Row("Content-Length: 5", "Content-Length: 6", is: nil),
    Row("Content-Length: 5", "X: y", "Content-Length: 6", is: nil),
    Row("Content-Length: 5", "Content-Length: x", is: nil),
    Row("Content-Length : 5", is: nil),
    Row("Content-Length\t: 5", is: nil),
    // Fields whose names merely look alike.
    Row("Content-Lengths: 5", is: .untilEnd),
    Row("X-Content-Length: 5", is: .untilEnd),
    Row("Content-Length 5", is: .untilEnd),
    Row("Content\rLength: 5", is: .untilEnd),
    Row("X: Content-Length: 5", "Content-Length: 7", is: .bytes(7)),
    // §5.2
    Row("Content-Length:\r\n 5", is: .bytes(5), folded: true),
    Row("Content-Length: 5,\r\n\t5", is: .bytes(5), folded: true),
    Row("Content-Length: 5\r\n 5", is: nil),
    Row("X: a\r\n Content-Length: 5", is: .untilEnd),
  ]

  static let codings: [Row] = [
    Row("Transfer-Encoding: chunked", is: .chunked),
    Row("transfer-encoding:CHUNKED", is: .chunked),
    Row("Transfer-Encoding: , chunked,", is: .chunked),
    Row("Transfer-Encoding: identity, chunked", is: .chunked),
    Row("Transfer-Encoding: identity", "Transfer-Encoding: chunked", is: .chunked),
    Row("Transfer-Encoding:\r\n chunked", is: .chunked, folded: true),
    // F29: it overrides the length, and who sends both is not heard again.
    Row("Content-Length: 5", "Transfer-Encoding: chunked", is: .chunked, doubtful: true),
    Row("Transfer-Encoding: chunked", "Content-Length: 5", is: .chunked, doubtful: true).to("POST"),
    Row("Transfer-Encoding: chunked", "Content-Length: 5, 6", is: .chunked, doubtful: true),
    Row("Transfer-Encoding: chunked", is: .chunked, doubtful: true).to("GET", "HTTP/1.0 200 OK"),
    // §7: codings that were not asked for, and chunked that is not the last.
    Row("Transfer-Encoding: gzip", is: nil),
    Row("Transfer-Encoding: gzip, chunked", is: nil),
    Row("Transfer-Encoding: gzip", "Transfer-Encoding: chunked", is: nil),
    Row("Transfer-Encoding: chunked, gzip", is: nil),
    Row("Transfer-Encoding: chunked, identity", is: nil),
    Row("Transfer-Encoding: chunked, chunked", is: nil),
    Row("Transfer-Encoding: chunked", "Transfer-Encoding: chunked", is: nil),
    Row("Transfer-Encoding: chunked;q=1", is: nil),
    Row("Transfer-Encoding: chunked foo", is: nil),
    Row("Transfer-Encoding: xchunked", is: nil),
    Row("Transfer-Encoding: \u{B}chunked", is: nil),
    Row("Transfer-Encoding: \"chunked\"", is: nil),
    Row("Transfer-Encoding:", is: nil),
    Row("Transfer-Encoding : chunked", is: nil),
    Row("Transfer-Encoding: identity", is: .untilEnd),
    Row("Transfer-Encoding: identity", "Content-Length: 5", is: .untilEnd, doubtful: true),
    // §6.3, 8
    Row(is: .untilEnd),
    Row("Connection: keep-alive", is: .untilEnd),
    Row(is: .untilEnd).to("GET", "HTTP/1.0 200 OK"),
    // HTTP/2 has frames, and no transfer codings (RFC 9113 §8.2.2); its lengths must be true all the same.
    Row("content-length: 5", is: .bytes(5)).to("GET", "HTTP/2 200"),
    Row("content-length: 5, 6", is: nil).to("GET", "HTTP/2 200"),
    Row("transfer-encoding: chunked", is: .untilEnd).to("GET", "HTTP/2 200"),
  ]

  @Test(arguments: withoutBody + lengths + codings)
  func `F29, RFC 9112 §6.3: the end of the body is told by one rule, or not at all`(_ row: Row) {
    for lineEnd in ["\r\n", "\n"] {
      let text = ([row.line] + row.fields).map { $0 + lineEnd }.joined()
      let head = ResponseHead(bytes: Array(text.utf8))
      guard let length = row.length else {
        #expect(throws: FramingProblem.self) { try MessageFraming(head, method: row.method) }
        continue
      }
      let expected = MessageFraming(length: length, isDoubtful: row.isDoubtful, isFolded: row.isFolded)
      let framing = try? MessageFraming(head, method: row.method)
      #expect(framing == expected)
    }
  }
}
