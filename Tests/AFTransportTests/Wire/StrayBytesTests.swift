import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// RFC 9112 §9.2: what comes on a connection without a request under way is never an answer.
@Suite struct StrayBytesTests {
  struct Stray: Sendable, CustomTestStringConvertible {
    let name: String
    var method = "GET"
    var first = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"
    /// Sent together with the answer.
    var atOnce = ""
    /// Sent once the answer has been taken.
    var later = ""
    var finishes = false
    /// Whether the connection may serve the next request all the same.
    var isHarmless = false

    var testDescription: String { name }
  }

  private static let late = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 6\r\nConnection: close\r\n\r\nlate!!"
  private static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
  private static let noContent = "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"
  private static let notModified = "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"
  private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n"
  private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"

  static let strays = [
    Stray(name: "a 408", later: late),
    Stray(name: "a 408 and the end", later: late, finishes: true),
    Stray(name: "the end alone", finishes: true),
    Stray(name: "a word", later: "hello"),
    Stray(name: "an empty line", later: "\r\n", isHarmless: true),
    Stray(name: "an answer after HEAD", method: "HEAD", first: head, later: evil),
    Stray(name: "an answer after 204", first: noContent, later: evil),
    Stray(name: "an answer after 304", first: notModified, later: evil),
    Stray(name: "an answer with HEAD", method: "HEAD", first: head, atOnce: evil),
    Stray(name: "an answer with 204", first: noContent, atOnce: evil),
    Stray(name: "an answer with 304", first: notModified, atOnce: evil),
    Stray(
      name: "an answer's first half with 204, its rest later", first: noContent, atOnce: "HTTP/1.1", later: " 200 OK"),
    Stray(name: "an answer with a length", atOnce: evil),
    Stray(name: "an answer after a length", later: evil),
    Stray(name: "an answer with chunks", first: chunked, atOnce: evil),
    Stray(
      name: "an answer's first half with chunks, its rest later", first: chunked, atOnce: "HTTP", later: "/1.1 200 OK"),
    Stray(name: "an answer after chunks", first: chunked, later: evil),
    Stray(name: "an answer after an empty body", first: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", later: evil),
    Stray(name: "an answer with an empty body", first: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", atOnce: evil),
    Stray(
      name: "an answer with a length beside chunks",
      first: chunked.replacingOccurrences(of: "Transfer", with: "Content-Length: 12\r\nTransfer"), atOnce: evil),
  ]

  @Test(arguments: strays, [false, true])
  func `F30, B93: the next request has its own answer, from another connection`(
    _ stray: Stray, isSecure: Bool
  ) async throws {
    for next in ["GET", "POST"] {
      let isTaken = Latch()
      let isSent = Recorder<Bool>()
      let requests = Recorder<String>()
      var options = ListenerOptions()
      if isSecure { options.tls = TestTLS(try TestAuthority.make().issue(names: ["127.0.0.1"])) }
      let server = try RawServer(options) { connection in
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        if connection.index == 0 {
          try connection.send(stray.first + stray.atOnce)
          try connection.wait(for: isTaken)
          if !stray.later.isEmpty { try connection.send(stray.later) }
          if stray.finishes { connection.finishSending() }
          isSent.record(true)
        }
        while true {
          if connection.index > 0 || requests.count > 0 {
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown")
          }
          guard let head = try connection.read(through: "\r\n\r\n") else { return }
          requests.record(String(decoding: head.prefix { $0 != 0x20 }, as: UTF8.self))
        }
      }
      let engine = Engine.forTests()
      var first = TransferRequest(url: server.url().absoluteString, method: stray.method)
      first.options.idleTimeout = 5
      #expect(await engine.run(first).failure == nil)
      isTaken.open()
      try await eventually("the stray bytes sent") { isSent.count > 0 || server.connections.first?.isOpen == false }
      // The kernel has them by now: both ends are its own.
      var second = TransferRequest(url: server.url().absoluteString, method: next)
      second.options.idleTimeout = 5
      second.options.isIdempotent = next == "GET"
      let outcome = await engine.run(second)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("own".utf8))
      if !stray.isHarmless { #expect(server.acceptCount == 2 && requests.values.isEmpty) }
      try server.stop()
    }
  }

  @Test func `F30: a second response in the same TLS record as the first is nobody's`() async throws {
    var options = ListenerOptions()
    options.tls = TestTLS(try TestAuthority.make().issue(names: ["127.0.0.1"]))
    let server = try RawServer(options) { connection in
      while try connection.read(through: "\r\n\r\n") != nil {
        guard connection.index == 0 else {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nown")
          continue
        }
        // libcurl reads the head's record, and then no more of the next than the length says.
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        try connection.send("first" + Self.evil)
      }
    }
    let engine = Engine.forTests()
    #expect(await engine.run(.get(server.url())).body == Data("first".utf8))
    #expect(await engine.run(.post(server.url(), .none)).body == Data("own".utf8))
    #expect(server.acceptCount == 2)
    try server.stop()
  }

  @Test func `F30: connections on which nothing strays serve request after request`() async throws {
    let engine = Engine.forTests()
    for isSecure in [false, true] {
      var options = ListenerOptions()
      if isSecure { options.tls = TestTLS(try TestAuthority.make().issue(names: ["127.0.0.1"])) }
      let server = try RawServer(options) { connection in
        while let head = try connection.read(through: "\r\n\r\n") {
          let isChunked = String(decoding: head, as: UTF8.self).contains("/chunked")
          try connection.send(isChunked ? Self.chunked : "HTTP/1.1 204 No Content\r\n\r\n")
        }
      }
      for round in 0..<20 {
        let path = round.isMultiple(of: 2) ? "/chunked" : "/"
        let method = round.isMultiple(of: 3) ? "HEAD" : "GET"
        guard method == "GET" || path == "/" else { continue }
        let outcome = await engine.run(TransferRequest(url: server.url(path).absoluteString, method: method))
        #expect(outcome.failure == nil)
      }
      #expect(server.acceptCount == 1)
      try server.stop()
    }
  }

  @Test func `B93: a 408 that comes while the next request goes out is its answer only if it came too late to be seen`()
    async throws
  {
    let engine = Engine.forTests()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      try connection.wait(Double.random(in: 0...0.005))
      try connection.send(Self.late)
      try connection.close()
    }
    for _ in 0..<100 {
      let outcome = await engine.run(.get(server.url()))
      let text = outcome.body.map { String(decoding: $0, as: UTF8.self) }
      #expect(outcome.failure != nil || text == "ok" || text == "late!!")
    }
    try server.stop()
  }
}
