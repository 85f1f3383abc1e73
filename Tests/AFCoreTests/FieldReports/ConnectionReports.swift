import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Field reports about connections that end at the wrong moment.
@Suite struct ConnectionReports {
  @Test(arguments: ["fin", "rst", "half a status line", "no blank line"])
  func `B25 A connection that ends before the response is an error, and the session lives on`(end: String) async throws
  {
    try await withTestServer(handler: { request in
      guard request.path == "/bad" else { return .json("{}") }
      switch end {
      case "fin": return .none(.close)
      case "rst": return .none(.reset)
      case "half a status line": return .raw("HTTP/1.1 2")
      default: return .raw("HTTP/1.1 200 OK\r\n")
      }
    }) { server in
      let manager = makeManager(server)
      let start = MonotonicTime.now
      let error = try await failure { _ = try await manager.post("bad") }
      #expect(MonotonicTime.now - start < 40)
      let code = try #require(error.urlError?.code)
      #expect([.networkConnectionLost, .badServerResponse].contains(code))
      #expect(error.urlError?.failingURL == server.url("bad"))
      _ = try await manager.get("good")
    }
  }

  @Test(arguments: [0, 1, 65_280, 65_535, 65_536, 65_537, 200_000, 8 << 20], ["data", "file", "stream"])
  func `B26 Bodies of any size arrive whole, read at once or slowly`(size: Int, source: String) async throws {
    let directory = try TemporaryDirectory()
    let authority = try TestAuthority.make()
    for (slow, secure) in [(false, false), (true, false), (false, true)] where !slow || size <= 200_000 {
      var options = TestServer.Options(tls: secure ? TestTLS(try authority.issue(names: ["localhost"])) : nil)
      if slow {
        options.listener.receiveBuffer = 4096
        options.listener.readPace = (8 << 10, 0.01)
      }
      try await withTestServer(options, handler: { .text(try $0.bodySHA256() ?? "none") }) { server in
        let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
        let policy = AFSecurityPolicy.default()
        policy.anchorCertificates = [try AFCertificate(derRepresentation: authority.certificate)]
        manager.securityPolicy = policy
        var request = URLRequest(url: server.url("up", host: secure ? "localhost" : nil))
        request.httpMethod = "POST"
        let data = TestPattern.data(count: size)
        let response: AFDataResponse
        switch source {
        case "data": response = try await manager.upload(for: request, from: data)
        case "file":
          let file = try directory.write(data, to: "f\(slow)\(secure)")
          response = try await manager.upload(for: request, fromFile: file)
        default:
          request.httpBodyStream = InputStream(data: data)
          response = try await manager.upload(withStreamedRequest: request)
        }
        #expect(String(decoding: response.data, as: UTF8.self) == TestDigest.sha256(data))
      }
    }
  }

  @Test(arguments: [0, 1, 65_280, 65_535, 65_536, 65_537, 200_000, 8 << 20], ["data", "file", "stream"])
  func `B26 Bodies of any size arrive whole over HTTP/2, read at once or slowly`(size: Int, source: String) async throws
  {
    let directory = try TemporaryDirectory()
    for slow in [false, true] where !slow || size <= 200_000 {
      var listener = ListenerOptions()
      if slow {
        listener.receiveBuffer = 4096
        listener.readPace = (8 << 10, 0.01)
      }
      let server = try TestHTTP2Server(tls: nil, options: listener) { _ in .digest }
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.transportOptions.httpVersion = .http2PriorKnowledge
      var request = URLRequest(url: server.url("up"))
      request.httpMethod = "POST"
      let data = TestPattern.data(count: size)
      let response: AFDataResponse
      switch source {
      case "data": response = try await manager.upload(for: request, from: data)
      case "file":
        response = try await manager.upload(for: request, fromFile: try directory.write(data, to: "f\(slow)"))
      default:
        request.httpBodyStream = InputStream(data: data)
        response = try await manager.upload(withStreamedRequest: request)
      }
      #expect(String(decoding: response.data, as: UTF8.self) == TestDigest.sha256(data))
      #expect(server.streams.map(\.bodyCount) == [size])
      try server.stop()
    }
  }

