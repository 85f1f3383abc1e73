import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// B88, F18, F19: what one origin was told is told to no other, wherever a redirect leads.
@Suite struct ChallengeRedirectTests {
  enum Scheme: String, CaseIterable, Sendable {
    case basic, digest, ntlm

    var challenge: String {
      switch self {
      case .basic: #"Basic realm="REALM""#
      case .digest: #"Digest realm="REALM", nonce="n0nce", qop="auth""#
      case .ntlm: "NTLM"
      }
    }

    /// Who a field says that it is; nil if it does not answer, and a message on the way to an answer is "?".
    func user(_ field: String?) -> String? {
      guard let field else { return nil }
      switch self {
      case .basic:
        let text = Data(base64Encoded: String(field.dropFirst(6))).map { String(decoding: $0, as: UTF8.self) }
        return text.map { String($0.prefix { $0 != ":" }) } ?? "?"
      case .digest:
        guard let start = field.range(of: "username=\"") else { return "?" }
        return String(field[start.upperBound...].prefix { $0 != "\"" })
      case .ntlm:
        if case .authenticate(let user, _) = TestNTLM.message(in: field) { return user }
        return "?"
      }
    }

    /// Asks with 401 until `user` has answered, and then answers with `then`.
    func guarded(
      _ request: TestRequest, _ user: String, realm: String, then: () throws -> TestResponse
    ) throws -> TestResponse {
      _ = try request.body()
      let field = request.value("Authorization")
      if self.user(field) == user { return try then() }
      var challenge = challenge.replacingOccurrences(of: "REALM", with: realm)
      if self == .ntlm, TestNTLM.message(in: field) == .negotiate { challenge = TestNTLM.challenge }
      return TestResponse(401, headers: [("WWW-Authenticate", challenge)], body: .bytes(Array("no".utf8)))
    }
  }

  private static func space(_ server: TestServer, _ realm: String, _ scheme: Scheme) -> URLProtectionSpace {
    URLProtectionSpace(
      host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: scheme == .ntlm ? nil : realm,
      authenticationMethod: NSURLAuthenticationMethodDefault)
  }

  /// A asks and leads to B, which asks too. `body` gets both and a manager for A, and the storage that it looks at.
  private func withBoth(
    _ scheme: Scheme, status: Int = 302,
    _ body: (TestServer, TestServer, AFHTTPSessionManager, URLCredentialStorage) async throws -> Void
  ) async throws {
    let b = try TestServer { request in
      let back = request.query
      return try scheme.guarded(request, "b-user", realm: "y") {
        back.map { .redirect(status, to: $0) } ?? .text("b got \(request.bodyCount)")
      }
    }
    let a = try TestServer { request in
      try scheme.guarded(request, "a-user", realm: "x") {
        request.path == "/end" ? .text("a got \(request.bodyCount)") : .redirect(status, to: request.query ?? "")
      }
    }
    let configuration = quietConfiguration()
    let storage = URLCredentialStorage()
    configuration.urlCredentialStorage = storage
    let manager = AFHTTPSessionManager(baseURL: a.url(), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    try await body(a, b, manager, storage)
    try a.stop()
    try b.stop()
  }

  private static func credential(_ user: String) -> URLCredential {
    URLCredential(user: user, password: "s3cret", persistence: .forSession)
  }

  @Test(arguments: Scheme.allCases, [false, true])
  func `B88 B hears nothing of A's credentials, by handler or storage`(scheme: Scheme, usesStorage: Bool) async throws {
    try await withBoth(scheme) { a, b, manager, storage in
      let counts = Recorder<[Int]>()
      if usesStorage {
        storage.setDefaultCredential(Self.credential("a-user"), for: Self.space(a, "x", scheme))
      } else {
        let port = Int(a.port)
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
          counts.record([challenge.protectionSpace.port, challenge.previousFailureCount])
          return challenge.protectionSpace.port == port
            ? Self.credential("a-user")
            : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
        }
      }
      let refused = try await failure { _ = try await manager.get("start?\(b.url("b").absoluteString)") }
      #expect(refused.statusCode == 401)
      #expect(refused.data == Data("no".utf8))
      #expect(b.requests.map { $0.value("Authorization") } == [nil])
      if !usesStorage { #expect(counts.values == [[Int(a.port), 0], [Int(b.port), 0]]) }
    }
  }

  @Test(arguments: Scheme.allCases, [302, 307])
  func `B88 F19 B is answered with its own credentials, and the body comes whole`(scheme: Scheme, status: Int)
    async throws
  {
    try await withBoth(scheme, status: status) { a, b, manager, storage in
      storage.setDefaultCredential(Self.credential("a-user"), for: Self.space(a, "x", scheme))
      storage.setDefaultCredential(Self.credential("b-user"), for: Self.space(b, "y", scheme))
      var request = URLRequest(url: a.url("start?\(b.url("b").absoluteString)"))
      request.httpMethod = "PUT"
      let response = try await manager.upload(for: request, from: Data(repeating: 7, count: 300_000))
      #expect(String(decoding: response.data, as: UTF8.self) == "b got 300000")
      let users = b.requests.compactMap { scheme.user($0.value("Authorization")) }.filter { $0 != "?" }
      #expect(users == ["b-user"])
      let usersOfA = a.requests.compactMap { scheme.user($0.value("Authorization")) }.filter { $0 != "?" }
      #expect(Set(usersOfA) == ["a-user"])
    }
  }

  @Test(arguments: Scheme.allCases)
  func `B88 There and back again: each origin gets its own`(scheme: Scheme) async throws {
    try await withBoth(scheme, status: 307) { a, b, manager, _ in
      let port = Int(a.port)
      let counts = Recorder<Int>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        counts.record(challenge.previousFailureCount)
        return Self.credential(challenge.protectionSpace.port == port ? "a-user" : "b-user")
      }
      let back = b.url("b?\(a.url("end").absoluteString)").absoluteString
      let response = try await manager.post("start?\(back)", parameters: ["k": "v"])
      #expect(String(decoding: response.data, as: UTF8.self) == "a got 3")
      #expect(Set(counts.values) == [0])
      #expect(b.requests.allSatisfy { scheme.user($0.value("Authorization")) != "a-user" })
      #expect(a.requests.allSatisfy { scheme.user($0.value("Authorization")) != "b-user" })
    }
  }
}
