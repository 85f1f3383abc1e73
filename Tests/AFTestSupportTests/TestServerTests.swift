import AFTestSupport
import Foundation
import Testing

/// A raw exchange: sends text, returns everything up to the server's end.
private func exchange(_ server: TestServer, _ text: String) throws -> String {
  let client = try TestConnection.connect(port: server.port)
  try client.send(text)
  return try readToEnd(client)
}

private func readToEnd(_ client: TestConnection) throws -> String {
  var answer: [UInt8] = []
  while case let bytes = try client.read(), !bytes.isEmpty { answer += bytes }
  return String(decoding: answer, as: UTF8.self)
}

@Suite struct TestServerTests {
  @Test func `answers and records the very bytes that came`() async throws {
    try await withTestServer(handler: { .text("hello \(String(decoding: try $0.body(), as: UTF8.self))") }) { server in
      let head =
        "POST /a?b=c HTTP/1.1\r\nHost: x\r\nX-A:  1 \r\nx-a: 2\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
      let answer = try exchange(server, head + "world")
      #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(answer.hasSuffix("Connection: close\r\n\r\nhello world"))
      let request = try #require(server.requests.first)
      #expect(request.head.text == head)
      #expect(request.values("X-A") == ["1", "2"])
      #expect((request.path, request.query) == ("/a", "b=c"))
      #expect(request.bodyText == "world")
      #expect(request.bodySHA256 == TestDigest.sha256(Data("world".utf8)))
      #expect(request.isComplete)
      #expect(server.connections.first?.bytesReceived == Int64(head.utf8.count + 5))
    }
  }

  @Test func `decodes chunks and keeps trailers`() async throws {
    try await withTestServer(handler: { _ in .status(204) }) { server in
      let head = "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
      let answer = try exchange(server, head + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n")
      #expect(answer == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
      #expect(server.requests.first?.bodyText == "abc0123456789")
      #expect(server.requests.first?.trailers == Array("X-T: 1\r\n".utf8))
    }
  }

  @Test func `keeps the connection for the next request, and pipelines`() async throws {
    try await withTestServer(handler: { request in .text(request.target) }) { server in
      let get = { (number: Int) in "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n" }
      let answer = try exchange(server, get(1) + get(2) + "GET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
      #expect(server.acceptCount == 1)
      #expect(server.requests.map(\.indexOnConnection) == [0, 1, 2])
    }
  }

  @Test func `sends 100 Continue only where the body is wanted`() async throws {
    try await withTestServer(handler: { request in
      if request.path == "/no" { return TestResponse(417).ignoringBody() }
      return .text("\(try request.body().count)")
    }) { server in
      let head = "HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
      #expect(try exchange(server, "PUT /yes \(head)abc").hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK"))
      let client = try TestConnection.connect(port: server.port)
      try client.send("PUT /no \(head)")
      client.finishSending()
      #expect(try readToEnd(client).hasPrefix("HTTP/1.1 417 "))
    }
  }

  @Test func `misbehaves at the very byte it was told to`() async throws {
    let server = try TestServer(script: [
      TestResponse.text("0123456789").with(.close, at: .responseBody(4)),
      TestResponse.text("0123456789").with(.reset, at: .responseHead(8)),
      TestResponse.none(.close),
      TestResponse.status(200).with(.close, at: .requestBody(2)),
    ])
    #expect(try exchange(server, "GET / HTTP/1.1\r\n\r\n").hasSuffix("\r\n\r\n0123"))
    let client = try TestConnection.connect(port: server.port)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    #expect(throws: ConnectionEnd.self) { while try !client.read().isEmpty {} }
    #expect(try exchange(server, "GET / HTTP/1.1\r\n\r\n") == "")
    let upload = try TestConnection.connect(port: server.port)
    try upload.send("PUT / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab")
    #expect(try readToEnd(upload) == "")
    #expect(server.requests.last?.bodyCount == 2)
    #expect(server.requests.last?.isComplete == false)
    try server.stop()
  }

  @Test func `drips, delays, and waits for a latch`() async throws {
    let latch = Latch()
    let server = try TestServer(script: [
      TestResponse.text("0123456789").with(.drip(bytes: 3, every: 0.02), at: .responseBody(0)),
      TestResponse.stream { writer in
        try writer.write("before ")
        try writer.wait(for: latch)
        try writer.write("after")
      },
    ])
    let started = ContinuousClock.now
    #expect(try exchange(server, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").hasSuffix("0123456789"))
    #expect(started.duration(to: .now) > .milliseconds(55))
    let client = try TestConnection.connect(port: server.port)
    try client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    _ = try client.read(through: "7\r\nbefore \r\n")
    latch.open()
    #expect(try readToEnd(client) == "5\r\nafter\r\n0\r\n\r\n")
    try server.stop()
  }

  @Test func `throws from stop what went wrong in it`() throws {
    struct Broken: Error {}
    let server = try TestServer { request in
      if request.path == "/broken" { throw Broken() }
      return .status(200)
    }
    #expect(try exchange(server, "GET /broken HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 500 "))
    #expect(try exchange(server, "GARBAGE\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
    #expect(
      try exchange(server, "PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n")
        .hasPrefix("HTTP/1.1 400 "))
    let failure = #expect(throws: TestServerFailure.self) { try server.stop() }
    #expect(failure?.messages.count == 3)
    #expect(failure?.description.contains("TestServerTests.swift:") == true)
  }

  @Test func `a client that goes away is not a failure, and stop ends what stalls`() throws {
    let server = try TestServer { _ in TestResponse.pattern(1 << 30).with(.stall, at: .responseBody(1 << 30)) }
    let client = try TestConnection.connect(port: server.port)
    try client.send("GET / HTTP/1.1\r\n\r\n")
    _ = try client.read(exactly: 1000)
    #expect(throws: ConnectionEnd.self) { try client.reset() }
    let idle = try TestConnection.connect(port: server.port)
    try idle.send("GET / HTTP/1.1\r\n\r\n")
    try server.stop()
    #expect(server.openConnectionCount == 0)
  }

  @Test func `holds 600 connections at once`() async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let clients = try (0..<600).map { _ in try TestConnection.connect(port: server.port) }
      for client in clients { try client.send("GET / HTTP/1.1\r\n\r\n") }
      for client in clients { _ = try client.read(through: "\r\n\r\nok") }
      #expect(server.openConnectionCount == 600)
    }
  }

  @Test func `serves IPv6 and other loopback addresses`() throws {
    for host in ["::1", "127.0.0.9"] {
      var options = TestServer.Options()
      options.listener.host = host
      let server = try TestServer(options) { _ in .text("ok") }
      let client = try TestConnection.connect(to: host, port: server.port)
      try client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
      #expect(try readToEnd(client).hasSuffix("ok"))
      try server.stop()
    }
  }
}
