import AFCore
import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// B19: a verdict is never carried over, not by a connection, a TLS session, a redirect or a retry.
@Suite struct SecurityReuseTests {
  private let authority: TestAuthority
  private let identity: TestIdentity
  private let foreign: TestAuthority

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issue(names: ["localhost"])
    foreign = try TestAuthority.make()
  }

  @Test func `B19 two sessions with different pins share nothing, over HTTP/1.1`() async throws {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let url = server.url("", host: "localhost")
      let right = makeManager(for: url, try .trusting(authority, .publicKey, pins: [identity.certificate]))
      let wrong = makeManager(for: url, try .trusting(authority, .publicKey, pins: [foreign.certificate]))
      #expect(await get(right).status == 200)
      #expect(await get(wrong).refusal == .pinMismatch)
      #expect(await get(right).status == 200)
      #expect(server.requestCount == 2)
    }
  }

  @Test func `B19 a policy that changes between two requests judges the open connection anew, over HTTP/1.1`()
    async throws
  {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [identity.certificate])
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      #expect(await get(manager).status == 200)
      policy.pinnedCertificates = [foreign.certificate]
      #expect(await get(manager).refusal == .pinMismatch)
      #expect(server.requestCount == 1)
      policy.pinnedCertificates = [authority.certificate]
      #expect(await get(manager).status == 200)
      manager.securityPolicy = try .trusting(foreign)
      #expect(await get(manager).refusal == .untrustedChain)
      // A member of a composed policy counts as well.
      let member = try AFSecurityPolicy.trusting(authority)
      manager.securityPolicy = try .perHost(["localhost": member])
      #expect(await get(manager).status == 200)
      member.anchorCertificates = [try AFCertificate(derRepresentation: foreign.certificate)]
      #expect(await get(manager).refusal == .untrustedChain)
      #expect(server.requestCount == 3)
    }
  }

  @Test func `B19 a policy that changes between two requests judges the open connection anew, over HTTP/2`()
    async throws
  {
    let server = try TestHTTP2Server(identity: identity) { _ in .ok("reached") }
    let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [identity.certificate])
    let manager = makeManager(for: server.url("", host: "localhost"), policy)
    let first = await get(manager)
    #expect(first.status == 200, "\(first)")
    #expect(await get(manager).status == 200)
    #expect(server.acceptCount == 1)
    policy.pinnedCertificates = [foreign.certificate]
    #expect(await get(manager).refusal == .pinMismatch)
    #expect(server.streams.count == 2)
    let wrong = makeManager(
      for: server.url("", host: "localhost"), try .trusting(authority, .certificate, pins: [foreign.certificate]))
    #expect(await get(wrong).refusal == .pinMismatch)
    #expect(server.streams.count == 2)
    try server.stop()
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `TLS sessions are resumed under the policy that accepted them, and under no other`(version: TestTLS.Version)
    async throws
  {
    var tls = TestTLS(identity)
    tls.maximumVersion = version
    var options = TestServer.Options(tls: tls)
    options.requestsPerConnection = 1
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [identity.certificate])
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      for _ in 0..<4 { #expect(await get(manager).status == 200) }
      #expect(server.connections.contains { $0.tls?.isResumed == true })

      let before = server.connections.count
      policy.pinnedCertificates = [authority.certificate]
      #expect(await get(manager).status == 200)
      #expect(server.connections.dropFirst(before).allSatisfy { $0.tls?.isResumed == false })

      let requests = server.requestCount
      policy.pinnedCertificates = [foreign.certificate]
      for _ in 0..<3 { #expect(await get(manager).refusal == .pinMismatch) }
      #expect(server.requestCount == requests)
    }
  }

  @Test func `a certificate that runs out is refused on a resumed session too`() async throws {
    var profile = CertificateProfile(names: ["localhost"])
    profile.notAfter = Date(timeIntervalSinceNow: 10)
    var options = TestServer.Options(tls: TestTLS(try authority.issue(profile)))
    options.requestsPerConnection = 1
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), try .trusting(authority))
      var accepted = 0
      var last = await get(manager)
      while last.status == 200 {
        accepted += 1
        try await Task.sleep(for: .milliseconds(200))
        last = await get(manager)
      }
      #expect(last.refusal == .expired, "\(last)")
      #expect(Date() >= profile.notAfter - 1)
      #expect(accepted > 0)
      #expect(server.requestCount == accepted)
      try await eventually { server.connections.last?.tls?.isResumed == true }
    }
  }

  @Test func `a subclass that asks for new verdicts is asked again, on an open connection too`() async throws {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let policy = Moody.default()
      policy.anchorCertificates = [try AFCertificate(derRepresentation: authority.certificate)]
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      #expect(await get(manager).status == 200)
      #expect(await get(manager).status == 200)
      #expect(server.acceptCount == 1 || server.requestCount == 2)
      policy.isInGoodMood = false
      policy.invalidateVerdicts()
      #expect(await get(manager).refusal == .refusedByPolicy)
      #expect(server.requestCount == 2)
      policy.isInGoodMood = true
      policy.invalidateVerdicts()
      #expect(await get(manager).status == 200)
    }
  }

  @Test func `a redirect to another host meets that host's policy`() async throws {
    let elsewhere = try foreign.issue(names: ["localhost"])
    try await withTestServer(.init(tls: TestTLS(elsewhere)), handler: { _ in .text("must not be reached") }) { target in
      let location = target.url("secret", host: "localhost").absoluteString
      try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .redirect(to: location) }) { server in
        let manager = makeManager(for: server.url("", host: "localhost"), try .trusting(authority))
        #expect(await get(manager).refusal == .untrustedChain)
        #expect(server.requestCount == 1)
        #expect(target.requestCount == 0 && target.requestBytes == 0)
      }
    }
  }

  @Test func `a connection that breaks is not replaced by one to an impostor`() async throws {
    // The same port answers with another certificate once the first connection is gone.
    let first = try TestServer(.init(tls: TestTLS(identity))) { _ in .text("reached") }
    let manager = makeManager(
      for: first.url("", host: "localhost"), try .trusting(authority, .publicKey, pins: [identity.certificate]))
    #expect(await get(manager).status == 200)
    let port = first.port
    try first.stop()
    var options = TestServer.Options(tls: TestTLS(try foreign.issue(names: ["localhost"])))
    options.listener.port = port
    let impostor = try TestServer(options) { _ in .text("must not be reached") }
    #expect(await get(manager).refusal == .untrustedChain)
    #expect(impostor.requestCount == 0 && impostor.requestBytes == 0)
    try impostor.stop()
  }
}

/// A policy whose verdict depends on state of its own.
final class Moody: AFSecurityPolicy, @unchecked Sendable {
  private let mood = Locked(true)

  var isInGoodMood: Bool {
    get { mood.withLock { $0 } }
    set { mood.withLock { $0 = newValue } }
  }

  override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
    isInGoodMood && super.evaluateServerTrust(serverTrust, forDomain: domain)
  }
}
