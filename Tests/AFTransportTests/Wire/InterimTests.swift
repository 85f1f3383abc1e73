import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// Interim responses (RFC 9110 §15.2): any number of a sane kind is passed over, and a server cannot keep a request busy with them.
@Suite struct InterimTests {
  private static let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  @Test(arguments: [
    "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 102 Processing\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nSet-Cookie: a=b\r\nContent-Length: 99\r\n\r\n",
    "HTTP/1.1 199 \r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 100\r\n\r\n",
  ])
  func `some before the answer are passed over, whatever their fields say`(interim: String) async throws {
    for method in ["GET", "HEAD", "POST"] {
      let server = try RawServer { connection in
        while try connection.read(through: "\r\n\r\n") != nil {
          if method == "POST" { _ = try connection.read(exactly: 4) }
          let answer = String(repeating: interim, count: 5) + Self.final
          try connection.send(method == "HEAD" ? String(answer.dropLast(2)) : answer)
        }
      }
      let engine = Engine.forTests()
      for _ in 0..<2 {
        let probe = TransferProbe()
        var request = TransferRequest(url: server.url().absoluteString, method: method)
        if method == "POST" { request.body = .data(Data("body".utf8)) }
        let outcome = await engine.run(request, probe: probe)
        #expect(outcome.failure == nil)
        #expect(outcome.body ?? Data() == Data((method == "HEAD" ? "" : "ok").utf8))
        #expect(probe.head?.statusCode == 200 && probe.head?.value("Link") == nil)
        #expect(probe.state.withLock { $0.heads.count } == 1)
      }
      #expect(server.acceptCount == 1)
      try server.stop()
    }
  }

  @Test(arguments: [
    "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: \(String(repeating: "x", count: 500))\r\n\r\n",
  ])
  func `without end they are an error, and soon`(interim: String) async throws {
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      let many = String(repeating: interim, count: 500)
      while true { try connection.send(many) }
    }
    var request = TransferRequest.get(server.url())
    request.options.idleTimeout = 5
    let probe = TransferProbe()
    let handle = Engine.forTests().launch(request, probe)
    try await eventually(within: 8, "an error") { probe.completions == 1 }
    #expect(probe.state.withLock { $0.outcomes.first?.failure?.kind } == .oversizedHead)
    handle.cancel()
    try? server.stop()
  }
}
