import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Whom a token goes to, when it is renewed, and where it does not show.
@Suite struct BearerTests {
  @Test func `B49 The token goes to its origins alone, and to nobody after a redirect`() async throws {
    let other = try TestServer { request in
      request.path == "/back" ? .redirect(307, to: request.query ?? "") : .text("other")
    }
    try await withTestServer(handler: { request in
      switch request.path {
      case "/same": .redirect(to: "/end")
      case "/other": .redirect(to: other.url("x").absoluteString)
      default: .text("end")
      }
    }) { server in
      let source = TokenSource()
      let bearer = AFBearerAuthentication(token: .init("new")) { source.next($0) }
      let manager = AFHTTPSessionManager.make(server, bearer)
      _ = try await manager.get("same")
      #expect(server.requests.map { $0.value("Authorization") } == ["Bearer new", "Bearer new"])
      _ = try await manager.get("other")
      _ = try await manager.get(other.url("direct").absoluteString)
      #expect(other.requests.map { $0.value("Authorization") } == [nil, nil])
      // There and back again: what has left does not return.
      _ = try await manager.get(other.url("back").absoluteString + "?" + server.url("end").absoluteString)
      #expect(server.requests.last?.path == "/end")
      #expect(server.requests.last?.value("Authorization") == nil)
      // Its own field, and the configuration's, come first.
      _ = try await manager.get("own", headers: ["authorization": "Mine x"])
      #expect(server.requests.last?.value("Authorization") == "Mine x")
      let configuration = quietConfiguration()
      configuration.httpAdditionalHeaders = ["Authorization": "Theirs y"]
      let configured = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      configured.responseSerializer = AFHTTPResponseSerializer()
      configured.bearerAuthentication = bearer
      _ = try await configured.get("configured")
      #expect(server.requests.last?.value("Authorization") == "Theirs y")
      // Origins by name; a manager without a base URL has none of its own.
      let plain = AFURLSessionManager(sessionConfiguration: quietConfiguration())
      plain.responseSerializer = AFHTTPResponseSerializer()
      plain.bearerAuthentication = bearer
      _ = try await plain.data(for: URLRequest(url: server.url("nowhere")))
      #expect(server.requests.last?.value("Authorization") == nil)
      plain.bearerAuthentication = AFBearerAuthentication(token: .init("new"), origins: [other.url()]) { _ in
        .init("unused")
      }
      _ = try await plain.data(for: URLRequest(url: other.url("named")))
      #expect(other.requests.last?.value("Authorization") == "Bearer new")
      _ = try await plain.data(for: URLRequest(url: server.url("unnamed")))
      #expect(server.requests.last?.value("Authorization") == nil)
      #expect(source.count == 0)
    }
    try other.stop()
  }

  @Test func `B49 A token for https never goes over http`() async throws {
    try await withTestServer(handler: { _ in .text("plain") }) { server in
      var secure = URLComponents(url: server.url(), resolvingAgainstBaseURL: true)
      secure?.scheme = "https"
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.bearerAuthentication = AFBearerAuthentication(token: .init("t"), origins: [try #require(secure?.url)]) {
        _ in
        .init("unused")
      }
      _ = try await manager.get("a")
      #expect(server.requests.first?.value("Authorization") == nil)
    }
  }

  @Test func `A token is renewed before it ends; the present one does if that fails in time`() async throws {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let clock = Locked(Date(timeIntervalSince1970: 1000))
      let fails = Locked(false)
      let source = TokenSource()
      let bearer = AFBearerAuthentication(
        token: .init("new0", expiration: Date(timeIntervalSince1970: 1100)), leeway: 10, now: { clock.withLock { $0 } }
      ) { current in
        var token = source.next(current)
        if fails.withLock({ $0 }) { throw RefreshFailed() }
        token.expiration = clock.withLock { $0 } + 100
        return token
      }
      let manager = AFHTTPSessionManager.make(server, bearer)
      _ = try await manager.get("a")
      #expect(source.count == 0)
      clock.withLock { $0 += 95 }
      for result in await manager.twenty() { #expect(result.status == 200) }
      #expect(source.count == 1)
      #expect(server.requests.dropFirst().allSatisfy { $0.value("Authorization") == "Bearer new1" })
      clock.withLock { $0 += 95 }
      fails.withLock { $0 = true }
      _ = try await manager.get("b")
      #expect(server.requests.last?.value("Authorization") == "Bearer new1")
      clock.withLock { $0 += 10 }
      let error = try await failure { _ = try await manager.get("c") }
      #expect(error.cause is RefreshFailed)
      #expect(server.requests.last?.path == "/b")
    }
  }

  @Test func `A manager without a token asks for one; a malformed one is an error that does not show it`() async throws
  {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let source = TokenSource()
      let manager = AFHTTPSessionManager.make(server, AFBearerAuthentication { source.next($0) })
      _ = try await manager.get("a")
      #expect(server.requests.map { $0.value("Authorization") } == ["Bearer new1"])
      for bad in ["", "a b", "a\r\nX: y", "é"] {
        manager.bearerAuthentication = AFBearerAuthentication(token: .init(bad)) { _ in .init(bad) }
        let error = try await failure { _ = try await manager.get("bad") }
        #expect(error.cause as? AFBearerAuthenticationError == .malformedToken)
      }
      #expect(server.requests.count == 1)
    }
  }

  @Test func `Nothing that is printed shows a token`() async throws {
    try await withTestServer(handler: { _ in .text("no", status: 401) }) { server in
      let bearer = AFBearerAuthentication(token: .init("s3cret", expiration: Date() + 1000)) { _ in .init("s3cret") }
      let manager = AFHTTPSessionManager.make(server, bearer)
      let error = try await failure { _ = try await manager.get("a") }
      var dumped = ""
      dump(bearer, to: &dumped)
      dump(bearer.token, to: &dumped)
      dump(manager, to: &dumped)
      dump(error, to: &dumped)
      for text in [
        dumped, "\(bearer)", "\(String(describing: bearer.token))", "\(String(reflecting: bearer.token))", "\(error)",
        error.localizedDescription, "\(error.userInfo)", "\(String(describing: error.request?.allHTTPHeaderFields))",
      ] {
        #expect(!text.contains("s3cret"))
      }
      #expect(server.requests.first?.value("Authorization") == "Bearer s3cret")
    }
  }

  @Test func `Closures are told the same`() async throws {
    try await withTestServer(handler: { try guardedByToken($0) }) { server in
      let source = TokenSource()
      let manager = AFHTTPSessionManager.make(server, AFBearerAuthentication(token: .init("old")) { source.next($0) })
      let outcome = Recorder<Int?>()
      manager.get("a", success: { task, _ in outcome.record((task.response as? HTTPURLResponse)?.statusCode) }) {
        _, _ in
        outcome.record(nil)
      }
      try await outcome.wait(for: 1)
      #expect(outcome.values == [200])
      manager.bearerAuthentication = AFBearerAuthentication(token: .init("old")) { _ in throw RefreshFailed() }
      let errors = Recorder<any Error>()
      manager.get("b", success: nil) { _, error in errors.record(error) }
      try await errors.wait(for: 1)
      #expect(errors.first is RefreshFailed)
    }
  }
}
