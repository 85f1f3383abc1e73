import AFCore
import AFSecurity
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// A refused server learns nothing: −1202 with host, reason and chain, and not one byte of the request on the wire.
@Suite struct SecurityRefusalTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var host = "localhost"
    var server: @Sendable (TestAuthority) throws -> TestIdentity
    var policy: @Sendable (TestAuthority, TestIdentity) throws -> AFSecurityPolicy = { root, _ in try .trusting(root) }
    var code: AFSecurityError.Code

    var testDescription: String { name }
  }

  static let cases: [Case] = [
    Case(
      name: "B15 another host, no pins", server: { try $0.issue(names: ["other.test"]) }, code: .hostMismatch),
    Case(
      name: "B15 another host, pinned key", server: { try $0.issue(names: ["other.test"]) },
      policy: { try .trusting($0, .publicKey, pins: [$1.certificate]) }, code: .hostMismatch),
    Case(
      name: "B15 another host, pinned certificate", server: { try $0.issue(names: ["other.test"]) },
      policy: { try .trusting($0, .certificate, pins: [$1.certificate]) }, code: .hostMismatch),
    Case(
      name: "B16 self-signed, allowed, unpinned", server: { _ in try .localSelfSigned() },
      policy: { root, _ in try .trusting(root, allowInvalid: true) }, code: .pinRequired),
    Case(
      name: "B16 another self-signed than the pinned one", server: { _ in try .localSelfSigned() },
      policy: { root, _ in
        try .trusting(root, .certificate, pins: [try TestIdentity.localSelfSigned().certificate], allowInvalid: true)
      }, code: .pinMismatch),
    Case(
      name: "B16 expired and pinned",
      server: { _ in try .localSelfSigned { $0.notAfter = Date(timeIntervalSinceNow: -60) } },
      policy: { try .trusting($0, .certificate, pins: [$1.certificate]) }, code: .untrustedChain),
    Case(
      name: "B17 pinned certificate sent but not on the path",
      server: { root in
        var identity = try root.issue(names: ["localhost"])
        identity.intermediates.append(try TestAuthority.make().certificate)
        return identity
      }, policy: { try .trusting($0, .publicKey, pins: [$1.chain[1]]) }, code: .pinMismatch),
    Case(
      name: "B17 intermediate not sent",
      server: { root in
        var identity = try root.issueAuthority().issue(names: ["localhost"])
        identity.intermediates = []
        return identity
      }, policy: { root, _ in try .trusting(root, .publicKey, pins: [root.certificate]) }, code: .untrustedChain),
    Case(
      name: "B18 address in the common name", host: "127.0.0.1",
      server: { try $0.issue(CertificateProfile(commonName: "127.0.0.1")) }, code: .hostMismatch),
    Case(
      name: "B18 address as a DNS name", host: "127.0.0.1", server: { try $0.issue(names: ["DNS:127.0.0.1"]) },
      code: .hostMismatch),
    Case(
      name: "expired",
      server: { root in
        var profile = CertificateProfile(names: ["localhost"])
        profile.notAfter = Date(timeIntervalSinceNow: -60)
        return try root.issue(profile)
      }, code: .expired),
    Case(
      name: "unknown authority", server: { _ in try TestAuthority.make().issue(names: ["localhost"]) },
      code: .untrustedChain),
    Case(
      name: "weak key", server: { try $0.issue(names: ["localhost"], key: TestKey(.rsa1024)) }, code: .weakKey),
    Case(
      name: "a hundred certificates",
      server: { root in
        var identity = try root.issue(names: ["localhost"])
        identity.intermediates = try (0..<100).map { _ in try TestAuthority.make().certificate }
        return identity
      }, code: .chainTooLong),
    Case(
      name: "no pins", server: { try $0.issue(names: ["localhost"]) },
      policy: { root, _ in try .trusting(root, .publicKey) }, code: .noPins),
    Case(
      name: "undecodable pin", server: { try $0.issue(names: ["localhost"]) },
      policy: { root, _ in try .trusting(root, .certificate, pins: [Data("x".utf8)]) }, code: .invalidPin),
    Case(
      name: "no policy for the host", server: { try $0.issue(names: ["localhost"]) },
      policy: { root, _ in try .perHost(["api.test": .trusting(root)]) }, code: .noPolicyForHost),
  ]

  @Test(arguments: cases)
  func `a refused server receives no byte of the request, over HTTP/1.1`(item: Case) async throws {
    let authority = try TestAuthority.make()
    let identity = try item.server(authority)
    let policy = try item.policy(authority, identity)
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: item.host), policy)
      let outcome = await get(manager)
      #expect(outcome.refusal == item.code, "\(outcome)")
      #expect(server.requestCount == 0 && server.requestBytes == 0)
      let error = try #require(outcome.error)
      #expect(error.localizedDescription.contains(item.host))
      let reason = try #require(error.userInfo[NSUnderlyingErrorKey] as? AFSecurityError)
      #expect(error.localizedDescription.contains(reason.reason))
      let trust = error.userInfo[NSURLErrorFailingURLPeerTrustErrorKey] as? AFServerTrust
      // Of a chain that is too long nothing is kept.
      #expect(trust?.certificates.map(\.derRepresentation) == (item.code == .chainTooLong ? nil : identity.chain))
    }
  }

  @Test(arguments: cases)
  func `a refused server receives no byte of the request, over HTTP/2`(item: Case) async throws {
    let authority = try TestAuthority.make()
    let identity = try item.server(authority)
    let policy = try item.policy(authority, identity)
    let server = try TestHTTP2Server(identity: identity) { _ in .ok("reached") }
    let manager = makeManager(for: server.url("", host: item.host), policy)
    #expect(await get(manager).refusal == item.code)
    #expect(server.streams.isEmpty)
    #expect(server.raw.connections.allSatisfy { $0.bytesReceived == 0 })
    try server.stop()
  }

  @Test(arguments: cases, [AFTransportOptions.HTTPVersion.http1, .automatic])
  func `a refused server receives no byte of the request, through a CONNECT proxy`(
    item: Case, version: AFTransportOptions.HTTPVersion
  ) async throws {
    let authority = try TestAuthority.make()
    let identity = try item.server(authority)
    let proxy = try TestProxy()
    let server = try TestHTTP2Server(identity: identity) { _ in .ok("reached") }
    let manager = makeManager(for: server.url("", host: item.host), try item.policy(authority, identity))
    manager.transportOptions.proxy = .init(url: proxy.url.absoluteString)
    manager.transportOptions.httpVersion = version
    let outcome = await get(manager)
    #expect(outcome.refusal == item.code, "\(outcome)")
    #expect(server.raw.connections.count == 1 && server.raw.connections.allSatisfy { $0.bytesReceived == 0 })
    #expect(proxy.requests.map(\.method) == ["CONNECT"])
    try server.stop()
    try proxy.stop()
  }

  @Test func `a chain beyond what OpenSSL takes ends the handshake, and no byte follows it`() async throws {
    let authority = try TestAuthority.make()
    var identity = try authority.issue(names: ["localhost"])
    identity.intermediates = Array(repeating: try TestAuthority.make().certificate, count: 400)
    var options = TestServer.Options(tls: TestTLS(identity))
    options.reportsMalformedRequests = false
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let outcome = await get(makeManager(for: server.url("", host: "localhost"), try .trusting(authority)))
      #expect(outcome.error?.urlError?.code == .secureConnectionFailed, "\(outcome)")
      #expect(server.requestCount == 0 && server.requestBytes == 0)
    }
  }

  @Test func `B16, B17, B18 what must be accepted is`() async throws {
    let authority = try TestAuthority.make()
    let chained = try authority.issueAuthority().issue(names: ["localhost", "127.0.0.1"])
    let selfSigned = try TestIdentity.localSelfSigned()
    let accepted: [(TestIdentity, String, AFSecurityPolicy)] = [
      (chained, "localhost", try .trusting(authority)), (chained, "127.0.0.1", try .trusting(authority)),
      (chained, "localhost", try .trusting(authority, .publicKey, pins: [authority.certificate])),
      (chained, "localhost", try .trusting(authority, .certificate, pins: [authority.certificate])),
      (chained, "localhost", try .trusting(authority, .certificate, pins: [chained.certificate])),
      (
        selfSigned, "localhost",
        try .trusting(authority, .certificate, pins: [selfSigned.certificate], allowInvalid: true)
      ),
      (
        selfSigned, "localhost",
        try .trusting(authority, .publicKey, pins: [selfSigned.certificate], allowInvalid: true)
      ),
    ]
    for (identity, host, policy) in accepted {
      try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
        let outcome = await get(makeManager(for: server.url("", host: host), policy))
        #expect(outcome.status == 200, "\(outcome)")
      }
    }
  }

  @Test func `H13 a policy that pins is refused by a manager without an https base URL`() async throws {
    let pinning = AFSecurityPolicy(publicKeyPins: [try AFPublicKeyPin(sha256: Data(repeating: 0, count: 32))])
    let implied = AFSecurityPolicy.default()
    implied.publicKeyPins = pinning.publicKeyPins
    try await withTestServer(handler: { _ in .text("reached") }) { server in
      for policy in [pinning, implied, .allOf([implied])] {
        let outcome = await get(makeManager(for: server.url(), policy))
        #expect(outcome.error?.cause is AFInvalidSecurityPolicyError)
      }
      #expect(server.acceptCount == 0)
    }
  }

  @Test func `B18 an IPv6 address is matched by its own entry`() async throws {
    let authority = try TestAuthority.make()
    for (name, isAccepted) in [("::1", true), ("127.0.0.1", false), ("DNS:::1", false)] {
      var options = TestServer.Options(tls: TestTLS(try authority.issue(names: [name])))
      options.listener.host = "::1"
      try await withTestServer(options, handler: { _ in .text("reached") }) { server in
        let outcome = await get(makeManager(for: server.url("", host: "[::1]"), try .trusting(authority)))
        #expect((outcome.status == 200) == isAccepted, "\(name): \(outcome)")
        #expect(isAccepted || outcome.refusal == .hostMismatch)
        #expect(server.requestCount == (isAccepted ? 1 : 0))
      }
    }
  }

  @Test func `a manager is not restored with a policy that accepts more than the archived one`() throws {
    func restored(_ policy: AFSecurityPolicy) throws -> AFHTTPSessionManager? {
      let url = try #require(URL(string: "https://localhost/"))
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: makeManager(for: url, policy), requiringSecureCoding: true)
      return try? NSKeyedUnarchiver.unarchivedObject(ofClass: AFHTTPSessionManager.self, from: data)
    }
    let pinned = AFSecurityPolicy(publicKeyPins: [try AFPublicKeyPin(sha256: Data(repeating: 1, count: 32))])
    #expect(try restored(pinned)?.securityPolicy.publicKeyPins == pinned.publicKeyPins)
    #expect(try restored(.allOf([pinned])) == nil)
  }

  @Test func `TLS versions and ciphers that the policy does not want are not spoken`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    var tls = TestTLS(identity)
    tls.maximumVersion = .tls12
    var options = TestServer.Options(tls: tls)
    options.reportsMalformedRequests = false
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      #expect(await get(manager).status == 200)
      policy.minimumTLSVersion = .tls13
      let refused = await get(manager)
      #expect(refused.error != nil && refused.refusal == nil)
      policy.minimumTLSVersion = .tls12
      policy.ciphers = try AFTLSCiphers(tls12: "ECDHE-ECDSA-CHACHA20-POLY1305")
      #expect(await get(manager).status == 200)
      #expect(server.connections.last?.tls?.cipher.contains("CHACHA20") == true)
      #expect(server.requestCount == 2)
    }
  }
}

extension TestIdentity {
  /// A self-signed certificate for `localhost`.
  static func localSelfSigned(_ change: (inout CertificateProfile) -> Void = { _ in }) throws -> TestIdentity {
    var profile = CertificateProfile(names: ["localhost"])
    change(&profile)
    return try TestAuthority.selfSigned(profile)
  }
}
