import AFCore
import AFMultipart
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Many requests with an expired token.
@Suite struct TokenReports {
  @Test func `B49 Twenty requests with an expired token: one refresh, twenty successes`() async throws {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let source = TokenSource()
      let manager = AFHTTPSessionManager.make(server, AFBearerAuthentication(token: .init("old")) { source.next($0) })
      for result in await manager.twenty() { #expect(result.status == 200) }
      #expect(source.count == 1)
      #expect(source.given.values == [.init("old")])
      #expect(manager.bearerAuthentication?.token == .init("new1"))
      for number in 0..<20 { #expect(server.requests.filter { $0.path == "/\(number)" }.count <= 2) }
    }
  }

  @Test func `B49 A refresh by the same manager, over a single connection, waits for nobody`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/refresh" ? .json(#"{"token": "new"}"#) : try guardedByToken(request)
    }) { server in
      struct Answer: Decodable { var token: String }
      let configuration = quietConfiguration()
      configuration.httpMaximumConnectionsPerHost = 1
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.bearerAuthentication = AFBearerAuthentication(token: .init("old")) { [weak manager] _ in
        guard let manager else { throw CancellationError() }
        let answer: Answer = try await manager.post("refresh")
        return .init(answer.token)
      }
      for result in await manager.twenty() { #expect(result.status == 200) }
      let refreshes = server.requests.filter { $0.path == "/refresh" }
      #expect(refreshes.count == 1)
      #expect(refreshes.first?.value("Authorization") == nil)
    }
  }

  @Test func `B49 A refresh that is itself refused, or that waits for itself elsewhere, ends with an error`()
    async throws
  {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.bearerAuthentication = AFBearerAuthentication(token: .init("old"), timeout: 0.3) { [weak manager] _ in
        guard let manager else { throw CancellationError() }
        _ = try await manager.get("refresh")
        return .init("never")
      }
      let refused = try await failure { _ = try await manager.get("a") }
      #expect((refused.cause as? AFError)?.statusCode == 401)
      #expect(server.requests.map(\.path) == ["/a", "/refresh"])
      // A detached task does not know that it belongs to the refresh.
      manager.bearerAuthentication = AFBearerAuthentication(token: .init("old"), timeout: 0.3) { [weak manager] _ in
        try await Task.detached { _ = try await manager?.get("refresh") }.value
        return .init("never")
      }
      let hung = try await failure { _ = try await manager.get("b") }
      #expect(hung.cause as? AFBearerAuthenticationError == .timedOut)
    }
  }

  @Test func `B49 The server refuses the new token too: bounded, a typed error with the response`() async throws {
    try await withTestServer(handler: { request in
      _ = try request.body()
      return .text("no", status: 401)
    }) { server in
      let source = TokenSource()
      let manager = AFHTTPSessionManager.make(server, AFBearerAuthentication(token: .init("old")) { source.next($0) })
      let asked = Recorder<Bool>()
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        asked.record(true)
        return URLCredential(user: "u", password: "p", persistence: .none)
      }
      for result in await manager.twenty() {
        let error = try #require(result.error)
        #expect(error.cause as? AFBearerAuthenticationError == .refused)
        #expect(error.statusCode == 401)
        #expect(error.data == Data("no".utf8))
      }
      for number in 0..<20 { #expect(server.requests.filter { $0.path == "/\(number)" }.count <= 3) }
      #expect(asked.count == 0)
    }
  }

  @Test func `B49 The refresh fails: twenty times its error, one refresh; the next request tries again`() async throws {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let source = TokenSource()
      let fails = Locked(true)
      let manager = AFHTTPSessionManager.make(
        server,
        AFBearerAuthentication(token: .init("old")) { current in
          let token = source.next(current)
          guard fails.withLock({ $0 }) else { return token }
          // A request that is sent after a refresh has failed begins another.
          try await eventually("all are refused") { server.requestCount == 20 }
          throw RefreshFailed()
        })
      for result in await manager.twenty() {
        let error = try #require(result.error)
        #expect(error.cause is RefreshFailed)
      }
      #expect(source.count == 1)
      fails.withLock { $0 = false }
      #expect(try await manager.get("again").statusCode == 200)
      #expect(source.count == 2)
    }
  }

  @Test func `B49 Cancelling one waiter leaves the others; cancelling all cancels the refresh`() async throws {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let source = TokenSource()
      let begun = Recorder<Int>()
      let cancelled = Recorder<Int>()
      let isOpen = Locked(false)
      let manager = AFHTTPSessionManager.make(
        server,
        AFBearerAuthentication(token: .init("old")) { current in
          let token = source.next(current)
          begun.record(source.count)
          do {
            try await eventually { isOpen.withLock { $0 } }
          } catch is CancellationError {
            cancelled.record(source.count)
            throw CancellationError()
          }
          return token
        })
      let calls = (0..<20).map { number in Task { try await manager.get("\(number)").statusCode } }
      try await begun.wait(for: 1)
      calls[7].cancel()
      let gone = try await failure { _ = try await calls[7].value }
      #expect(gone.isCancelled)
      isOpen.withLock { $0 = true }
      for (number, call) in calls.enumerated() where number != 7 { #expect(try await call.value == 200) }
      #expect(source.count == 1)
      #expect(cancelled.count == 0)
      // All of them.
      isOpen.withLock { $0 = false }
      manager.bearerAuthentication?.token = .init("old")
      let doomed = (0..<3).map { number in Task { try await manager.get("d\(number)").statusCode } }
      try await begun.wait(for: 2)
      try await eventually("all are refused") { server.requests.count { $0.path.hasPrefix("/d") } == 3 }
      for call in doomed { call.cancel() }
      try await cancelled.wait(for: 1)
      for call in doomed {
        let gone = try await failure { _ = try await call.value }
        #expect(gone.isCancelled)
      }
      // One that learns of its refusal after the others were cancelled begins a refresh of its own; that is cancelled with it.
      let refreshes = source.count
      try await eventually("every refresh but the first is cancelled") { cancelled.count == refreshes - 1 }
      isOpen.withLock { $0 = true }
      #expect(try await manager.get("after").statusCode == 200)
      #expect(source.count == refreshes + 1)
    }
  }

  @Test func `B49 Every kind of task repeats: upload, form, file, download, stream`() async throws {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let folder = try TemporaryDirectory()
      let file = folder.url.appendingPathComponent("body")
      try Data("from a file".utf8).write(to: file)
      func check(_ path: String, _ body: String?, _ call: (AFHTTPSessionManager) async throws -> Data) async throws {
        let source = TokenSource()
        let manager = AFHTTPSessionManager.make(server, AFBearerAuthentication(token: .init("old")) { source.next($0) })
        #expect(try await call(manager) == Data("in".utf8), "\(path)")
        #expect(source.count == 1)
        let requests = server.requests.filter { $0.path == "/\(path)" }
        #expect(requests.map { $0.value("Authorization") } == ["Bearer old", "Bearer new1"], "\(path)")
        if let body { #expect(requests.allSatisfy { $0.bodyText.contains(body) }, "\(path)") }
      }
      func post(_ path: String) -> URLRequest {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = "POST"
        return request
      }
      try await check("data", "hello") { try await $0.upload(for: post("data"), from: Data("hello".utf8)).data }
      try await check("file", "from a file") { try await $0.upload(for: post("file"), fromFile: file).data }
      try await check("form", "value") { manager in
        try await manager.post("form", constructingBodyWith: { $0.appendPart(withForm: Data("value".utf8), name: "f") })
          .data
      }
      try await check("download", nil) { manager in
        let target = folder.url.appendingPathComponent("got")
        _ = try await manager.download("download", to: target)
        return try Data(contentsOf: target)
      }
      try await check("stream", nil) { manager in
        try await manager.stream(for: URLRequest(url: server.url("stream"))).reduce(into: Data()) { $0.append($1) }
      }
    }
  }

  @Test func `B49 Over HTTP/2 too, on one connection`() async throws {
    let authority = try TestAuthority.make()
    let server = try TestHTTP2Server(identity: try authority.issue(names: ["localhost"])) { stream in
      stream.number < 2 ? .status(401) : .ok("in")
    }
    let source = TokenSource()
    let manager = AFHTTPSessionManager(
      baseURL: server.url(host: "localhost"), sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = try .trusting(authority.certificate)
    manager.bearerAuthentication = AFBearerAuthentication(token: .init("old")) { source.next($0) }
    async let first = manager.post("a", parameters: ["k": "v"]).data
    async let second = manager.get("b").data
    #expect(try await [first, second] == [Data("in".utf8), Data("in".utf8)])
    #expect(source.count == 1)
    #expect(server.streams.count == 4)
    #expect(server.acceptCount == 1)
    try server.stop()
  }

  @Test func `B49 A stream that can be read once ends with a typed error; a new one is asked for`() async throws {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let source = TokenSource()
      let manager = AFHTTPSessionManager.make(server, AFBearerAuthentication(token: .init("old")) { source.next($0) })
      var request = URLRequest(url: server.url("a"))
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: Data("once".utf8))
      let spent = try await failure { _ = try await manager.upload(withStreamedRequest: request) }
      #expect(spent.urlError?.code == .requestBodyStreamExhausted)
      manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: Data("once".utf8)) }
      request.httpBodyStream = InputStream(data: Data("once".utf8))
      #expect(try await manager.upload(withStreamedRequest: request).statusCode == 200)
      #expect(server.requests.last?.bodyText == "once")
    }
  }
}
