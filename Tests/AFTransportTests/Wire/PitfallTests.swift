import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFTransport

/// libcurl's traps, by the numbers of the table in `docs/libcurl.md`.
@Suite struct PitfallTests {
  @Test(arguments: ["PUT", "POST"]) func `1: no request waits for a 100`(method: String) async throws {
    let engine = Engine.forTests()
    var options = TestServer.Options()
    options.sendsContinue = false
    try await withTestServer(options, handler: { _ in .text("ok") }) { server in
      for count in [10, 2 << 20] {
        let request = TransferRequest(
          url: server.url().absoluteString, method: method, body: .data(Data(count: count)))
        #expect(await engine.run(request).failure == nil)
      }
      #expect(server.requests.allSatisfy { $0.value("Expect") == nil })
    }
  }

  @Test func `3 and 4: what waits for a connection keeps its deadline, and waits on where it has no idle timeout`()
    async throws
  {
    let engine = Engine.forTests(connectionsPerHost: 1)
    let gate = Latch()
    try await withTestServer(handler: { request in
      request.path == "/held" ? TestResponse.text("x").with(.wait(gate), at: .responseHead(0)) : .text("y")
    }) { server in
      let held = TransferProbe()
      engine.start(.get(server.url("held")), handler: held)
      let impatient = TransferProbe()
      engine.start(.get(server.url("late")) { $0.options.deadline = .now + 0.3 }, handler: impatient)
      let patient = TransferProbe()
      engine.start(.get(server.url("patient")) { $0.options.idleTimeout = 0 }, handler: patient)
      guard case .totalTimeout = await impatient.outcome().failure?.kind else {
        Issue.record("the waiting transfer did not time out")
        return gate.open()
      }
      #expect(patient.completions == 0)
      gate.open()
      #expect(await held.outcome().failure == nil)
      #expect(await patient.outcome().failure == nil)
      #expect(server.requests.map(\.path) == ["/held", "/patient"])
      #expect(server.acceptCount == 1)
    }
  }

  @Test func `5: bodies that this libcurl cannot carry over HTTP/2 go over HTTP/1.1`() {
    let small = TransferRequest(url: "https://a/", method: "POST", body: .data(Data(count: 60_000)))
    let large = TransferRequest(url: "https://a/", method: "POST", body: .data(Data(count: 200_000)))
    #expect(!Transfer.needsHTTP1(small))
    #expect(Transfer.needsHTTP1(large) == Libcurl.spinsOnFullWindow)
    #expect(!Transfer.needsHTTP1(TransferRequest(url: "https://a/")))
  }

