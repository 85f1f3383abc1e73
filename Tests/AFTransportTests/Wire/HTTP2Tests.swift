import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct HTTP2Tests {
  private func server(_ answer: @escaping @Sendable (TestHTTP2Server.Stream) -> TestHTTP2Server.Answer) throws
    -> TestHTTP2Server
  {
    try TestHTTP2Server(identity: try TestAuthority.make().issue(names: ["localhost"]), answer: answer)
  }

  private func request(_ method: String, _ server: TestHTTP2Server) -> TransferRequest {
    var request = TransferRequest(url: server.url(host: "localhost").absoluteString, method: method)
    request.options.isIdempotent = method == "GET"
    if method == "POST" { request.body = .data(Data("hello".utf8)) }
    return request
  }

  @Test(arguments: ["GET", "POST"]) func `HTTP/2 is spoken where the server does`(method: String) async throws {
    let server = try server { _ in .ok("fine") }
    let outcome = await Engine.forTests().run(request(method, server))
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("fine".utf8))
    #expect(server.streams.map(\.bodyCount) == [method == "POST" ? 5 : 0])
    try server.stop()
  }

  @Test func `trailers of HTTP/2 are told, and change nothing`() async throws {
    let server = try server { stream in
      let id = stream.identifier
      let trailers = [("x-sum", "7"), ("set-cookie", "a=b"), ("x-sum", "8")]
      return .steps([
        .send(
          HTTP2Frame.head([0x88], stream: id)
            + HTTP2Frame.data(Array("fine".utf8), stream: id, endsStream: false)
            + HTTP2Frame.head(HPACK.block(trailers), stream: id, endsStream: true))
      ])
    }
    let probe = TransferProbe()
    let engine = Engine.forTests()
    let outcome = await engine.run(request("GET", server), probe: probe)
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("fine".utf8))
    #expect(outcome.trailers?.values("X-Sum") == ["7", "8"])
    #expect(probe.head?.value("x-sum") == nil)
    #expect(probe.head?.value("set-cookie") == nil)
    #expect(await engine.run(request("GET", server)).trailers?.value("X-Sum") == "7")
    #expect(server.acceptCount == 1)
    try server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `B32: a stream that the server refused unprocessed is tried once more`(method: String) async throws {
    let server = try server { $0.number == 0 ? .reset(code: 7) : .ok("fine") }
    let outcome = await Engine.forTests().run(request(method, server))
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("fine".utf8))
    #expect(server.streams.count == 2)
    try server.stop()
  }

  /// Trap 41: there libcurl does not say that the stream was refused, and a POST might have been carried out.
  @Test(arguments: ["GET", "POST"])
  func `B32: on a connection that served before, a refused GET is repeated and a refused POST is an error`(
    method: String
  ) async throws {
    let server = try server { $0.connection == 0 && $0.number == 1 ? .reset(code: 7) : .ok("fine") }
    let engine = Engine.forTests()
    #expect(await engine.run(request("GET", server)).failure == nil)
    let outcome = await engine.run(request(method, server))
    if method == "GET" {
      #expect(outcome.body == Data("fine".utf8))
    } else {
      #expect(outcome.failure?.kind == .connectionLost)
    }
    #expect(server.streams.count == (method == "GET" ? 3 : 2))
    try server.stop()
  }

  @Test(arguments: [1, 2])
  func `B32: a body that can be read once is sent whole if it had not begun when its stream was refused, once`(
    refusals: Int
  ) async throws {
    let server = try server { $0.connection < refusals ? .reset(code: 7) : .ok("fine") }
    var upload = request("POST", server)
    // Gives its bytes once every refused stream is over.
    upload.body = .reader(
      ChannelBodyReader(length: 5, isReplayable: false) { channel in
        Task {
          try await eventually { server.acceptCount > refusals }
          Array("hello".utf8).withUnsafeBytes { channel.offer($0) }
          channel.finish()
        }
      })
    let outcome = await Engine.forTests().run(upload)
    #expect(server.streams.map(\.connection) == [0, 1])
    if refusals == 1 {
      #expect(outcome.body == Data("fine".utf8))
      #expect(server.streams.last?.bodyCount == 5)
    } else {
      #expect(outcome.failure?.kind == .connectionLost)
    }
    try server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `B32: a server that refuses always is asked at most twice`(method: String) async throws {
    let server = try server { _ in .reset(code: 7) }
    #expect(await Engine.forTests().run(request(method, server)).failure != nil)
    #expect(server.streams.count <= 2)
    try server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `B32: what a GOAWAY leaves untouched is repeated on a new connection`(method: String) async throws {
    let server = try server { $0.connection == 0 ? .goAway(last: 0) : .ok("fine") }
    let outcome = await Engine.forTests().run(request(method, server))
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("fine".utf8))
    #expect(server.streams.map(\.connection) == [0, 1])
    try server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `B32: a server that always says goodbye is asked at most twice`(method: String) async throws {
    let server = try server { _ in .goAway(last: 0) }
    #expect(await Engine.forTests().run(request(method, server)).failure != nil)
    #expect(server.streams.count == 2)
    try server.stop()
  }

  @Test func `B32: a POST that a GOAWAY may have touched is not repeated`() async throws {
    let server = try server { $0.connection == 0 ? .goAway(last: $0.identifier) : .ok("fine") }
    #expect(await Engine.forTests().run(request("POST", server)).failure != nil)
    #expect(server.streams.count == 1)
    try server.stop()
  }

  @Test func `B32: another error code is not retried`() async throws {
    let server = try server { _ in .resetAfterBody(code: 2) }
    let failure = try #require(await Engine.forTests().run(request("POST", server)).failure)
    #expect(CurlErrorMapping.urlErrorCode(for: failure.curlCode) == .networkConnectionLost)
    #expect(server.streams.count == 1)
    try server.stop()
  }

  @Test func `once an origin speaks HTTP/2, many requests share its connection`() async throws {
    let server = try server { _ in .ok("fine") }
    let engine = Engine.forTests()
    #expect(await engine.run(request("GET", server)).failure == nil)
    let get = request("GET", server)
    await withTaskGroup(of: String?.self) { group in
      for _ in 0..<200 { group.addTask { await engine.run(get).failure.map { "\($0)" } } }
      for await failure in group { #expect(failure == nil) }
    }
    #expect(server.acceptCount == 1)
    try server.stop()
  }

  @Test func `a body whose window is never opened again times out`() async throws {
    let identity = try TestAuthority.make().issue(names: ["localhost"])
    let server = try TestHTTP2Server(identity: identity, givesWindow: false) { _ in .ok("fine") }
    var upload = request("POST", server)
    // One byte more than the window at first.
    upload.body = .data(Data(count: 65_536))
    upload.options.idleTimeout = 0.3
    #expect(await Engine.forTests().run(upload).failure?.kind == .idleTimeout)
    try server.stop()
  }

  /// A server whose first connection answers once, and then neither reads nor writes any more.
  private func serverThatFreezes() throws -> TestHTTP2Server {
    try server { stream in
      stream.connection > 0 || stream.number == 0 ? .ok("fine") : .steps([.effect(.stall)], after: .head)
    }
  }

  @Test(arguments: [TransferFailure.Kind.idleTimeout, .totalTimeout])
  func `33: a connection that fell silent is not used for the next request`(kind: TransferFailure.Kind) async throws {
    let server = try serverThatFreezes()
    let engine = Engine.forTests()
    #expect(await engine.run(request("GET", server)).failure == nil)
    var impatient = request("GET", server)
    if kind == .idleTimeout { impatient.options.idleTimeout = 0.3 } else { impatient.options.deadline = .now + 0.3 }
    #expect(await engine.run(impatient).failure?.kind == kind)
    #expect(await engine.run(request("GET", server)).body == Data("fine".utf8))
    #expect(server.acceptCount == 2)
    try server.stop()
  }

  @Test func `33: nor while others wait on it, who are left in peace`() async throws {
    let server = try serverThatFreezes()
    let engine = Engine.forTests()
    #expect(await engine.run(request("GET", server)).failure == nil)
    let parked = TransferProbe()
    let handle = engine.launch(request("GET", server), parked)
    try await eventually { server.streams.count == 2 }
    var impatient = request("GET", server)
    impatient.options.idleTimeout = 0.3
    #expect(await engine.run(impatient).failure?.kind == .idleTimeout)
    for _ in 0..<3 { #expect(await engine.run(request("GET", server)).body == Data("fine".utf8)) }
    #expect(parked.completions == 0)
    handle.cancel()
    #expect(await parked.outcome().failure?.kind == .cancelled)
    try server.stop()
  }

  /// Each new one had a connection of its own, for as long as one of the old waited.
  @Test func `F37: those that keep off a silent connection share another`() async throws {
    let server = try serverThatFreezes()
    let engine = Engine.forTests()
    #expect(await engine.run(request("GET", server)).failure == nil)
    let parked = (0..<2).map { _ in TransferProbe() }
    let handles = parked.map { engine.launch(request("GET", server), $0) }
    try await eventually { server.streams.count == 2 }
    var impatient = request("GET", server)
    impatient.options.idleTimeout = 0.3
    #expect(await engine.run(impatient).failure?.kind == .idleTimeout)
    for _ in 0..<10 { #expect(await engine.run(request("GET", server)).body == Data("fine".utf8)) }
    let probes = (0..<30).map { _ in TransferProbe() }
    for probe in probes { _ = engine.launch(request("GET", server), probe) }
    for probe in probes { #expect(await probe.outcome().body == Data("fine".utf8)) }
    #expect(server.acceptCount == 2)
    // The old ones give up as well, which casts no doubt on the new connection.
    for handle in handles { handle.cancel() }
    for probe in parked { _ = await probe.outcome() }
    #expect(await engine.run(request("GET", server)).body == Data("fine".utf8))
    #expect(server.acceptCount == 2)
    try server.stop()
  }

  /// Connections fall silent one after the other: never more are open than may be.
  @Test func `F37: a server whose connections die again and again gets no more of them than may be`() async throws {
    let server = try server { $0.identifier == 1 ? .ok("fine") : .steps([.effect(.stall)], after: .head) }
    let engine = Engine.forTests(connectionsPerHost: 3)
    var parked: [(TransferProbe, TransferHandle)] = []
    for round in 0..<3 {
      #expect(await engine.run(request("GET", server)).body == Data("fine".utf8))
      let probe = TransferProbe()
      parked.append((probe, engine.launch(request("GET", server), probe)))
      try await eventually { server.streams.count == 2 * round + 2 }
      var impatient = request("GET", server)
      impatient.options.idleTimeout = 0.3
      #expect(await engine.run(impatient).failure?.kind == .idleTimeout)
    }
    #expect(server.acceptCount == 3)
    var refused = request("GET", server)
    refused.options.idleTimeout = 0.5
    #expect(await engine.run(refused).failure?.kind == .idleTimeout)
    #expect(server.acceptCount == 3)
    for (probe, handle) in parked {
      handle.cancel()
      _ = await probe.outcome()
    }
    #expect(await engine.run(request("GET", server)).body == Data("fine".utf8))
    try server.stop()
  }

  @Test func `33: one stream without an answer does not cost the others their connection`() async throws {
    let server = try server { $0.number == 1 ? .steps([]) : .ok("fine") }
    let engine = Engine.forTests()
    #expect(await engine.run(request("GET", server)).failure == nil)
    let probe = TransferProbe()
    let handle = engine.launch(request("GET", server), probe)
    try await eventually { server.streams.count == 2 }
    for _ in 0..<3 { #expect(await engine.run(request("GET", server)).failure == nil) }
    #expect(probe.completions == 0)
    #expect(server.acceptCount == 1)
    handle.cancel()
    _ = await probe.outcome()
    try server.stop()
  }

  /// libcurl starts over in HTTP/1.1 when a server wants that (RFC 9113 §7, code 13), also in the midst of an answer, whose
  /// bytes somebody has by then.
  @Test(arguments: [false, true])
  func `a server that wants HTTP/1.1 is asked again before it has answered, and not afterwards`(hasAnswered: Bool)
    async throws
  {
    let headCame = DispatchSemaphore(value: 0)
    let server = try RawServer { connection in
      guard connection.index == 0 else {
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nxyz")
      }
      guard try connection.read(through: "SM\r\n\r\n") != nil else { return }
      // SETTINGS; ":status: 200" and "abc" on stream 1; RST_STREAM with HTTP_1_1_REQUIRED.
      try connection.send([0, 0, 0, 4, 0, 0, 0, 0, 0])
      if hasAnswered {
        try connection.send([0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88, 0, 0, 3, 0, 0, 0, 0, 0, 1, 0x61, 0x62, 0x63])
        _ = headCame.wait(timeout: .now() + 30)
      }
      try connection.send([0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 13])
      _ = try connection.read(through: "the client's end")
    }
    let probe = TransferProbe { _ in
      headCame.signal()
      return .memory
    }
    let outcome = await Engine.forTests().run(
      .get(server.url()) { $0.options.httpVersion = .http2PriorKnowledge }, probe: probe)
    let body = String(decoding: outcome.body ?? Data(), as: UTF8.self)
    #expect(hasAnswered ? "abc".hasPrefix(body) : body == "xyz")
    #expect((outcome.failure != nil) == hasAnswered)
    #expect(probe.state.withLock { $0.heads.count } == 1)
    try server.stop()
  }

  @Test(.enabled(if: !Libcurl.takesBreachForEnd))
  func `36: a peer that breaks the protocol in the midst of a body is an error, not the body's end`() async throws {
    let server = try server { stream in
      let head = HTTP2Frame.head([0x88], stream: stream.identifier)
      let data = HTTP2Frame.data(Array("half".utf8), stream: stream.identifier, endsStream: false)
      // DATA on stream 0 (RFC 9113 §6.1).
      return .steps([.send(head + data), .send(HTTP2Frame.data([0], stream: 0, endsStream: false))])
    }
    for method in ["GET", "POST"] {
      for _ in 0..<10 { #expect(await Engine.forTests().run(request(method, server)).failure != nil) }
    }
    try server.stop()
  }
}