  @Test func `B27 There is one framing field, and it is right`() async throws {
    try await withTestServer(handler: { .text("\(try $0.body().count)") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      func send(_ method: String, stream: Int? = nil, length: String? = nil, chunked: Bool = false, data: Data? = nil)
        async throws
      {
        var request = URLRequest(url: server.url("f"))
        request.httpMethod = method
        if let length { request.setValue(length, forHTTPHeaderField: "Content-Length") }
        if chunked { request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding") }
        if let data { request.httpBody = data }
        if let stream { request.httpBodyStream = InputStream(data: Data(count: stream)) }
        if let length { request.setValue(length, forHTTPHeaderField: "Content-Length") }
        _ = try await manager.data(for: request)
      }
      try await send("POST", stream: 5, length: "5")
      let short = try await failure { try await send("POST", stream: 5, length: "7") }
      #expect(short.urlError?.code == .requestBodyStreamExhausted)
      try await send("POST", stream: 5)
      try await send("POST", chunked: true, data: Data(count: 3))
      try await send("PUT")
      try await send("POST")
      try await send("GET")
      try await send("HEAD")
      let framing = server.requests.filter(\.isComplete).map {
        "\($0.method) \($0.values("Content-Length")) \($0.values("Transfer-Encoding")) \($0.bodyCount)"
      }
      #expect(
        framing == [
          #"POST ["5"] [] 5"#, #"POST [] ["chunked"] 5"#, #"POST ["3"] [] 3"#, #"PUT ["0"] [] 0"#, #"POST ["0"] [] 0"#,
          "GET [] [] 0", "HEAD [] [] 0",
        ])
      #expect(server.requests.filter { $0.method != "GET" }.allSatisfy { $0.value("Content-Type") == nil })
    }
  }

  @Test(arguments: [true, false])
  func `B28 A response that comes before the body is sent is the result`(readsOn: Bool) async throws {
    let server = try RawServer { connection in
      while let head = try connection.read(through: "\r\n\r\n") {
        if head.starts(with: Array("GET".utf8)) {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          continue
        }
        _ = try connection.read(exactly: 10 << 10)
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        guard readsOn else { try connection.stall() }
        while try !connection.read().isEmpty {}
      }
    }
    let manager = AFURLSessionManager(sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    for _ in 0..<20 {
      var request = URLRequest(url: server.url("up"))
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: Data(count: 10 << 20))
      let early = try await manager.upload(withStreamedRequest: request)
      #expect(early.data == Data("ok".utf8))
      let next = try await manager.data(for: URLRequest(url: server.url("next")))
      #expect(next.data == Data("ok".utf8))
    }
    try server.stop()
  }

  @Test(arguments: [TestEffect.close, .reset])
  func `B29 Half a body is an error, and a download of it leaves no file`(end: TestEffect) async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { request in
      guard request.path != "/more" else {
        return .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhelloEXTRA")
      }
      var response = TestResponse.data(Array("AAAAAAAAAA".utf8))
      response.framing = .declared(20)
      return response.with(end, at: .responseBody(10))
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let data = try await failure { _ = try await manager.get("half") }
      #expect(data.urlError?.code == .networkConnectionLost)
      let decoded = try await failure { _ = try await manager.get("half", as: [Int].self) }
      #expect(decoded.urlError?.code == .networkConnectionLost)
      let file = try await failure { _ = try await manager.download("half", to: directory.file("x")) }
      #expect(file.urlError?.code == .networkConnectionLost)
      #expect(try directory.contents == [])
      let more = try await manager.get("more")
      #expect(more.data == Data("hello".utf8))
    }
  }

  @Test(arguments: ["GET", "POST", "stream"])
  func `B30 A reused connection that dies: a GET is repeated once, a POST is not`(kind: String) async throws {
    let seen = Recorder<String>()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      seen.record("first")
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      guard let head = try connection.read(through: "\r\n\r\n") else { return }
      seen.record(String(decoding: head, as: UTF8.self).contains("/second") ? "second" : "other")
      try connection.close()
    }
    let manager = AFURLSessionManager(sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    _ = try await manager.data(for: URLRequest(url: server.url("first")))
    var request = URLRequest(url: server.url("second"))
    if kind != "GET" { request.httpMethod = "POST" }
    if kind == "stream" { request.httpBodyStream = InputStream(data: Data(count: 0)) }
    if kind == "GET" {
      let response = try await manager.data(for: request)
      #expect(response.data == Data("ok".utf8))
      #expect(seen.values == ["first", "second", "first"])
    } else {
      let error = try await failure { _ = try await manager.data(for: request) }
      let code = try #require(error.urlError?.code)
      #expect(code == .networkConnectionLost || kind == "stream" && code == .requestBodyStreamExhausted)
      #expect(seen.values == ["first", "second"])
    }
    try server.stop()
  }

  @Test func `B31 The request timeout counts silence, not work`() async throws {
    var options = TestServer.Options()
    options.listener.accepts = true
    try await withTestServer(
      options,
      handler: { request in
        switch request.path {
        case "/redirect": return .redirect(302, to: "/silent")
        case "/silent":
          _ = try request.body()
          return .none(.stall)
        default: return .text("\(try request.body().count)")
        }
      }
    ) { server in
      let configuration = quietConfiguration()
      configuration.timeoutIntervalForRequest = 60
      let manager = AFURLSessionManager(sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      // By the engine's clock: the test itself may be woken much later on a busy machine.
      let times = Recorder<Double>()
      manager.setTaskDidFinishCollectingMetricsBlock { times.record($2?.taskInterval.duration ?? 0) }
      func time(_ path: String, _ method: String = "GET", body: InputStream? = nil) async throws -> (Double, AFError?) {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        request.timeoutInterval = 1
        request.httpBodyStream = body
        do {
          _ = try await manager.data(for: request)
          return (times.last ?? 0, nil)
        } catch {
          return (times.last ?? 0, error)
        }
      }
      // The stream sleeps between its pieces: slowness is what the report is about.
      let slow = try await time("echo", "POST", body: SlowStream(pieces: 25, size: 2048) { usleep(100_000) })
      #expect(slow.1 == nil)
      #expect(slow.0 > 2)
      for (path, method) in [("silent", "POST"), ("silent", "GET"), ("redirect", "GET")] {
        let silent = try await time(path, method)
        #expect(silent.1?.urlError?.code == .timedOut)
        #expect(silent.0 > 0.9 && silent.0 < 6)
      }
    }
  }
}

/// A stream that gives a piece at a time, each after something that blocks.
final class SlowStream: InputStream {
  private var pieces: Int
  private let size: Int
  private let rest: () -> Void
  private var status = Stream.Status.notOpen

  init(pieces: Int, size: Int, rest: @escaping () -> Void) {
    self.pieces = pieces
    self.size = size
    self.rest = rest
    super.init(data: Data())
  }

  override func open() { status = .open }
  override func close() { status = .closed }
  override var streamStatus: Stream.Status { status }
  override var hasBytesAvailable: Bool { pieces > 0 }
  override var streamError: (any Error)? { nil }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    guard pieces > 0 else { return 0 }
    rest()
    pieces -= 1
    let count = min(size, len)
    buffer.update(repeating: 0x61, count: count)
    return count
  }
}
