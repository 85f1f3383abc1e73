import AFCore
import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// `openssl s_server` as the peer.
@Suite struct SecurityOpenSSLTests {
  private let authority: TestAuthority

  init() throws {
    authority = try TestAuthority.make()
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"], [TestKey.Kind.p256, .rsa2048, .ed25519])
  func `s_server passes with the right pin; with a wrong one it gets no byte of a request`(
    version: String, kind: TestKey.Kind
  ) async throws {
    let directory = try TemporaryDirectory()
    let identity = try authority.issueAuthority().issue(names: ["localhost"], key: try TestKey(kind))
    let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [identity.certificate])
    let server = try await OpenSSLServer(identity, .pages, [version], in: directory)
    defer { server.stop() }
    let page = try await makeManager(for: server.url, policy).get("").text
    #expect(page.contains(version == "-tls1_2" ? "TLSv1.2, Cipher is" : "TLSv1.3, Cipher is"), "\(page)")

    let silent = try await OpenSSLServer(identity, .terminal, [version], in: directory)
    defer { silent.stop() }
    let other = try TestAuthority.make()
    policy.pinnedCertificates = [other.certificate]
    #expect(await get(makeManager(for: silent.url, policy)).refusal == .pinMismatch)
    #expect(await get(makeManager(for: silent.url, try .trusting(other))).refusal == .untrustedChain)
    // Both connections are over for the server too: it has printed all that came.
    try await eventually("the server has seen the ends") { silent.printed.components(separatedBy: "ERROR").count > 2 }
    #expect(!silent.printed.contains("GET") && !silent.printed.contains("HTTP/1.1"), "\(silent.printed)")
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"], [TestKey.Kind.p256, .rsa2048, .ed25519])
  func `s_server that demands a certificate gets the policy's, or the one that a handler chooses`(
    version: String, kind: TestKey.Kind
  ) async throws {
    let directory = try TemporaryDirectory()
    let identity = try authority.issue(names: ["localhost"])
    let client = try authority.issueAuthority().issue(names: ["the-client"], key: try TestKey(kind))
    let roots = try directory.write(Data(authority.certificatePEM.utf8), to: "roots.pem").path
    let server = try await OpenSSLServer(
      identity, .pages, [version, "-Verify", "3", "-verify_return_error", "-CAfile", roots], in: directory)
    defer { server.stop() }
    let policy = try AFSecurityPolicy.trusting(authority)
    #expect(await get(makeManager(for: server.url, policy)).error != nil)
    policy.clientIdentity = try client.asClientIdentity()
    #expect(try await makeManager(for: server.url, policy).get("").text.contains("the-client"))

    policy.clientIdentity = nil
    let manager = makeManager(for: server.url, policy)
    let chosen = try client.asClientIdentity()
    let issuers = Recorder<[Data]>()
    manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
      if let trust = challenge.protectionSpace.serverTrust { return URLCredential(trust: trust) }
      issuers.record(challenge.protectionSpace.acceptedIssuers ?? [])
      DispatchQueue.global().async { answer(.useCredential, URLCredential(identity: chosen, persistence: .none)) }
      return NSNull()
    }
    for _ in 0..<2 { #expect(try await manager.get("").text.contains("the-client")) }
    #expect(issuers.values == [[try authority.subjectDER]])

    let stranger = try TestAuthority.make().issue(names: ["a-stranger"])
    policy.clientIdentity = try stranger.asClientIdentity()
    #expect(await get(manager, "").error != nil)
  }

  @Test(arguments: ["-tls1_2", "-tls1_3"], [false, true])
  func `what openssl ocsp made is stapled by s_server and decides`(version: String, isRevoked: Bool) async throws {
    let directory = try TemporaryDirectory()
    let identity = try authority.issue(names: ["localhost"])
    let response = try OpenSSLTool.ocspResponse(authority, identity, isRevoked: isRevoked, in: directory)
    let policy = try AFSecurityPolicy.trusting(authority)
    policy.revocationChecking = AFRevocationChecking(requirement: .required)
    let server = try await OpenSSLServer(
      identity, isRevoked ? .terminal : .pages, [version, "-status_file", response], in: directory)
    defer { server.stop() }
    let outcome = await get(makeManager(for: server.url, policy), "")
    #expect(outcome.status == (isRevoked ? nil : 200), "\(outcome)")
    #expect(outcome.refusal == (isRevoked ? .revoked : nil), "\(outcome)")
    #expect(!server.printed.contains("GET"))

    // The same server without a response cannot say that its certificate is good.
    let silent = try await OpenSSLServer(identity, .terminal, [version], in: directory)
    defer { silent.stop() }
    #expect(await get(makeManager(for: silent.url, policy)).refusal == .revocationUnknown)
    #expect(!silent.printed.contains("GET"))
  }

  @Test func `a certificate asked for in the midst of a TLS 1.3 connection: the request goes on, and nobody is asked`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let identity = try authority.issue(names: ["localhost"])
    for client in [nil, try authority.issue(names: ["the-client"])] {
      let server = try await OpenSSLServer(identity, .terminal, ["-tls1_3", "-no_ticket"], in: directory)
      defer { server.stop() }
      let policy = try AFSecurityPolicy.trusting(authority)
      policy.clientIdentity = try client?.asClientIdentity()
      let manager = makeManager(for: server.url, policy)
      let methods = Recorder<String>()
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        methods.record(challenge.protectionSpace.authenticationMethod)
        return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      let outcome = Task { await get(manager, "") }
      try await eventually(within: 20, "the request is there") { server.printed.contains("GET / HTTP/1.1") }
      // The command that asks the client for its certificate.
      try server.type("c")
      try await eventually(within: 20, "it is asked: \(server.printed)") {
        server.printed.contains("SSL_do_handshake -> 1")
      }
      try server.type("HTTP/1.1 200 OK\nContent-Length: 0\n\n")
      let result = await outcome.value
      #expect(result.status == 200, "\(result)")
      #expect(methods.values == [NSURLAuthenticationMethodServerTrust])
      if client != nil { #expect(server.printed.contains("the-client")) }
    }
  }
}

extension AFDataResponse {
  fileprivate var text: String { String(decoding: data, as: UTF8.self) }
}
