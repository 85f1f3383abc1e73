import AFCore
import AFMultipart
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// F20, F21, B83: Digest and Basic as they go over the wire.
@Suite struct DigestWireTests {
  private static let login = URLCredential(user: "ada", password: "s3cret", persistence: .none)

  private func manager(_ server: TestServer, asked: Recorder<Int>? = nil) -> AFHTTPSessionManager {
    let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
    manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
      asked?.record(challenge.previousFailureCount)
      return Self.login
    }
    return manager
  }

  enum Kind: CaseIterable, Sendable { case data, file, multipart }

  private func upload(_ kind: Kind, _ manager: AFHTTPSessionManager, _ url: URL, _ body: Data) async throws -> String {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    switch kind {
    case .data: return String(decoding: try await manager.upload(for: request, from: body).data, as: UTF8.self)
    case .file:
      let folder = try TemporaryDirectory()
      let file = folder.file("body")
      try body.write(to: file)
      return String(decoding: try await manager.upload(for: request, fromFile: file).data, as: UTF8.self)
    case .multipart:
      let serializer = AFHTTPRequestSerializer()
      let made = serializer.multipartFormRequest(
        withMethod: "PUT", urlString: url.absoluteString, parameters: nil,
        constructingBodyWith: { $0.appendPart(withForm: body, name: "k") }, error: nil)
      return String(decoding: try await manager.upload(withStreamedRequest: made as URLRequest).data, as: UTF8.self)
    }
  }

  @Test(arguments: Kind.allCases, ["auth", "auth-int", "auth-int,auth", nil])
  func `B83 One 401, one answer with the whole body, and then none while the nonce is good`(
    kind: Kind, quality: String?
  )
    async throws
  {
    var options = DigestServer.Options()
    options.quality = quality
    let digest = DigestServer(options)
    let server = try TestServer { request in
      let body = try request.body()
      if body.isEmpty { return TestResponse(400) }
      return digest.answer(request.head, body: body) { .text("stored \(body.count)", status: 201) }
    }
    let asked = Recorder<Int>()
    let manager = manager(server, asked: asked)
    let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
    for number in 0..<3 {
      let stored = try await upload(kind, manager, server.url("\(number)"), body)
      if kind == .multipart {
        #expect(stored.hasPrefix("stored 300"))
      } else {
        #expect(stored == "stored 300000")
      }
    }
    #expect(server.requests.count == 4)
    #expect(asked.values == [0])
    #expect(digest.faults.values == [])
    try server.stop()
  }

  @Test(arguments: [307, 308], [false, true])
  func `B83 After a redirect the body goes whole, with the right credentials or none`(status: Int, isClosing: Bool)
    async throws
  {
    let digest = DigestServer()
    let b = try TestServer { request in
      let count = try request.body().count
      var response = TestResponse.text("stored \(count)", status: 201)
      response.closes = isClosing
      return response
    }
    let a = try TestServer { request in
      let body = try request.body()
      if request.path == "/open" { return .text("open \(body.count)", status: 201) }
      return digest.answer(request.head, body: body) {
        .redirect(status, to: request.path == "/d" ? "/open" : b.url("x").absoluteString)
      }
    }
    let manager = manager(a)
    let body = Data(repeating: 7, count: 300_000)
    for kind in Kind.allCases where kind != .multipart {
      #expect(try await upload(kind, manager, a.url("away"), body) == "stored 300000")
      #expect(try await upload(kind, manager, a.url("d"), body) == "open 300000")
    }
    #expect(b.requests.allSatisfy { $0.bodyCount == 300_000 && $0.value("Authorization") == nil })
    #expect(b.requests.count == 2)
    #expect(a.requests.allSatisfy { $0.bodyCount == 300_000 })
    #expect(digest.challenges.count == 1)
    try a.stop()
    try b.stop()
  }

  @Test(arguments: [nil, "MD5", "MD5-sess", "SHA-256", "SHA-256-sess", "SHA-512-256", "SHA-512-256-sess"])
  func `F21 Every algorithm, many requests at once`(algorithm: String?) async throws {
    var options = DigestServer.Options()
    options.algorithm = algorithm
    let digest = DigestServer(options)
    try await withTestServer(handler: { request in
      let body = try request.body()
      return digest.answer(request.head, body: body) { .text("in") }
    }) { server in
      let manager = manager(server)
      _ = try await manager.get("first?x=%20y&z")
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 { group.addTask { _ = try await manager.get("a/\(number)?") } }
        try await group.waitForAll()
      }
      #expect(digest.challenges.values == ["fresh"])
      #expect(digest.faults.values == [])
    }
  }

  @Test func `A stale nonce is replaced, and the next is used that the server gives`() async throws {
    for givesNextNonce in [false, true] {
      var options = DigestServer.Options()
      options.uses = 2
      options.givesNextNonce = givesNextNonce
      let digest = DigestServer(options)
      try await withTestServer(handler: { request in
        let body = try request.body()
        return digest.answer(request.head, body: body) { .text("in") }
      }) { server in
        let asked = Recorder<Int>()
        let manager = manager(server, asked: asked)
        for number in 0..<6 { _ = try await manager.post("\(number)", parameters: ["k": "v"]) }
        #expect(asked.values == [0])
        #expect(digest.challenges.values == (givesNextNonce ? ["fresh"] : ["fresh", "stale", "stale"]))
        #expect(digest.faults.values == [])
      }
    }
  }

  @Test func `A wrong proof of the server's ends the task`() async throws {
    var options = DigestServer.Options()
    options.hasWrongProof = true
    let digest = DigestServer(options)
    try await withTestServer(handler: { request in digest.answer(request.head) { .text("in") } }) { server in
      let error = try await failure { _ = try await manager(server).get("a") }
      #expect(error.urlError?.code == .badServerResponse)
      #expect(error.urlError?.userInfo[NSUnderlyingErrorKey] is AFDigestProofError)
    }
  }

  @Test func `F21 An algorithm that is not known is passed over for the next challenge`() async throws {
    try await withTestServer(handler: { request in
      request.value("Authorization") == "Basic " + Data("ada:s3cret".utf8).base64EncodedString()
        ? .text("in")
        : TestResponse(
          401,
          headers: [("WWW-Authenticate", #"Digest realm="r", nonce="n", algorithm=X-NEW, Basic realm = "r, \"x\"""#)])
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let realms = Recorder<String?>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        realms.record(challenge.protectionSpace.realm)
        return Self.login
      }
      let response = try await manager.get("a")
      #expect(response.data == Data("in".utf8))
      #expect(realms.values == [#"r, "x""#])
    }
  }

  @Test func `F20 Basic goes ahead of the question below the path that was asked about, and nowhere else`() async throws
  {
    try await withTestServer(handler: { request in
      request.value("Authorization") != nil || request.path.hasPrefix("/open")
        ? .text("in") : TestResponse(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
    }) { server in
      let asked = Recorder<Int>()
      let manager = manager(server, asked: asked)
      for path in ["docs/a", "docs/b", "docs/c/d", "open/a", "open/b"] { _ = try await manager.get(path) }
      #expect(
        server.requests.prefix(5).map { "\($0.path) \($0.value("Authorization") == nil ? "-" : "+")" }
          == ["/docs/a -", "/docs/a +", "/docs/b +", "/docs/c/d +", "/open/a -"])
      #expect(server.requests.last?.value("Authorization") == nil)
      #expect(asked.values == [0])
      // Elsewhere under the same realm: one 401, no question.
      _ = try await manager.get("other/a")
      #expect(asked.values == [0])
      // The caller's own field comes first; a new handler starts from nothing.
      _ = try await manager.get("docs/own", headers: ["Authorization": "Mine"])
      #expect(server.requests.last?.value("Authorization") == "Mine")
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      let refused = try await failure { _ = try await manager.get("docs/a") }
      #expect(refused.statusCode == 401)
    }
  }

  @Test func `Credentials that went bad are asked for again; those taken out of the storage are not sent`() async throws
  {
    let password = Locked("one")
    try await withTestServer(handler: { request in
      let expected = password.withLock { "Basic " + Data("ada:\($0)".utf8).base64EncodedString() }
      return request.value("Authorization") == expected
        ? .text("in") : TestResponse(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let asked = Recorder<Int>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        asked.record(challenge.previousFailureCount)
        return URLCredential(user: "ada", password: password.withLock { $0 }, persistence: .none)
      }
      _ = try await manager.get("a")
      password.withLock { $0 = "two" }
      _ = try await manager.get("a")
      #expect(asked.values == [0, 0])
      let configuration = quietConfiguration()
      let storage = URLCredentialStorage()
      configuration.urlCredentialStorage = storage
      let space = URLProtectionSpace(
        host: "127.0.0.1", port: Int(server.port), protocol: "http", realm: "r",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      let credential = URLCredential(user: "ada", password: "two", persistence: .forSession)
      storage.setDefaultCredential(credential, for: space)
      let stored = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      stored.responseSerializer = AFHTTPResponseSerializer()
      _ = try await stored.get("a")
      _ = try await stored.get("a")
      #expect(server.requests.suffix(2).allSatisfy { $0.value("Authorization") != nil })
      storage.remove(credential, for: space)
      let refused = try await failure { _ = try await stored.get("a") }
      #expect(refused.statusCode == 401)
      #expect(server.requests.last?.value("Authorization") == nil)
    }
  }

  @Test(
    arguments: [#"Basic realm="r""#, #"Digest realm="r", nonce="n", domain="/elsewhere""#],
    ["a/../b", "./c", "%2e%2e/d", "e//f"])
  func `A path with dot segments is answered when it asks, and never before`(challenge: String, path: String)
    async throws
  {
    try await withTestServer(handler: { request in
      request.value("Authorization") != nil
        ? .text("in") : TestResponse(401, headers: [("WWW-Authenticate", challenge)])
    }) { server in
      let asked = Recorder<Int>()
      let manager = manager(server, asked: asked)
      let url = server.url().absoluteString + (server.url().absoluteString.hasSuffix("/") ? "" : "/") + path
      for _ in 0..<2 { _ = try await manager.get(url) }
      #expect(server.requests.count <= 4)
      #expect(asked.values == [0])
    }
  }

  @Test func `F23 The handler is asked until it stops, and its error is the task's`() async throws {
    try await withTestServer(handler: { _ in
      TestResponse(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let counts = Recorder<Int>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        let count = challenge.previousFailureCount
        counts.record(count)
        return count < 4
          ? URLCredential(user: "ada", password: "guess \(count)", persistence: .none)
          : NSError(domain: "mine", code: 7)
      }
      let error = try await failure { _ = try await manager.get("a") }
      #expect(error.domain == "mine" && error.code == 7)
      #expect(counts.values == [0, 1, 2, 3, 4])
      #expect(server.requests.count == 5)
    }
  }

  @Test func `F22 A scheme that is rejected, or for which there is no ticket, makes way for the next`() async throws {
    try await withTestServer(handler: { request in
      if request.value("Authorization")?.hasPrefix("Basic") == true { return .text("in") }
      if TestNTLM.message(in: request.value("Authorization")) == .negotiate {
        return TestResponse(401, headers: [("WWW-Authenticate", TestNTLM.challenge)])
      }
      if case .authenticate = TestNTLM.message(in: request.value("Authorization")) { return .text("in by NTLM") }
      return TestResponse(401, headers: [("WWW-Authenticate", #"Negotiate, NTLM, Basic realm="r""#)])
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let asked = Recorder<String>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        let space = challenge.protectionSpace
        asked.record("\(space.authenticationMethod.suffix(9)) \(challenge.previousFailureCount)")
        return space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
          ? Self.login : NSNumber(value: AFURLSession.AuthChallengeDisposition.rejectProtectionSpace.rawValue)
      }
      let basic = try await manager.get("a")
      #expect(basic.data == Data("in".utf8))
      #expect(
        asked.values == [
          "Negotiate 0", "\(NSURLAuthenticationMethodNTLM.suffix(9)) 0", "HTTPBasic 0",
        ])
      let other = makeManager(server, serializer: AFHTTPResponseSerializer())
      other.setAuthenticationChallengeHandler { _, _, _, _ in Self.login }
      let ntlm = try await other.get("a")
      #expect(ntlm.data == Data("in by NTLM".utf8))
    }
  }

  @Test(arguments: [false, true], ["auth", "auth-int"])
  func `Digest to a proxy names the target that it is asked for, and is asked once`(isSecure: Bool, quality: String)
    async throws
  {
    var digestOptions = DigestServer.Options()
    digestOptions.isProxy = true
    digestOptions.quality = quality
    let digest = DigestServer(digestOptions)
    var options = TestProxy.Options()
    options.challenge = { head in
      let answer = digest.answer(head) { TestResponse(200) }
      return answer.status == 407 ? answer : nil
    }
    let authority = try TestAuthority.make()
    let proxy = try TestProxy(options)
    let tls = isSecure ? TestTLS(try authority.issue(names: ["localhost"])) : nil
    try await withTestServer(
      .init(tls: tls),
      handler: { _ in
        var response = TestResponse.text("reached")
        response.closes = true
        return response
      }
    ) { server in
      let manager = AFHTTPSessionManager(
        baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.securityPolicy = try .trusting(authority.certificate)
      manager.transportOptions.proxy = .init(url: proxy.url.absoluteString, user: "ada", password: "s3cret")
      for path in ["a?b=c", "d", "?e"] {
        let response = try await manager.get(path)
        #expect(response.data == Data("reached".utf8))
      }
      #expect(digest.challenges.values == ["fresh"])
      #expect(digest.faults.values == [])
      #expect(server.requests.allSatisfy { $0.value("Proxy-Authorization") == nil })
    }
    try proxy.stop()
  }

  @Test func `A server cannot ask in the proxy's name through a tunnel`() async throws {
    let authority = try TestAuthority.make()
    let proxy = try TestProxy()
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in
      TestResponse(407, headers: [("Proxy-Authenticate", #"Basic realm="r""#)])
    }
    let manager = AFHTTPSessionManager(
      baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = try .trusting(authority.certificate)
    manager.transportOptions.proxy = .init(url: proxy.url.absoluteString, user: "ada", password: "s3cret")
    let error = try await failure { _ = try await manager.get("a") }
    #expect(error.statusCode == 407)
    #expect(server.requests.map { $0.value("Proxy-Authorization") } == [nil])
    try server.stop()
    try proxy.stop()
  }
}
