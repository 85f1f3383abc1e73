import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Servers that ask for a client certificate, and managers whose blocks choose one (A.14.9, A.14.10).
@Suite struct ClientCertificateTests {
  private typealias Answer = @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let authority: TestAuthority
  private let server: TestIdentity
  private let client: TestIdentity
  private let identity: AFClientIdentity

  init() throws {
    authority = try TestAuthority.make()
    server = try authority.issue(names: ["localhost"])
    client = try authority.issueAuthority().issue(names: ["client"])
    identity = try client.asClientIdentity()
  }

  private func options(
    _ version: TestTLS.Version = .tls13, _ choice: TestTLS.ClientCertificate? = nil, requestsPerConnection: Int = .max
  ) -> TestServer.Options {
    var tls = TestTLS(server)
    tls.maximumVersion = version
    tls.clientCertificate = choice ?? .required(authorities: [authority.certificate])
    var options = TestServer.Options(tls: tls)
    options.requestsPerConnection = requestsPerConnection
    options.reportsMalformedRequests = false
    return options
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `the session's block is asked about the server, then for a certificate, before a byte of the request`(
    version: TestTLS.Version
  ) async throws {
    try await withTestServer(options(version, requestsPerConnection: 1), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), .default())
      let asked = Recorder<Asked>()
      let identity = identity
      manager.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
        asked.record(Asked(challenge, bytes: server.requestBytes))
        if let trust = challenge.protectionSpace.serverTrust {
          credential?.pointee = URLCredential(trust: trust)
        } else {
          credential?.pointee = URLCredential(identity: identity, certificates: nil, persistence: .forSession)
        }
        return .useCredential
      }
      for _ in 0..<3 {
        let outcome = await get(manager)
        #expect(outcome.status == 200, "\(outcome)")
      }
      let port = Int(server.port)
      let issuer = try authority.subjectDER
      #expect(
        asked.values == [
          Asked(method: NSURLAuthenticationMethodServerTrust, port: port),
          Asked(
            method: NSURLAuthenticationMethodClientCertificate, port: port, issuers: [issuer]),
        ])
      // Every connection that carried a request carried the certificate, resumed ones among them.
      let used = server.connections.filter { $0.bytesReceived > 0 }
      #expect(used.count == 3 && used.allSatisfy { $0.tls?.clientCertificate == client.certificate })
      #expect(used.contains { $0.tls?.isResumed == true })
    }
  }

  @Test func `an HTTP/2 connection with the chosen certificate serves every task`() async throws {
    var tls = TestTLS(server)
    tls.clientCertificate = .requested
    let server = try TestHTTP2Server(tls: tls) { _ in .ok("reached") }
    let manager = makeManager(for: server.url("", host: "localhost"), try .trusting(authority))
    let methods = Recorder<String>()
    let identity = identity
    manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
      methods.record(challenge.protectionSpace.authenticationMethod)
      return challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
        ?? URLCredential(identity: identity, persistence: .none)
    }
    for _ in 0..<3 {
      let outcome = await get(manager)
      #expect(outcome.status == 200, "\(outcome)")
    }
    #expect(methods.values == [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate])
    let used = server.raw.connections.filter { $0.bytesReceived > 0 }
    #expect(used.map { $0.tls?.clientCertificate } == [client.certificate])
    try server.stop()
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `a task's handler may answer later, through a CONNECT proxy too`(version: TestTLS.Version) async throws {
    let proxy = try TestProxy()
    try await withTestServer(options(version), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), try .trusting(authority))
      manager.transportOptions.proxy = .init(url: proxy.url.absoluteString)
      let identity = identity
      manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
        DispatchQueue.global().async {
          if let trust = challenge.protectionSpace.serverTrust {
            answer(.useCredential, URLCredential(trust: trust))
          } else {
            answer(.useCredential, URLCredential(identity: identity, persistence: .none))
          }
        }
        return NSNull()
      }
      let outcome = await get(manager)
      #expect(outcome.status == 200, "\(outcome)")
      #expect(server.connections.last?.tls?.clientCertificate == client.certificate)
    }
    #expect(!proxy.requests.isEmpty && proxy.requests.allSatisfy { $0.method == "CONNECT" })
    try proxy.stop()
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `every other answer connects without a certificate, or ends the task`(version: TestTLS.Version) async throws {
    try await withTestServer(options(version, .requested), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      func call(_ answer: @escaping @Sendable () -> Any) async -> GetOutcome {
        policy.invalidateVerdicts()
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
          challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) } ?? answer()
        }
        return await get(manager)
      }
      @Sendable func number(_ disposition: AFURLSession.AuthChallengeDisposition) -> NSNumber {
        NSNumber(value: disposition.rawValue)
      }
      #expect(await call { number(.performDefaultHandling) }.status == 200)
      #expect(await call { number(.rejectProtectionSpace) }.status == 200)
      #expect(await call { URLCredential(user: "no", password: "identity", persistence: .none) }.status == 200)
      #expect(server.connections.allSatisfy { $0.tls?.clientCertificate == nil })
      let bytes = server.requestBytes
      #expect(await call { number(.cancelAuthenticationChallenge) }.error?.isCancelled == true)
      let own = await call { NSError(domain: "mine", code: 8) }.error
      #expect(own?.domain == "mine" && own?.code == 8, "\(String(describing: own))")
      #expect(await call { "nonsense" }.error?.cause is AFChallengeHandlerError)
      #expect(server.requestBytes == bytes && server.requestCount == 3)
    }
  }

  @Test func `the session's block leaves nothing to the task's handler`() async throws {
    try await withTestServer(options(.tls13, .requested), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), .default())
      manager.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
        guard let trust = challenge.protectionSpace.serverTrust else { return .performDefaultHandling }
        credential?.pointee = URLCredential(trust: trust)
        return .useCredential
      }
      manager.setAuthenticationChallengeHandler { _, _, _, _ in NSError(domain: "must not be asked", code: 1) }
      #expect(await get(manager).status == 200)
      #expect(server.connections.last?.tls?.clientCertificate == nil)
    }
  }

  @Test func `a subclass that overrides a delegate method chooses as well`() async throws {
    try await withTestServer(options(), handler: { _ in .text("reached") }) { server in
      let (url, configuration) = (server.url("", host: "localhost"), quietConfiguration())
      let managers = [
        OwnSessionChallenge(baseURL: url, sessionConfiguration: configuration),
        OwnTaskChallenge(baseURL: url, sessionConfiguration: configuration),
      ]
      for manager in managers {
        manager.completionQueue = DispatchQueue(label: "test.completions")
        manager.responseSerializer = AFHTTPResponseSerializer()
        manager.securityPolicy = try .trusting(authority)
        manager.choice.withLock { $0 = identity }
        let outcome = await get(manager)
        #expect(outcome.status == 200, "\(manager): \(outcome)")
        #expect(server.connections.last?.tls?.clientCertificate == client.certificate)
      }
    }
  }

  @Test func `tasks that meet the same question wait for its one answer, whoever put it ends`() async throws {
    try await withTestServer(options(), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), try .trusting(authority))
      let answers = Recorder<Answer>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
        if let trust = challenge.protectionSpace.serverTrust { return URLCredential(trust: trust) }
        answers.record(answer)
        return NSNull()
      }
      let first = Task { await get(manager, "first") }
      try await answers.wait(for: 1)
      let others = (0..<8).map { number in Task { await get(manager, "\(number)") } }
      // One connection that was tried for each of them: they have met the question.
      try await eventually("everybody waits") {
        server.connections.filter { $0.wireBytesReceived > 0 && !$0.isOpen }.count >= 10
      }
      #expect(answers.count == 1)
      first.cancel()
      #expect(await first.value.error?.isCancelled == true)
      try await answers.wait(for: 2)
      #expect(server.requestBytes == 0)
      answers.values[1](.useCredential, URLCredential(identity: identity, persistence: .none))
      for other in others { #expect(await other.value.status == 200) }
      #expect(answers.count == 2)
      // Too late, and of no account.
      answers.values[0](.cancelAuthenticationChallenge, nil)
      #expect(await get(manager, "last").status == 200)
      #expect(server.requestCount == 9)
    }
  }

  @Test func `a choice goes with the policy under which it was made, and never to another server or session`()
    async throws
  {
    let elsewhere = try TestServer(options(.tls13, .requested)) { _ in .text("elsewhere") }
    try await withTestServer(options(.tls13, .requested), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      let ports = Recorder<Int>()
      let port = Int(server.port)
      let identity = identity
      let isWilling = Locked(true)
      let handler: @Sendable (AFURLSession, AFURLSessionTask, URLAuthenticationChallenge, @escaping Answer) -> Any = {
        _, _, challenge, _ in
        if let trust = challenge.protectionSpace.serverTrust { return URLCredential(trust: trust) }
        ports.record(challenge.protectionSpace.port)
        guard challenge.protectionSpace.port == port, isWilling.withLock({ $0 }) else {
          return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
        }
        return URLCredential(identity: identity, persistence: .permanent)
      }
      manager.setAuthenticationChallengeHandler(handler)
      #expect(await get(manager).status == 200)
      #expect(await get(manager, elsewhere.url("a", host: "localhost").absoluteString).status == 200)
      #expect(elsewhere.connections.last?.tls?.clientCertificate == nil)
      #expect(ports.values == [port, Int(elsewhere.port)])

      isWilling.withLock { $0 = false }
      policy.invalidateVerdicts()
      #expect(await get(manager).status == 200)
      #expect(ports.count == 3)
      #expect(server.connections.last?.tls?.clientCertificate == nil)
      #expect(server.connections.last?.tls?.isResumed == false)

      let other = makeManager(for: server.url("", host: "localhost"), policy)
      #expect(await get(other).status == 200)
      #expect(server.connections.last?.tls?.clientCertificate == nil)
      #expect(server.connections.filter { $0.tls?.clientCertificate != nil }.count == 1)
    }
    try elsewhere.stop()
  }

  @Test func `a policy's identity is shown without a question, and only a trusted server is told anything`()
    async throws
  {
    try await withTestServer(options(.tls12), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      policy.clientIdentity = identity
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      let methods = Recorder<String>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        methods.record(challenge.protectionSpace.authenticationMethod)
        return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      #expect(await get(manager).status == 200)
      #expect(server.connections.last?.tls?.clientCertificate == client.certificate)
      manager.securityPolicy = try .trusting(try TestAuthority.make())
      #expect(await get(manager).refusal == .untrustedChain)
      #expect(methods.values.allSatisfy { $0 == NSURLAuthenticationMethodServerTrust })
      #expect(server.requestCount == 1)
    }
  }

  @Test func `nginx gets the certificate that a handler chose, and its absence where it chose none`() async throws {
    let policy = AFSecurityPolicy()
    policy.anchorCertificates = try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: RealServers.authority))
    let manager = makeManager(for: try RealServers.nginxClientCertificate, policy)
    let chosen = Locked<AFClientIdentity?>(nil)
    manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate else {
        return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      let identity = chosen.withLock { $0 }
      DispatchQueue.global().async {
        answer(.useCredential, identity.map { URLCredential(identity: $0, persistence: .forSession) })
      }
      return NSNull()
    }
    #expect(await get(manager, "").error?.statusCode == 400, "nginx says 400 to who shows no certificate")
    chosen.withLock {
      $0 = try? AFClientIdentity(
        certificatePEM: Data(contentsOf: URL(fileURLWithPath: RealServers.clientCertificate)),
        privateKeyPEM: Data(contentsOf: URL(fileURLWithPath: RealServers.clientKey)))
    }
    policy.invalidateVerdicts()
    for _ in 0..<2 {
      let outcome = await get(manager, "")
      #expect(outcome.status == 200, "\(outcome)")
    }
  }

  @Test func `a credential with an identity sends further certificates along, and shows no key`() throws {
    let leaf = try AFClientIdentity(
      certificatePEM: Data(client.certificatePEM.utf8), privateKeyPEM: Data(client.keyPEM.utf8))
    let chain = try client.chain.map { try AFCertificate(derRepresentation: $0) }
    let credential = URLCredential(identity: leaf, certificates: chain, persistence: .none)
    #expect(credential.identity?.certificates == chain)
    #expect(URLCredential(user: "u", password: "p", persistence: .none).identity == nil)
    #expect(!credential.description.contains("PRIVATE"))
  }
}

/// What a handler was asked, and how much of a request the server had by then.
private struct Asked: Equatable {
  var method: String
  var host = "localhost"
  var port: Int
  var issuers: [Data]?
  var requestBytes: Int64 = 0

  init(method: String, port: Int, issuers: [Data]? = nil) {
    self.method = method
    self.port = port
    self.issuers = issuers
  }

  init(_ challenge: URLAuthenticationChallenge, bytes: Int64) {
    let space = challenge.protectionSpace
    method = space.authenticationMethod
    host = space.host
    port = space.port
    issuers = space.acceptedIssuers
    requestBytes = bytes
  }
}

private class Choosing: AFHTTPSessionManager, @unchecked Sendable {
  // Unchecked because its superclass is; what is added is a lock.
  let choice = Locked<AFClientIdentity?>(nil)

  fileprivate func answer(
    _ challenge: URLAuthenticationChallenge,
    _ completion: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let credential =
      challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
      ?? choice.withLock { $0 }.map { URLCredential(identity: $0, persistence: .none) }
    DispatchQueue.global().async { completion(.useCredential, credential) }
  }
}

private final class OwnSessionChallenge: Choosing, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, completionHandler)
  }
}

private final class OwnTaskChallenge: Choosing, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, completionHandler)
  }
}