  @Test func `16 and 30: a repeated request sends its body from the start, and is counted once`() async throws {
    let engine = Engine.forTests(connectionsPerHost: 1)
    let bodies = Recorder<Int>()
    let server = try RawServer { connection in
      // Every request with a body is answered, but the first, upon which the connection dies.
      while let head = try connection.read(through: "\r\n\r\n") {
        if head.starts(with: "PUT".utf8) {
          bodies.record(try connection.read(exactly: 5000).count)
          if bodies.count == 1 { try connection.close() }
        }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let url = server.url().absoluteString
    #expect(await engine.run(TransferRequest(url: url)).failure == nil)
    let probe = TransferProbe()
    let put = TransferRequest(url: url, method: "PUT", body: .data(Data(count: 5000)))
    engine.start(put, handler: probe)
    #expect(await probe.outcome().failure == nil)
    #expect(bodies.values == [5000, 5000])
    #expect(probe.state.withLock { $0.sent.last } == 5000)
    #expect(probe.state.withLock { $0.sent.allSatisfy { $0 <= 5000 } })
    try server.stop()
  }

  @Test func `17: progress is told at most every 50 ms, and at the end`() async throws {
    let engine = Engine.forTests()
    try await withTestServer(handler: { _ in .pattern(64 << 20) }) { server in
      let probe = TransferProbe()
      let start = MonotonicTime.now
      #expect(await engine.run(.get(server.url()), probe: probe).failure == nil)
      let elapsed = MonotonicTime.now - start
      let (received, expected) = probe.state.withLock { ($0.received, $0.expected) }
      #expect(received.count <= Int(elapsed / 0.05) + 2)
      #expect(received.last == 64 << 20)
      #expect(received == received.sorted())
      #expect(expected.allSatisfy { $0 == 64 << 20 })
    }
  }

  @Test func `17: what came is told though nothing follows`() async throws {
    let server = try TestServer { _ in TestResponse.pattern(1000).with(.stall, at: .responseBody(500)) }
    let probe = TransferProbe { _ in .discard }
    let handle = Engine.forTests().launch(.get(server.url()), probe)
    try await eventually("a report of 500 bytes") { probe.state.withLock { $0.received } == [500] }
    handle.cancel()
    _ = await probe.outcome()
    try server.stop()
  }

  @Test func `18: a suspended transfer does not time out`() async throws {
    let engine = Engine.forTests()
    try await withTestServer(handler: { _ in .pattern(8 << 20) }) { server in
      let probe = TransferProbe()
      var request = TransferRequest.get(server.url())
      request.options.idleTimeout = 0.3
      let handle = engine.launch(request, probe)
      handle.setSuspended(true)
      // Three idle times of silence: the wait itself is what is tested.
      try await Task.sleep(for: .milliseconds(900))
      #expect(probe.completions == 0)
      handle.setSuspended(false)
      let outcome = await probe.outcome()
      #expect(outcome.failure == nil)
      #expect(outcome.body.map(TestDigest.sha256) == TestPattern.sha256(count: 8 << 20))
    }
  }

  @Test func `21: a retired pool carries no request of the new configuration`() async throws {
    let identity = try TestAuthority.make().issue(names: ["localhost"])
    let engine = Engine.forTests()
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("x") }) { server in
      let url = server.url(host: "localhost")
      #expect(await engine.run(.get(url)).failure == nil)
      var strict = EngineConfiguration()
      strict.evaluateTrust = { _ in .refuse(POSIXFailure(call: "trust", code: 1)) }
      engine.retire(newConfiguration: strict)
      guard case .trustRefused = await engine.run(.get(url)).failure?.kind else {
        Issue.record("a connection accepted under the old configuration was used")
        return
      }
      #expect(server.requestCount == 1)
    }
  }

