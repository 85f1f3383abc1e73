import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct LostConnectionTests {
  @Test(
    arguments: ["", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n"], [true, false])
  func `B25: a server that goes away before it has answered`(bytes: String, isReset: Bool) async throws {
    let engine = Engine.forTests()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      if connection.index == 0 {
        try connection.send(bytes)
        if isReset { try connection.reset() } else { try connection.close() }
      }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    let failure = try #require(await engine.run(.get(server.url())).failure)
    if case .connectionLost = failure.kind {
      #expect(bytes == "HTTP/1.1 200 OK\r\n")
    } else {
      #expect(CurlErrorMapping.urlErrorCode(for: failure.curlCode) == .networkConnectionLost)
    }
    // A reset may overtake the bytes before it.
    if !isReset { #expect(failure.responseStarted == bytes.contains("\n")) }
    #expect(await engine.run(.get(server.url())).body == Data("ok".utf8))
    try server.stop()
  }

  @Test(arguments: [true, false])
  func `B29: fewer bytes than announced are an error, and what came is attached`(isReset: Bool) async throws {
    let engine = Engine.forTests()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nAAAAAAAAAA")
      if isReset { try connection.reset() } else { try connection.close() }
    }
    let outcome = await engine.run(.get(server.url()))
    let failure = try #require(outcome.failure)
    #expect(CurlErrorMapping.urlErrorCode(for: failure.curlCode) == .networkConnectionLost)
    #expect(outcome.body?.count ?? 0 <= 10)
    try server.stop()
  }

  @Test func `B29: bytes beyond the announced length are left out, and the connection is not used again`() async throws
  {
    let engine = Engine.forTests()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloEXTRA")
      try connection.close()
    }
    for _ in 0..<2 {
      let outcome = await engine.run(.get(server.url()))
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("hello".utf8))
    }
    #expect(server.acceptCount == 2)
    try server.stop()
  }

  /// Answers the first request of a connection; reads the second in full and closes without a word.
  private func server(counting requests: Recorder<String>) throws -> RawServer {
    try RawServer { connection in
      while let head = try connection.read(through: "\r\n\r\n") {
        let text = String(decoding: head, as: UTF8.self)
        requests.record(String(text.prefix { $0 != " " }))
        if text.contains("Content-Length: 3\r\n") { _ = try connection.read(exactly: 3) }
        if connection.index == 0, requests.count == 2 { try connection.close() }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  @Test func `B30: an idempotent request is repeated once when a reused connection dies`() async throws {
    let engine = Engine.forTests()
    let requests = Recorder<String>()
    let server = try server(counting: requests)
    #expect(await engine.run(.get(server.url())).failure == nil)
    #expect(await engine.run(.get(server.url())).body == Data("ok".utf8))
    #expect(requests.values == ["GET", "GET", "GET"])
    try server.stop()
  }

  @Test func `B30: a repeat goes out on a fresh connection, however many stale ones there are`() async throws {
    let engine = Engine.forTests(connectionsPerHost: 8)
    let gate = Latch()
    // Every connection answers its first request and dies upon the second.
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.wait(for: gate)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.close()
    }
    let first = (0..<8).map { _ in TransferProbe() }
    for probe in first { engine.start(.get(server.url()), handler: probe) }
    try await eventually("eight connections") { server.acceptCount == 8 }
    gate.open()
    for probe in first { #expect(await probe.outcome().failure == nil) }
    for _ in 0..<4 { #expect(await engine.run(.get(server.url())).body == Data("ok".utf8)) }
    try server.stop()
  }

  @Test(arguments: [TransferRequest.Body.none, .data(Data("abc".utf8))])
  func `B30: a POST is never repeated behind the caller's back`(body: TransferRequest.Body) async throws {
    let engine = Engine.forTests()
    let requests = Recorder<String>()
    let server = try server(counting: requests)
    #expect(await engine.run(.get(server.url())).failure == nil)
    guard case .connectionLost = await engine.run(.post(server.url(), body)).failure?.kind else {
      Issue.record("the POST did not fail with a lost connection")
      return
    }
    #expect(requests.values == ["GET", "POST"])
    #expect(await engine.run(.get(server.url())).failure == nil)
    try server.stop()
  }

  @Test(arguments: ["close", "Close", "TE, close"])
  func `after "Connection: close" nothing more is sent on the connection`(value: String) async throws {
    let engine = Engine.forTests()
    let fields = Recorder<Bool>()
    // Answers as if there were to be more on the connection, whatever the client said.
    let server = try RawServer { connection in
      while let head = try connection.read(through: "\r\n\r\n") {
        fields.record(String(decoding: head, as: UTF8.self).contains("\r\nConnection: \(value)\r\n"))
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let closing = TransferRequest.get(server.url()) { $0.headers.append(.init("Connection", value)) }
    let posting = TransferRequest.post(server.url(), .none)
    for request in [closing, posting, .get(server.url()), closing, posting] {
      let outcome = await engine.run(request)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("ok".utf8))
    }
    #expect(fields.values == [true, false, false, true, false])
    #expect(server.acceptCount == 3)
    try server.stop()
  }

  @Test func `pitfall 20: a server that resets in the midst of an upload does not kill the process`() async throws {
    let engine = Engine.forTests()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      _ = try connection.read(exactly: 1000)
      try connection.reset()
    }
    for _ in 0..<5 {
      let outcome = await engine.run(.post(server.url(), .data(Data(count: 8 << 20))))
      #expect(outcome.failure != nil)
    }
    try server.stop()
  }
}
