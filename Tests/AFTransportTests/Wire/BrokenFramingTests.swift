import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// What a server must not send, over the wire: one kind of error for broken framing, another for a lost connection.
@Suite struct BrokenFramingTests {
  enum End: Sendable, Equatable {
    case body(String)
    case broken
    case lost
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let response: String
    let end: End
    /// Stays open after it.
    var stays = true

    init(_ response: String, _ end: End, stays: Bool = true) {
      self.response = "HTTP/1.1 200 OK\r\n" + response
      self.end = end
      self.stays = stays
    }

    var testDescription: String { response.debugDescription + (stays ? "" : " and the end") }
  }

  private static let chunked = "Transfer-Encoding: chunked\r\n"

  static let rows = [
    Row("Content-Length: 5\r\n\(chunked)\r\na\r\n0123456789\r\n0\r\n\r\n", .body("0123456789")),
    Row("\(chunked)Content-Length: 5\r\n\r\na\r\n0123456789\r\n0\r\n\r\n", .body("0123456789")),
    Row("Content-Length: 5, 5\r\n\r\nhello", .body("hello")),
    Row("Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", .body("hello")),
    Row("Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", .broken),
    Row("Content-Length: 5, 6\r\n\r\nhello!", .broken),
    Row("Content-Length: -5\r\n\r\nhello", .broken),
    Row("Content-Length: 99999999999999999999\r\n\r\nhello", .broken),
    Row("Content-Length: 5x\r\n\r\nhello", .broken),
    Row("Content-Length : 5\r\n\r\nhello", .broken),
    Row("Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", .broken),
    Row("Transfer-Encoding: chunked, gzip\r\n\r\n2\r\nok\r\n0\r\n\r\n", .broken),
    Row("Transfer-Encoding: frob\r\n\r\n2\r\nok\r\n0\r\n\r\n", .broken),
    Row("Transfer-Encoding:\r\n chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", .body("ok")),
    Row("\(chunked)\r\n0x5\r\nhello\r\n0\r\n\r\n", .broken),
    Row("\(chunked)\r\n0x5\r\n\r\n", .broken),
    Row("\(chunked)\r\n0x5", .broken),
    Row("\(chunked)\r\nFFFFFFFFFFFFFFFF1\r\nx", .broken),
    Row("\(chunked)\r\n-1\r\nx", .broken),
    Row("\(chunked)\r\n2\r\nokay\r\n0\r\n\r\n", .broken),
    Row("\(chunked)\r\n2\r\nok\r\n0\r\n\r\n", .body("ok"), stays: false),
    Row("\(chunked)\r\n2\r\nok\r\n", .lost, stays: false),
    Row("\(chunked)\r\n5\r\nok", .lost, stays: false),
    Row("\(chunked)\r\n2\r\nok\r\n0\r\n", .lost, stays: false),
    Row("Content-Length: 5\r\n\r\nok", .lost, stays: false),
    Row("\r\nok", .body("ok"), stays: false),
  ]

  @Test(arguments: rows, ["GET", "POST"])
  func `F29, F94: what breaks the framing is one error, and what is cut off another`(_ row: Row, method: String)
    async throws
  {
    try await Self.check(row.response, row.end, stays: row.stays, method: method)
  }

  @Test(arguments: [
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nwhatever", "HTTP/2.5 200 OK\r\n\r\n", "SSH-2.0-x\r\n",
  ])
  func `F94: an unasked 101, and what is not HTTP at all, break the framing`(response: String) async throws {
    try await Self.check(response, .broken, stays: true, method: "GET")
  }

  private static func check(_ response: String, _ end: End, stays: Bool, method: String) async throws {
    let engine = Engine.forTests()
    let server = try RawServer { connection in
      while try connection.read(through: "\r\n\r\n") != nil {
        guard connection.index == 0 else {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown")
          continue
        }
        try connection.send(response)
        if !stays { try connection.close() }
      }
    }
    var request = TransferRequest(url: server.url().absoluteString, method: method)
    request.options.idleTimeout = 5
    let outcome = await engine.run(request)
    switch end {
    case .body(let text):
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data(text.utf8))
    case .broken:
      #expect(outcome.failure?.kind == .badFraming, "\(String(describing: outcome.failure))")
    case .lost:
      let failure = outcome.failure
      let code = CurlErrorMapping.urlErrorCode(for: failure?.curlCode ?? 0)
      #expect(
        failure?.kind == .connectionLost || failure?.kind == .transport && code == .networkConnectionLost,
        "\(String(describing: failure))")
    }
    // What broke is not used again.
    if end == .broken { #expect(await engine.run(.get(server.url())).body == Data("own".utf8)) }
    try server.stop()
  }

  @Test func `an Upgrade that was asked for is answered by its 101`() async throws {
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n")
      try connection.close()
    }
    let probe = TransferProbe()
    _ = await Engine.forTests().run(.get(server.url()) { $0.headers = [.init("Upgrade", "x")] }, probe: probe)
    #expect(probe.head?.statusCode == 101)
    try server.stop()
  }
}
