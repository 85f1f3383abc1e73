import AFSecurity
import AFTestSupport
import Foundation
import Testing

@Suite struct BadInputTests {
  @Test func `bytes that are no certificate are refused with a reason`() throws {
    let leaf = try Fixtures().leaf
    let inputs = [
      Data(), Data([0x30]), Data("-----BEGIN CERTIFICATE-----".utf8), leaf.certificate.dropLast(),
      leaf.certificate + [0], Data(repeating: 0x30, count: 10 << 20),
      Data("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----".utf8),
      Data("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----".utf8),
      Data(try leaf.keyPEM.utf8), Data(leaf.certificatePEM.dropLast(30).utf8),
    ]
    for input in inputs {
      let error = #expect(throws: AFSecurityError.self) { try AFCertificate.certificates(in: input) }
      #expect(error?.code == .invalidCertificate)
    }
  }

  @Test func `a text with several certificates is read whole or refused where one is meant`() throws {
    let fixtures = try Fixtures()
    let text = "# comment\n" + fixtures.leaf.chainPEM + "between\n" + fixtures.root.certificatePEM
    #expect(
      try AFCertificate.certificates(in: Data(text.utf8)).map(\.derRepresentation)
        == fixtures.leaf.chain + [fixtures.root.certificate])
    #expect(try AFServerTrust(pemRepresentation: fixtures.leaf.chainPEM).certificates.count == 2)
    let error = #expect(throws: AFSecurityError.self) { try AFCertificate(pemRepresentation: text) }
    #expect(error?.code == .invalidCertificate)
    #expect(try AFCertificate(pemRepresentation: fixtures.root.certificatePEM).isSelfSigned)
    #expect(
      try AFCertificate(pemRepresentation: fixtures.leaf.certificatePEM).pemRepresentation
        == fixtures.leaf.certificatePEM)
    // One pin of several certificates pins each of them.
    let policy = try fixtures.policy(.publicKey, pins: [Data(text.utf8)])
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
  }

  @Test func `a file that is missing or too large is refused by name`() throws {
    let directory = try TemporaryDirectory()
    let large = try directory.write(Data(repeating: 0x41, count: 10 << 20), to: "large.pem")
    for url in [large, directory.file("missing.pem")] {
      let error = #expect(throws: AFSecurityError.self) { try AFCertificate.certificates(contentsOf: url) }
      #expect(error?.code == .unreadableFile)
      #expect(error?.reason.contains(url.lastPathComponent) == true)
    }
    let error = #expect(throws: AFSecurityError.self) {
      try AFSecurityPolicy.certificates(inDirectory: directory.file("nowhere"))
    }
    #expect(error?.code == .unreadableFile)
  }

  @Test func `a server without certificates or with broken ones is refused`() throws {
    let policy = AFSecurityPolicy.default()
    let empty = AFServerTrust(certificates: [])
    #expect(!policy.evaluateServerTrust(empty, forDomain: "a.test"))
    #expect(empty.evaluationError?.code == .invalidCertificate)
    policy.allowInvalidCertificates = true
    policy.validatesDomainName = false
    #expect(!policy.evaluateServerTrust(empty, forDomain: nil))
    let error = #expect(throws: AFSecurityError.self) {
      try policy.snapshot().evaluate(chain: [Data("x".utf8)], host: "a.test", stapledOCSPResponse: nil, at: nil)
    }
    #expect(error?.code == .invalidCertificate)
    #expect(error?.host == "a.test")
  }

  @Test func `ciphers that OpenSSL does not know are refused when chosen`() throws {
    _ = try AFTLSCiphers(tls12: "ECDHE+AESGCM", tls13: "TLS_AES_128_GCM_SHA256")
    for (old, new) in [("NO-SUCH-CIPHER", nil), (nil, "TLS_NO_SUCH"), ("", nil)] as [(String?, String?)] {
      let error = #expect(throws: AFSecurityError.self) { try AFTLSCiphers(tls12: old, tls13: new) }
      #expect(error?.code == .invalidCiphers)
    }
  }

  @Test(arguments: [-Double.infinity, -1e300, -1e12, 1e12, 1e300, .infinity, .nan])
  func `a moment that no clock will show is before or after every certificate`(seconds: Double) throws {
    let root = try TestAuthority.make()
    let leaf = try root.issue(names: ["a.test"])
    let date = Date(timeIntervalSince1970: seconds)
    #expect(try policy(root).verdict(leaf, "a.test", at: date) == (seconds < 0 ? .notYetValid : .expired))
    let experienced = try policy(root)
    #expect(try experienced.verdict(leaf, "a.test") == nil)
    experienced.evaluationDate = date
    #expect(try experienced.verdict(leaf, "a.test") == (seconds < 0 ? .notYetValid : .expired))
    experienced.revocationChecking = AFRevocationChecking(
      revocationLists: try AFRevocationList.lists(in: root.revocationList(of: [])))
    #expect(try experienced.verdict(leaf, "a.test") != nil)
    let trust = AFServerTrust(
      certificates: try leaf.chain.map { try $0.certificate() },
      stapledOCSPResponse: try root.ocspResponse(for: leaf.certificate))
    #expect(throws: AFSecurityError.self) { try experienced.evaluate(trust, forDomain: "a.test") }
  }
}