  @Test func `24: interim responses and trailers stay out of the head`() async throws {
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      try connection.send(
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n")
      try connection.send("Trailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n")
    }
    let probe = TransferProbe()
    let outcome = await Engine.forTests().run(.get(server.url()), probe: probe)
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("abc".utf8))
    #expect(probe.state.withLock { $0.heads.count } == 1)
    #expect(probe.head?.value("Link") == nil)
    #expect(probe.head?.value("X-Sum") == nil)
    #expect(outcome.trailers?.value("X-Sum") == "7")
    try server.stop()
  }

  @Test func `25: the length of a decoded body is not known beforehand`() async throws {
    let packed = try #require(gzip(Data("Hello World!".utf8)))
    try await withTestServer(handler: { _ in .data(packed).with("Content-Encoding", "gzip") }) { server in
      let probe = TransferProbe()
      let outcome = await Engine.forTests().run(.get(server.url()), probe: probe)
      #expect(outcome.body == Data("Hello World!".utf8))
      #expect(probe.state.withLock { $0.expected.allSatisfy { $0 == nil } })
      #expect(probe.state.withLock { $0.received.last } == 12)
      #expect(server.requests.first?.value("Accept-Encoding") == ContentCoding.acceptEncoding)
    }
  }

  @Test(arguments: ["file:///etc/passwd", "gopher://127.0.0.1:1/x", "ftp://127.0.0.1/", "http://a@127.0.0.1/"])
  func `26 and 27: other schemes and odd hosts are refused`(url: String) async {
    guard case .badRequest = await Engine.forTests().run(TransferRequest(url: url)).failure?.kind else {
      Issue.record("\(url) was not refused")
      return
    }
  }

  @Test func `28: stopping in the midst of everything gives each its one completion`() async throws {
    let identity = try TestAuthority.make().issue(names: ["localhost"])
    try await withTestServer(
      .init(tls: TestTLS(identity)),
      handler: { _ in TestResponse.pattern(1 << 20).with(.drip(bytes: 1024, every: 0.02), at: .responseBody(0)) }
    ) { server in
      for round in 0..<10 {
        let engine = Engine.forTests()
        let probes = (0..<20).map { _ in TransferProbe() }
        for probe in probes { engine.start(.get(server.url(host: "localhost")), handler: probe) }
        if round > 0 { try await eventually("a head") { probes[0].head != nil } }
        engine.shutDown(cancelling: true)
        for probe in probes {
          guard case .cancelled = await probe.outcome().failure?.kind else {
            Issue.record("not cancelled")
            continue
          }
          #expect(probe.completions == 1)
        }
      }
    }
  }

  @Test func `38: connections are used again beside many that are in use`() async throws {
    let engine = Engine.forTests(connectionsPerHost: 200)
    try await withTestServer(handler: { $0.path == "/park" ? .none(.stall) : .text("x") }) { server in
      let polls = (0..<100).map { _ in engine.start(.get(server.url("park")), handler: TransferProbe()) }
      try await eventually(within: 20, "100 polls") { server.requestCount == 100 }
      for _ in 0..<10 { #expect(await engine.run(.get(server.url())).failure == nil) }
      #expect(server.acceptCount == 101)
      for poll in polls { poll.cancel() }
    }
  }

  /// libcurl followed a pointer that an earlier answer on the same handle had left.
  @Test(arguments: [" folded: 1", "\t: x", " ", " \t ", " :qop=\"auth\""])
  func `60: a head that begins with a folded line ends no process`(line: String) async throws {
    let server = try RawServer { connection in
      while try connection.read(through: "\r\n\r\n") != nil {
        try connection.send(
          "HTTP/1.1 200 OK\r\nX-A: \(String(repeating: "a", count: 100))\r\nContent-Length: 2\r\n\r\nok")
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        try connection.send("HTTP/1.1 200 OK\r\n\(line)\r\nX-B: b\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    let engine = Engine.forTests()
    for _ in 0..<4 {
      #expect(await engine.run(.get(server.url())).body == Data("ok".utf8))
      let outcome = await engine.run(.get(server.url()))
      #expect(outcome.failure == nil || outcome.failure?.kind == .badFraming)
    }
    try server.stop()
  }

  @Test func `60: nor one after a 417 on the same handle`() async throws {
    for closes in [true, false] {
      let server = try RawServer { connection in
        while let head = try connection.read(through: "\r\n\r\n") {
          if String(decoding: head, as: UTF8.self).contains("Expect") {
            try connection.send(
              "HTTP/1.1 417 No\r\nContent-Length: 0\r\n\(closes ? "Connection: close\r\n" : "")\r\n")
            if closes { return }
          } else {
            _ = try connection.read(exactly: 4)
            try connection.send("HTTP/1.1 200 OK\r\n folded: 1\r\nContent-Length: 2\r\n\r\nok")
          }
        }
      }
      let engine = Engine.forTests()
      for _ in 0..<3 {
        let outcome = await engine.run(
          .post(server.url(), .data(Data("body".utf8))) { $0.headers = [.init("Expect", "100-continue")] })
        #expect(outcome.failure == nil || outcome.failure?.kind == .badFraming)
      }
      try server.stop()
    }
  }

  @Test func `46: the question mark of an empty query arrives, whatever the way, and is nobody else's`() async throws {
    let identity = try TestAuthority.make().issue(names: ["localhost"])
    let plain = try TestServer { _ in .text("x") }
    let secure = try TestServer(.init(tls: TestTLS(identity))) { _ in .text("x") }
    let forwarded = Recorder<String>()
    var options = TestProxy.Options()
    options.challenge = { head in
      guard head.method != "CONNECT" else { return nil }
      forwarded.record(head.target)
      return .text("x")
    }
    let proxy = try TestProxy(options)
    let socks = try TestSOCKSProxy()
    let routes: [ProxyRoute] = [
      .direct, .proxy(url: proxy.url.absoluteString, user: nil, password: nil),
      .proxy(url: "socks5h://127.0.0.1:\(socks.port)", user: nil, password: nil),
    ]
    for server in [plain, secure] {
      let base = server.url(host: "localhost").absoluteString
      for route in routes {
        // One after another on one handle, whose options stay.
        let engine = Engine.forTests()
        for path in ["p?", "p", "q?", "q?a", "p?#f", "p??"] {
          var request = TransferRequest(url: base + path)
          request.options.proxy = route
          #expect(await engine.run(request).failure == nil)
        }
      }
      let once = ["/p?", "/p", "/q?", "/q?a", "/p?", "/p??"]
      let isForwarded = server === plain
      #expect(server.requests.map(\.target) == once + (isForwarded ? [] : once) + once)
      if isForwarded { #expect(forwarded.values == once.map { base.dropLast() + $0 }) }
      try server.stop()
    }
    try proxy.stop()
    try socks.stop()
  }
}
