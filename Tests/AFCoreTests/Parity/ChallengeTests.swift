import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Who answers authentication challenges, and what their answers do.
@Suite struct ChallengeTests {
  private static func protected(_ request: TestRequest) -> TestResponse {
    request.value("Authorization") == "Basic " + Data("u:p".utf8).base64EncodedString()
      ? .json("{}")
      : TestResponse(
        401, headers: [("WWW-Authenticate", #"Basic realm="r""#)], body: .bytes(Array("no".utf8)))
  }

  @Test func `AF-X051 Every outcome of the task's challenge handler`() async throws {
    struct Mine: Error {}
    try await withTestServer(handler: { Self.protected($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      func call(_ answer: @escaping @Sendable () -> Any) async throws -> AFError {
        manager.setAuthenticationChallengeHandler { _, _, _, _ in answer() }
        return try await failure { _ = try await manager.get("a") }
      }
      let error = try await call { NSError(domain: "mine", code: 9) }
      #expect(error.domain == "mine" && error.code == 9)
      let cancelled = try await call {
        NSNumber(value: AFURLSession.AuthChallengeDisposition.cancelAuthenticationChallenge.rawValue)
      }
      #expect(cancelled.isCancelled)
      for disposition in [AFURLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace] {
        let refused = try await call { NSNumber(value: disposition.rawValue) }
        #expect(refused.statusCode == 401)
        #expect(refused.data == Data("no".utf8))
      }
      let nonsense = try await call { "what" }
      #expect(nonsense.cause is AFChallengeHandlerError)
      #expect(nonsense.localizedDescription.hasPrefix("Invalid Return Value"))
      manager.setAuthenticationChallengeHandler { _, _, _, completion in
        DispatchQueue.global().async {
          completion(.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        }
        return NSNull()
      }
      _ = try await manager.get("later")
    }
  }

  @Test func `B42 F23 Without credentials the 401 is the result; wrong ones are tried once`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/bare" ? .text("no", status: 401) : Self.protected(request)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let none = try await failure { _ = try await manager.get("a") }
      #expect(none.statusCode == 401)
      #expect(none.data == Data("no".utf8))
      #expect(server.requests.count == 1)
      let bare = try await failure { _ = try await manager.get("bare") }
      #expect(bare.statusCode == 401)
      let asked = Recorder<Int>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        asked.record(challenge.previousFailureCount)
        return URLCredential(user: "u", password: "wrong", persistence: .none)
      }
      let wrong = try await failure { _ = try await manager.get("wrong") }
      #expect(wrong.statusCode == 401)
      #expect(server.requests.filter { $0.path == "/wrong" }.count == 2)
      // A handler that gives the same again is asked again, but nothing is sent.
      #expect(asked.values == Array(0..<10))
      // Nobody answers: the request's timeout ends it.
      manager.setAuthenticationChallengeHandler { _, _, _, _ in NSNull() }
      manager.requestSerializer.timeoutInterval = 0.3
      let silent = try await failure { _ = try await manager.get("silent") }
      #expect(silent.isTimeout)
    }
  }

  @Test func `AF-X051 The session's challenge block replaces the policy, and holds for later connections`() async throws
  {
    let authority = try TestAuthority.make()
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in
      var response = TestResponse.json("{}")
      response.closes = true
      return response
    }
    func make() -> AFHTTPSessionManager {
      AFHTTPSessionManager(baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    }
    let accepting = make()
    let asked = Recorder<String>()
    accepting.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
      asked.record(challenge.protectionSpace.authenticationMethod)
      guard let trust = challenge.protectionSpace.serverTrust else { return .performDefaultHandling }
      credential?.pointee = URLCredential(trust: trust)
      return .useCredential
    }
    for _ in 0..<3 { _ = try await accepting.get("a") }
    #expect(asked.values == ["NSURLAuthenticationMethodServerTrust"])
    let refusing = make()
    refusing.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .cancelAuthenticationChallenge }
    let cancelled = try await failure { _ = try await refusing.get("a") }
    #expect(cancelled.isCancelled)
    let byDefault = make()
    byDefault.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .performDefaultHandling }
    let untrusted = try await failure { _ = try await byDefault.get("a") }
    #expect(untrusted.urlError?.code == .serverCertificateUntrusted)
    try server.stop()
  }

  @Test func `AF-X052 A task's handler for TLS servers: raw error for the block, its own for the completion`()
    async throws
  {
    let authority = try TestAuthority.make()
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .json("{}") }
    let manager = AFHTTPSessionManager(
      baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    let raw = Recorder<Int>()
    manager.setTaskDidComplete { _, _, error in raw.record((error as? URLError)?.errorCode ?? 0) }
    manager.setAuthenticationChallengeHandler { _, _, _, _ in
      NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
    }
    let refused = try await failure { _ = try await manager.get("a") }
    #expect(refused.urlError?.code == .serverCertificateUntrusted)
    try await raw.wait(for: 1)
    #expect(raw.values == [URLError.cancelled.rawValue])
    manager.securityPolicy = try .trusting(authority.certificate)
    _ = try await manager.get("a")
    try server.stop()
  }

  @Test func `A policy of the user's own is asked without holding up the engine`() async throws {
    final class Mine: AFSecurityPolicy, @unchecked Sendable {
      // Unchecked because its superclass is; it stores a constant.
      let asked = Recorder<String?>()

      override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
        asked.record(domain)
        return domain == "localhost"
      }
    }
    let authority = try TestAuthority.make()
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .json("{}") }
    let policy = Mine()
    let manager = AFURLSessionManager(sessionConfiguration: quietConfiguration())
    manager.securityPolicy = policy
    _ = try await manager.data(for: URLRequest(url: server.url("a", host: "localhost")))
    let refused = try await failure { _ = try await manager.data(for: URLRequest(url: server.url("a"))) }
    #expect(refused.urlError?.code == .serverCertificateUntrusted)
    #expect(policy.asked.values == ["localhost", "127.0.0.1"])
    try server.stop()
  }
}
