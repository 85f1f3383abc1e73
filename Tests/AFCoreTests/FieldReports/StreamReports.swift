import AFCore
import AFSecurity
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Streams that an HTTP/2 server refuses, and connections that it says goodbye on.
@Suite struct StreamReports {
  private let authority: TestAuthority

  init() throws { authority = try TestAuthority.make() }

  private func withServer(
    _ answer: @escaping @Sendable (TestHTTP2Server.Stream) -> TestHTTP2Server.Answer,
    _ body: (TestHTTP2Server, AFHTTPSessionManager) async throws -> Void
  ) async throws {
    let server = try TestHTTP2Server(identity: try authority.issue(names: ["localhost"]), answer: answer)
    let manager = AFHTTPSessionManager(
      baseURL: server.url(host: "localhost"), sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = try .trusting(authority.certificate)
    try await body(server, manager)
    try server.stop()
  }

  private func call(_ method: String, _ manager: AFHTTPSessionManager) async throws -> Data {
    try await method == "GET" ? manager.get("a").data : manager.post("a", parameters: ["k": "v"]).data
  }

  @Test(arguments: ["GET", "POST"])
  func `B32 A refused stream is tried once more, also a POST`(method: String) async throws {
    try await withServer({ $0.number == 0 ? .reset(code: 7) : .ok("fine") }) { server, manager in
      let data = try await call(method, manager)
      #expect(data == Data("fine".utf8))
      #expect(server.streams.count == 2)
    }
  }

  @Test(arguments: ["GET", "POST"])
  func `B32 A server that refuses always is asked twice at most`(method: String) async throws {
    try await withServer({ _ in .reset(code: 7) }) { server, manager in
      let error = try await failure { _ = try await call(method, manager) }
      #expect(error.urlError?.code == .networkConnectionLost)
      #expect(error.urlError?.failingURL == server.url("a", host: "localhost"))
      #expect(server.streams.count <= 2)
    }
  }

  @Test func `B32 INTERNAL_ERROR on a POST is an error after one try`() async throws {
    try await withServer({ _ in .resetAfterBody(code: 2) }) { server, manager in
      let error = try await failure { _ = try await call("POST", manager) }
      #expect(error.urlError?.code == .networkConnectionLost)
      #expect(server.streams.count == 1)
    }
  }

  @Test(arguments: ["GET", "POST"])
  func `B32 GOAWAY before the request was handled: it succeeds on a new connection`(method: String) async throws {
    try await withServer({ $0.number == 0 ? .goAway(last: 0) : .ok("fine") }) { server, manager in
      let data = try await call(method, manager)
      #expect(data == Data("fine".utf8))
      #expect(server.streams.count == 2)
      #expect(server.acceptCount == 2)
    }
  }
}
