import AFCore
import AFSecurity
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Where the streams of streamed uploads come from.
@Suite struct BodyStreamTests {
  private static func answer(_ request: TestRequest) throws -> TestResponse {
    _ = try request.body()
    return switch request.path {
    case "/307": .redirect(307, to: "/end")
    case "/308": .redirect(308, to: "/end")
    case "/401" where request.value("Authorization") == nil:
      TestResponse(401).with("WWW-Authenticate", #"Basic realm="r""#)
    default: .text("end")
    }
  }

  private func post(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    return request
  }

  /// Gives "stream 1", "stream 2", …
  private func numbered(_ asked: Recorder<Int>) -> @Sendable (AFURLSession, AFURLSessionTask) -> InputStream {
    { _, _ in
      asked.record(asked.count + 1)
      return InputStream(data: Data("stream \(asked.count)".utf8))
    }
  }

  @Test func `AF-X050 The block gives the first stream, with or without one in the request`() async throws {
    try await withTestServer(handler: { try Self.answer($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let asked = Recorder<Int>()
      manager.setTaskNeedNewBodyStreamBlock(numbered(asked))
      _ = try await manager.upload(withStreamedRequest: post(server.url("async")))
      let done = Recorder<Completion>()
      manager.uploadTask(
        withStreamedRequest: post(server.url("task")), progress: nil, completionHandler: done.handler
      ).resume()
      try await done.wait(for: 1)
      #expect(done.first?.error == nil)
      var own = post(server.url("own"))
      own.httpBodyStream = InputStream(data: Data("own".utf8))
      _ = try await manager.upload(withStreamedRequest: own)
      #expect(server.requests.map(\.bodyText) == ["stream 1", "stream 2", "stream 3"])
      // Other uploads have their body.
      _ = try await manager.upload(for: post(server.url("data")), from: Data("data".utf8))
      #expect(server.requests.last?.bodyText == "data")
      #expect(asked.count == 3)
    }
  }

  @Test(arguments: ["307", "308", "401"])
  func `AF-X050 A redirect or a challenge asks again, once each`(path: String) async throws {
    try await withTestServer(handler: { try Self.answer($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        URLCredential(user: "u", password: "p", persistence: .none)
      }
      let asked = Recorder<Int>()
      manager.setTaskNeedNewBodyStreamBlock(numbered(asked))
      let response = try await manager.upload(withStreamedRequest: post(server.url(path)))
      #expect(response.data == Data("end".utf8))
      #expect(server.requests.map(\.bodyText) == ["stream 1", "stream 2"])
      #expect(asked.count == 2)
    }
  }

  @Test func `AF-X050 An overridden method is asked, and nil leaves the first stream to the request`() async throws {
    final class Mine: AFHTTPSessionManager, @unchecked Sendable {
      // Unchecked because its superclass is; it stores a constant.
      let asked = Recorder<Int>()

      override func urlSession(
        _ session: AFURLSession, task: AFURLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
      ) {
        asked.record(1)
        let wants = task.originalRequest?.url?.path != "/nil"
        DispatchQueue.global().async { completionHandler(wants ? InputStream(data: Data("mine".utf8)) : nil) }
      }
    }
    try await withTestServer(handler: { try Self.answer($0) }) { server in
      let manager = Mine(baseURL: server.url(), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      _ = try await manager.upload(withStreamedRequest: post(server.url("a")))
      var own = post(server.url("nil"))
      own.httpBodyStream = InputStream(data: Data("own".utf8))
      _ = try await manager.upload(withStreamedRequest: own)
      let none = try await failure { _ = try await manager.upload(withStreamedRequest: post(server.url("nil"))) }
      #expect(none.urlError?.code == .requestBodyStreamExhausted)
      #expect(server.requests.map(\.bodyText) == ["mine", "own"])
      #expect(manager.asked.count == 3)
    }
  }

  @Test func `A streamed upload without a stream is an error, and nothing is sent`() async throws {
    try await withTestServer(handler: { try Self.answer($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let none = try await failure { _ = try await manager.upload(withStreamedRequest: post(server.url("a"))) }
      #expect(none.urlError?.code == .requestBodyStreamExhausted)
      // Nobody answers: the request's timeout ends it, and cancelling does at once.
      final class Silent: AFHTTPSessionManager, @unchecked Sendable {
        // Unchecked because its superclass is; it stores a constant.
        let asked = Recorder<Int>()

        override func urlSession(
          _ session: AFURLSession, task: AFURLSessionTask,
          needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) { asked.record(1) }
      }
      let silent = Silent(baseURL: server.url(), sessionConfiguration: quietConfiguration())
      var request = post(server.url("a"))
      request.timeoutInterval = 0.2
      let hasty = request
      let late = try await failure { _ = try await silent.upload(withStreamedRequest: hasty) }
      #expect(late.isTimeout)
      let call = Task { try await silent.upload(withStreamedRequest: post(server.url("a"))) }
      try await silent.asked.wait(for: 2)
      call.cancel()
      let gone = try await failure { _ = try await call.value }
      #expect(gone.isCancelled)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `A stream that can be read once survives the question about a TLS server`() async throws {
    let authority = try TestAuthority.make()
    let tls = TestTLS(try authority.issue(names: ["localhost"]))
    try await withTestServer(.init(tls: tls), handler: { try Self.answer($0) }) { server in
      let manager = AFHTTPSessionManager(
        baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.securityPolicy = try .trusting(authority.certificate)
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      var request = post(server.url("a", host: "localhost"))
      request.httpBodyStream = InputStream(data: Data("once".utf8))
      _ = try await manager.upload(withStreamedRequest: request)
      #expect(server.requests.map(\.bodyText) == ["once"])
    }
  }
}
