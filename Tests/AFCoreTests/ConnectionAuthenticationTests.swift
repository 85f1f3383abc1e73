import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// NTLM and Negotiate, which authenticate a connection and not a request.
@Suite struct ConnectionAuthenticationTests {
  /// Plays the server's half, and remembers on which connection each message came.
  private final class NTLMServer: Sendable {
    let messages = Recorder<String>()
    private let started = Locked<Set<Int>>([])

    func answer(_ request: TestRequest) throws -> TestResponse {
      _ = try request.body()
      let connection = request.connection.index
      let refusal = TestResponse(401)
      switch TestNTLM.message(in: request.value("Authorization")) {
      case .none:
        messages.record("none")
        return refusal.with("WWW-Authenticate", "NTLM").with("WWW-Authenticate", #"Basic realm="r""#)
      case .negotiate:
        messages.record("1")
        started.withLock { _ = $0.insert(connection) }
        return refusal.with("WWW-Authenticate", TestNTLM.challenge)
      case .authenticate(let user, let proof) where proof >= 24:
        let isSame = started.withLock { $0.contains(connection) }
        messages.record("3 by \(user), \(isSame ? "same" : "other") connection")
        return user == "ada" && isSame ? .text("in") : refusal.with("WWW-Authenticate", "NTLM")
      case .authenticate, .malformed:
        messages.record("malformed")
        return refusal
      }
    }
  }

  @Test func `NTLM: three messages, the last two on one connection, and no password in a field`() async throws {
    let ntlm = NTLMServer()
    try await withTestServer(handler: { try ntlm.answer($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let methods = Recorder<String>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        methods.record(challenge.protectionSpace.authenticationMethod)
        return URLCredential(user: "ada", password: "s3cret", persistence: .none)
      }
      let response = try await manager.post("a", parameters: ["k": "v"])
      #expect(response.data == Data("in".utf8))
      // Of what is offered, Digest and NTLM come before Basic.
      #expect(methods.values == [NSURLAuthenticationMethodNTLM])
      #expect(ntlm.messages.values == ["none", "1", "3 by ada, same connection"])
      #expect(server.requests.last?.bodyText == "k=v")
      let basic = Data("ada:s3cret".utf8).base64EncodedString()
      #expect(server.requests.allSatisfy { $0.value("Authorization")?.contains(basic) != true })
    }
  }

  @Test func `F23 NTLM: refused credentials are counted and not sent again, and the 401 is the result`() async throws {
    let ntlm = NTLMServer()
    try await withTestServer(handler: { try ntlm.answer($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let counts = Recorder<Int>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        counts.record(challenge.previousFailureCount)
        return URLCredential(user: "eve", password: "guess", persistence: .none)
      }
      let refused = try await failure { _ = try await manager.get("a") }
      #expect(refused.statusCode == 401)
      #expect(counts.values == Array(0..<10))
      #expect(server.requests.count <= 4)
    }
  }

  @Test func `The session's challenge block is asked before the task's handler, and replaces it`() async throws {
    let ntlm = NTLMServer()
    try await withTestServer(handler: { try ntlm.answer($0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let asked = Recorder<String>()
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        asked.record("task")
        return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      manager.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
        asked.record(challenge.protectionSpace.authenticationMethod)
        credential?.pointee = URLCredential(user: "ada", password: "s3cret", persistence: .none)
        return .useCredential
      }
      let response = try await manager.get("a")
      #expect(response.data == Data("in".utf8))
      #expect(asked.values == [NSURLAuthenticationMethodNTLM])
    }
  }

  @Test(arguments: [false, true])
  func `NTLM to a proxy, for a plain request and for a tunnel`(isSecure: Bool) async throws {
    let authority = try TestAuthority.make()
    let messages = Recorder<String>()
    var options = TestProxy.Options()
    options.challenge = { head in
      let refusal = TestResponse(407)
      switch TestNTLM.message(in: head.value("Proxy-Authorization")) {
      case .authenticate(user: "ada", _):
        messages.record("3")
        return nil
      case .negotiate:
        messages.record("1")
        return refusal.with("Proxy-Authenticate", TestNTLM.challenge)
      default:
        messages.record("none")
        return refusal.with("Proxy-Authenticate", "NTLM")
      }
    }
    let proxy = try TestProxy(options)
    let tls = isSecure ? TestTLS(try authority.issue(names: ["localhost"])) : nil
    try await withTestServer(.init(tls: tls), handler: { _ in .text("reached") }) { server in
      let manager = AFHTTPSessionManager(
        baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.securityPolicy = try .trusting(authority.certificate)
      manager.transportOptions.proxy = .init(url: proxy.url.absoluteString)
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        challenge.protectionSpace.isProxy()
          ? URLCredential(user: "ada", password: "s3cret", persistence: .none)
          : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      let response = try await manager.get("a")
      #expect(response.data == Data("reached".utf8))
      #expect(messages.values.prefix(3) == ["none", "1", "3"])
      #expect(server.requests.allSatisfy { $0.value("Proxy-Authorization") == nil })
    }
    try proxy.stop()
  }

  @Test func `Negotiate without a ticket, offered or declined, ends with the 401 and does not hang`() async throws {
    try await withTestServer(handler: { _ in
      TestResponse(401, body: .bytes(Array("no".utf8))).with("WWW-Authenticate", "Negotiate")
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let methods = Recorder<String>()
      for answers in [true, false] {
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
          methods.record(challenge.protectionSpace.authenticationMethod)
          return answers
            ? URLCredential(user: "ada", password: "s3cret", persistence: .none)
            : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
        }
        let refused = try await failure { _ = try await manager.get("a") }
        #expect(refused.statusCode == 401)
        #expect(refused.data == Data("no".utf8))
      }
      #expect(Set(methods.values) == [NSURLAuthenticationMethodNegotiate])
      #expect(server.requests.count <= 4)
    }
  }
}
