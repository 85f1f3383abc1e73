import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// A 407, by a proxy that forwards and by one that tunnels, and who answers it.
@Suite struct ProxyAuthenticationTests {
  private let authority: TestAuthority
  private let identity: TestIdentity

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issue(names: ["localhost"])
  }

  /// A proxy, servers behind it, and a manager that goes through it; `body` gets a URL on the server of `isSecure`.
  private func withProxy(
    _ options: TestProxy.Options, isSecure: Bool, configuration: URLSessionConfiguration = quietConfiguration(),
    _ body: (TestProxy, TestServer, AFHTTPSessionManager) async throws -> Void
  ) async throws {
    let proxy = try TestProxy(options)
    let server = TestServer.Options(tls: isSecure ? TestTLS(identity) : nil)
    try await withTestServer(server, handler: { _ in .text("reached") }) { server in
      let manager = AFHTTPSessionManager(
        baseURL: server.url("", host: "localhost"), sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.securityPolicy = try .trusting(authority.certificate)
      manager.transportOptions.proxy = .init(url: proxy.url.absoluteString)
      try await body(proxy, server, manager)
      #expect(server.requests.allSatisfy { $0.value("Proxy-Authorization") == nil })
    }
    try proxy.stop()
  }

  private func basic() -> TestProxy.Options {
    var options = TestProxy.Options()
    options.credentials = ("me", "secret")
    return options
  }

  /// Digest with SHA-256, checked.
  private func digest() -> TestProxy.Options {
    var options = TestProxy.Options()
    options.challenge = { head in
      func field(_ name: String) -> String? {
        guard let text = head.value("Proxy-Authorization"), let start = text.range(of: " \(name)=") else { return nil }
        let rest = text[start.upperBound...]
        return rest.hasPrefix("\"")
          ? String(rest.dropFirst().prefix { $0 != "\"" }) : String(rest.prefix { $0 != "," })
      }
      func hash(_ text: String) -> String { TestDigest.sha256(Data(text.utf8)) }
      let secret = hash("me:proxy:secret")
      let what = hash("\(head.method):\(field("uri") ?? "")")
      let expected = hash("\(secret):n0nce:\(field("nc") ?? ""):\(field("cnonce") ?? ""):auth:\(what)")
      guard field("response") != expected else { return nil }
      return TestResponse(407).with(
        "Proxy-Authenticate", #"Digest realm="proxy", nonce="n0nce", qop="auth", algorithm=SHA-256"#)
    }
    return options
  }

  @Test(arguments: [false, true], [false, true])
  func `The challenge handler answers a proxy, once for all that follows`(isSecure: Bool, isDigest: Bool) async throws {
    try await withProxy(isDigest ? digest() : basic(), isSecure: isSecure) { proxy, server, manager in
      let asked = Recorder<[String]>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        let space = challenge.protectionSpace
        guard space.isProxy() else {
          return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
        }
        asked.record([
          space.authenticationMethod, space.realm ?? "", space.host, "\(space.port)",
          "\(challenge.previousFailureCount)",
        ])
        return URLCredential(user: "me", password: "secret", persistence: .none)
      }
      let answer1 = try await manager.get("a")
      #expect(answer1.data == Data("reached".utf8))
      let answer2 = try await manager.post("b", parameters: ["k": "v"])
      #expect(answer2.data == Data("reached".utf8))
      let method = isDigest ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
      #expect(asked.values == [[method, "proxy", "127.0.0.1", "\(proxy.port)", "0"]])
      #expect(server.requests.map(\.path) == ["/a", "/b"])
      #expect(server.requests.last?.bodyText == "k=v")
    }
  }

  @Test(arguments: [false, true])
  func `B42 F23 Wrong credentials for a proxy are tried once; the 407 is the result`(isSecure: Bool) async throws {
    try await withProxy(basic(), isSecure: isSecure) { proxy, server, manager in
      func check(_ error: AFError) {
        if isSecure {
          #expect(error.urlError?.code == .userAuthenticationRequired)
          #expect(error.localizedDescription.contains("407"))
        } else {
          #expect(error.statusCode == 407)
        }
      }
      check(try await failure { _ = try await manager.get("none") })
      #expect(proxy.requests.count == 1)
      let counts = Recorder<Int>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        if challenge.protectionSpace.isProxy() { counts.record(challenge.previousFailureCount) }
        return challenge.protectionSpace.isProxy()
          ? URLCredential(user: "me", password: "wrong", persistence: .none)
          : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      check(try await failure { _ = try await manager.get("wrong") })
      #expect(counts.values == Array(0..<10))
      #expect(proxy.requests.count == 3)
      for disposition in [AFURLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace] {
        manager.setAuthenticationChallengeHandler { _, _, _, _ in NSNumber(value: disposition.rawValue) }
        check(try await failure { _ = try await manager.get("declined") })
      }
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        NSNumber(value: AFURLSession.AuthChallengeDisposition.cancelAuthenticationChallenge.rawValue)
      }
      let cancelled = try await failure { _ = try await manager.get("cancelled") }
      #expect(cancelled.isCancelled)
      manager.setAuthenticationChallengeHandler { _, _, _, _ in NSError(domain: "mine", code: 9) }
      let mine = try await failure { _ = try await manager.get("mine") }
      #expect(mine.domain == "mine")
      // The password is in no error.
      #expect(!"\(mine) \(cancelled)".contains("secret"))
      #expect(server.requests.isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `The credential storage knows proxies`(isSecure: Bool) async throws {
    let configuration = quietConfiguration()
    let storage = URLCredentialStorage()
    configuration.urlCredentialStorage = storage
    try await withProxy(basic(), isSecure: isSecure, configuration: configuration) { proxy, server, manager in
      let space = URLProtectionSpace(
        proxyHost: "127.0.0.1", port: Int(proxy.port), type: NSURLProtectionSpaceHTTPProxy, realm: "proxy",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      storage.setDefaultCredential(URLCredential(user: "me", password: "secret", persistence: .forSession), for: space)
      let answer3 = try await manager.get("a")
      #expect(answer3.data == Data("reached".utf8))
      let answer4 = try await manager.get("b")
      #expect(answer4.data == Data("reached".utf8))
      #expect(server.requests.count == 2)
    }
  }

  @Test(arguments: [false, true])
  func `Many requests meet the proxy at once; credentials that go bad are asked for again`(isSecure: Bool) async throws
  {
    let password = Locked("secret")
    var options = TestProxy.Options()
    options.challenge = { head in
      let expected = "Basic " + Data("me:\(password.withLock { $0 })".utf8).base64EncodedString()
      return head.value("Proxy-Authorization") == expected
        ? nil : TestResponse(407).with("Proxy-Authenticate", #"Basic realm="proxy""#)
    }
    try await withProxy(options, isSecure: isSecure) { proxy, server, manager in
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        challenge.protectionSpace.isProxy()
          ? URLCredential(user: "me", password: password.withLock { $0 }, persistence: .none)
          : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      func many() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<12 { group.addTask { _ = try await manager.get("\(number)") } }
          try await group.waitForAll()
        }
      }
      try await many()
      password.withLock { $0 = "other" }
      proxy.server.dropConnections()
      try await many()
      #expect(server.requests.count == 24)
    }
  }

  @Test func `A Proxy-Authorization that was set by hand goes to the proxy, and to no server`() async throws {
    let field = "Basic " + Data("me:secret".utf8).base64EncodedString()
    for isSecure in [false, true] {
      try await withProxy(basic(), isSecure: isSecure) { proxy, server, manager in
        _ = try await manager.get("a", headers: ["Proxy-Authorization": field])
        #expect(proxy.requests.map { $0.value("Proxy-Authorization") } == [field])
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        let direct = AFHTTPSessionManager(baseURL: manager.baseURL, sessionConfiguration: quietConfiguration())
        direct.responseSerializer = AFHTTPResponseSerializer()
        direct.securityPolicy = manager.securityPolicy
        _ = try await direct.get("b", headers: ["Proxy-Authorization": field])
        #expect(server.requests.count == 2)
      }
    }
  }

  @Test(arguments: [false, true])
  func `A body goes through whole after the question; a stream too, which a tunnel has not touched`(isSecure: Bool)
    async throws
  {
    try await withProxy(basic(), isSecure: isSecure) { proxy, server, manager in
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        challenge.protectionSpace.isProxy()
          ? URLCredential(user: "me", password: "secret", persistence: .none)
          : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      let body = Data(repeating: 7, count: 300_000)
      var request = URLRequest(url: server.url("up", host: "localhost"))
      request.httpMethod = "POST"
      _ = try await manager.upload(for: request, from: body)
      #expect(server.requests.last?.body.count == 300_000)
      manager.invalidateSessionCancelingTasks(true, resetSession: true)
      request.httpBodyStream = InputStream(data: body)
      if isSecure {
        let response = try await manager.upload(withStreamedRequest: request)
        #expect(response.statusCode == 200)
        #expect(server.requests.last?.body.count == 300_000)
      } else {
        let streamed = request
        let error = try await failure { _ = try await manager.upload(withStreamedRequest: streamed) }
        #expect(error.urlError?.code == .requestBodyStreamExhausted)
      }
    }
  }
}
