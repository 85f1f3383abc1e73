import AFCore
import AFSecurity
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Mutual TLS, and what servers staple.
@Suite struct SecurityClientTests {
  private let authority: TestAuthority
  private let server: TestIdentity
  private let client: TestIdentity

  init() throws {
    authority = try TestAuthority.make()
    server = try authority.issue(names: ["localhost"])
    client = try authority.issueAuthority().issue(names: ["client"])
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `a server that demands a certificate gets the policy's identity, with the chain`(version: TestTLS.Version)
    async throws
  {
    var tls = TestTLS(server)
    tls.maximumVersion = version
    tls.clientCertificate = .required(authorities: [authority.certificate])
    var options = TestServer.Options(tls: tls)
    options.reportsMalformedRequests = false
    let client = client
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      #expect(await get(manager).error != nil)
      #expect(server.requestCount == 0)

      policy.clientIdentity = try AFClientIdentity(
        pkcs12: client.pkcs12(passphrase: "secret"), passphrase: "secret")
      let outcome = await get(manager)
      #expect(outcome.status == 200, "\(outcome)")
      #expect(server.connections.last?.tls?.clientCertificate == client.certificate)

      // A stranger's certificate is refused by the server, and a server that is refused never sees ours.
      let stranger = try TestAuthority.make().issue(names: ["stranger"])
      policy.clientIdentity = try AFClientIdentity(
        certificatePEM: Data(stranger.chainPEM.utf8), privateKeyPEM: Data(stranger.keyPEM.utf8))
      #expect(await get(manager).error != nil)
      #expect(server.requestCount == 1)
    }
  }

  @Test func `each host gets its own identity, and others none`() async throws {
    var tls = TestTLS(try authority.issue(names: ["localhost", "127.0.0.1"]))
    tls.clientCertificate = .requested
    let client = client
    try await withTestServer(.init(tls: tls), handler: { _ in .text("reached") }) { server in
      let withIdentity = try AFSecurityPolicy.trusting(authority)
      withIdentity.clientIdentity = try AFClientIdentity(
        certificatePEM: Data(client.chainPEM.utf8), privateKeyPEM: Data(client.keyPEM.utf8))
      let policy = try AFSecurityPolicy.perHost(
        ["localhost": withIdentity], otherwise: try .trusting(authority))
      #expect(await get(makeManager(for: server.url("", host: "localhost"), policy)).status == 200)
      #expect(server.connections.last?.tls?.clientCertificate == client.certificate)
      #expect(await get(makeManager(for: server.url("", host: "127.0.0.1"), policy)).status == 200)
      #expect(server.connections.last?.tls?.clientCertificate == nil)
    }
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `a stapled response decides where the policy asks for one`(version: TestTLS.Version) async throws {
    let (good, revoked) = (
      try authority.ocspResponse(for: server.certificate),
      try authority.ocspResponse(for: server.certificate, status: .revoked)
    )
    let cases: [(Data?, AFRevocationChecking.Requirement, AFSecurityError.Code?)] = [
      (good, .required, nil), (revoked, .ifAvailable, .revoked), (nil, .required, .revocationUnknown),
      (nil, .ifAvailable, nil),
    ]
    for (response, requirement, code) in cases {
      var tls = TestTLS(server)
      tls.stapledResponse = response
      tls.maximumVersion = version
      var options = TestServer.Options(tls: tls)
      options.requestsPerConnection = 1
      try await withTestServer(options, handler: { _ in .text("reached") }) { server in
        let policy = try AFSecurityPolicy.trusting(authority)
        policy.revocationChecking = AFRevocationChecking(requirement: requirement)
        let manager = makeManager(for: server.url("", host: "localhost"), policy)
        // The second connection must not resume the first one's session: that would bring no response.
        for _ in 0..<2 {
          let outcome = await get(manager)
          #expect(outcome.refusal == code, "\(outcome)")
          #expect((outcome.status == 200) == (code == nil))
        }
        #expect(server.requestCount == (code == nil ? 2 : 0))
        #expect(server.requestBytes == 0 || code == nil)
      }
    }
  }

  @Test func `nginx takes the identity, and refuses without one`() async throws {
    let policy = AFSecurityPolicy()
    policy.anchorCertificates = try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: RealServers.authority))
    let manager = makeManager(for: try RealServers.nginxClientCertificate, policy)
    #expect(await get(manager, "").error?.statusCode == 400, "nginx says 400 to who shows no certificate")
    policy.clientIdentity = try AFClientIdentity(
      certificatePEM: Data(contentsOf: URL(fileURLWithPath: RealServers.clientCertificate)),
      privateKeyPEM: Data(contentsOf: URL(fileURLWithPath: RealServers.clientKey)))
    let outcome = await get(manager, "")
    #expect(outcome.status == 200, "\(outcome)")
    // The right pin passes over nginx's HTTP/2 as well, the wrong one does not.
    let trust = try await AFServerTrust.presented(
      by: "localhost", port: try #require(RealServers.nginxTLS.port))
    let pin = try #require(trust.certificates.first?.publicKeyPin)
    let pinned = makeManager(for: try RealServers.nginxTLS, policy)
    policy.publicKeyPins = [pin]
    #expect(await get(pinned, "json").status == 200)
    policy.publicKeyPins = [try AFPublicKeyPin(sha256: Data(repeating: 0, count: 32))]
    #expect(await get(pinned, "json").refusal == .pinMismatch)
  }
}
