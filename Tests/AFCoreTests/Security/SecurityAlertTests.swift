import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// F68: a TLS server's refusal is never a lost connection. And reports about pins, on their way.
@Suite struct SecurityAlertTests {
  private let authority: TestAuthority
  private let identity: TestIdentity

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issue(names: ["localhost"])
  }

  enum Client: CaseIterable { case nothing, stranger, expired }

  @Test(arguments: [TestTLS.Version.tls12, .tls13], Client.allCases)
  func `F68 a server that wants another client certificate says so, before or after the handshake`(
    version: TestTLS.Version, client: Client
  ) async throws {
    var tls = TestTLS(identity)
    tls.maximumVersion = version
    tls.clientCertificate = .required(authorities: [authority.certificate])
    var options = TestServer.Options(tls: tls)
    options.reportsMalformedRequests = false
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      switch client {
      case .nothing: break
      case .stranger:
        policy.clientIdentity = try TestAuthority.make(.authority("Stranger")).issue(names: ["client"])
          .asClientIdentity()
      case .expired:
        var profile = CertificateProfile(names: ["client"])
        profile.notAfter = Date(timeIntervalSinceNow: -60)
        policy.clientIdentity = try authority.issue(profile).asClientIdentity()
      }
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      for _ in 0..<3 {
        let error = await get(manager).error
        let expected: URLError.Code = client == .nothing ? .clientCertificateRequired : .clientCertificateRejected
        #expect(error?.urlError?.code == expected, "\(String(describing: error))")
        #expect(error?.urlError?.localizedDescription.contains("alert") == true)
      }
      #expect(server.requestCount == 0)
    }
  }

  @Test func `F68 no version in common is a failed handshake that names the alert`() async throws {
    var tls = TestTLS(identity)
    tls.maximumVersion = .tls12
    try await withTestServer(.init(tls: tls), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      policy.minimumTLSVersion = .tls13
      let error = await get(makeManager(for: server.url("", host: "localhost"), policy)).error
      #expect(error?.urlError?.code == .secureConnectionFailed)
      #expect(
        error?.urlError?.localizedDescription.contains("protocol_version (70)") == true, "\(String(describing: error))")
    }
  }

  @Test func `B90 an identity from an RC2 file serves in mutual TLS`() async throws {
    let client = try authority.issue(names: ["client"], key: TestKey(.rsa2048))
    let directory = try TemporaryDirectory()
    let input = try directory.write(Data((client.chainPEM + client.keyPEM).utf8), to: "identity.pem").path
    let file = directory.file("identity.p12")
    try OpenSSLTool.run(["pkcs12", "-export", "-legacy", "-in", input, "-out", file.path, "-passout", "pass:x"])
    var tls = TestTLS(identity)
    tls.clientCertificate = .required(authorities: [authority.certificate])
    try await withTestServer(.init(tls: tls), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      policy.clientIdentity = try AFClientIdentity(contentsOf: file, passphrase: "x")
      let outcome = await get(makeManager(for: server.url("", host: "localhost"), policy))
      #expect(outcome.status == 200, "\(outcome)")
      #expect(server.connections.last?.tls?.clientCertificate == client.certificate)
    }
  }

  @Test func `a refused pin is posted to the policy's URL, once a day`() async throws {
    try await withTestServer(handler: { _ in .text("thanks") }) { reports in
      try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
        let other = try authority.issue(names: ["localhost"])
        let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [other.certificate])
        policy.pinReportURL = reports.url("pins")
        let manager = makeManager(for: server.url("", host: "localhost"), policy)
        for _ in 0..<3 { #expect(await get(manager).refusal == .pinMismatch) }
        try await eventually { reports.requests.filter(\.isComplete).count == 1 }
        // Another host is another report; by then the second and third of the first would have come.
        #expect(await get(makeManager(for: server.url("", host: "127.0.0.1"), policy)).error != nil)
        policy.validatesDomainName = false
        #expect(await get(makeManager(for: server.url("", host: "127.0.0.1"), policy)).refusal == .pinMismatch)
        try await eventually { reports.requests.filter(\.isComplete).count == 2 }
        let hosts = reports.requests.compactMap { request in
          (try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])?["hostname"] as? String
        }
        #expect(hosts == ["localhost", "127.0.0.1"])
        #expect(reports.requests.allSatisfy { $0.method == "POST" })
      }
    }
  }
}
