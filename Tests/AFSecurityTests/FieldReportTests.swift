import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// Public bug reports, replayed on the policy alone.
@Suite struct FieldReportTests {
  @Test(arguments: [AFSSLPinningMode.none, .publicKey, .certificate])
  func `B15, H32, H44 a good certificate of another host is refused in every mode`(mode: AFSSLPinningMode) throws {
    let authority = try TestAuthority.make()
    let leaf = try authority.issue(names: ["other.test"])
    let policy = AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: [leaf.certificate])
    policy.anchorCertificates = [try authority.certificate.certificate()]
    let trust = try leaf.trust()
    let error = #expect(throws: AFSecurityError.self) { try policy.evaluate(trust, forDomain: "localhost") }
    #expect(error?.code == .hostMismatch)
    #expect(error?.offeredNames == ["other.test"])
    #expect(error?.host == "localhost")
    // Switching the name check off leaves the chain check on.
    policy.validatesDomainName = false
    #expect(try policy.verdict(leaf, "localhost") == nil)
    let stranger = try TestAuthority.make().issue(names: ["localhost"])
    #expect(try policy.verdict(stranger, "localhost") == .untrustedChain)
  }

  @Test func `B16 allowing invalid certificates proves nothing without a pin, and never allows any other`() throws {
    let fixtures = try Fixtures()
    let unpinned = try fixtures.policy(allowInvalid: true)
    #expect(try unpinned.verdict(fixtures.selfSigned, Fixtures.host) == .pinRequired)
    for mode in [AFSSLPinningMode.certificate, .publicKey] {
      let pinned = try fixtures.policy(mode, pins: [fixtures.selfSigned.certificate], allowInvalid: true)
      #expect(try pinned.verdict(fixtures.selfSigned, Fixtures.host) == nil)
      #expect(try pinned.verdict(fixtures.selfSignedByAnother, Fixtures.host) == .pinMismatch)
      // Also when the impostor sends the pinned certificate along.
      let impostor = TestIdentity(
        extending: fixtures.selfSignedByAnother, with: [fixtures.selfSigned.certificate])
      #expect(try pinned.verdict(impostor, Fixtures.host) == .pinMismatch)
    }
    let strict = try fixtures.policy(.certificate, pins: [fixtures.selfSignedExpired.certificate])
    #expect(try strict.verdict(fixtures.selfSignedExpired, Fixtures.host) != nil)
  }

  @Test func `a leaf cannot vouch for the pinned certificate it did not come from (allowed invalid)`() throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy(.publicKey, pins: [fixtures.intermediate.certificate], allowInvalid: true)
    // A certificate that names the pinned intermediate as its issuer, signed by another key.
    let impostor = try TestAuthority.make(.authority("Intermediate")).issue(names: [Fixtures.host])
    let sent = TestIdentity(extending: impostor, with: [fixtures.intermediate.certificate])
    #expect(try policy.verdict(sent, Fixtures.host) == .pinMismatch)
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    // A leaf is no authority, even with the pinned one above it.
    let grafted = try signed(by: fixtures.leaf, names: ["victim.test"])
    #expect(try policy.verdict(grafted, "victim.test") == .pinMismatch)
  }

  @Test(arguments: [AFSSLPinningMode.publicKey, .certificate])
  func `B17, H22 pins are compared with the validated path, not with what was sent`(mode: AFSSLPinningMode) throws {
    let fixtures = try Fixtures()
    let rootPinned = try fixtures.policy(mode, pins: [fixtures.root.certificate])
    #expect(fixtures.leaf.chain.count == 2)
    #expect(try rootPinned.verdict(fixtures.leaf, Fixtures.host) == nil)

    let unrelatedPinned = try fixtures.policy(mode, pins: [fixtures.selfSigned.certificate])
    let withUnrelated = TestIdentity(extending: fixtures.leaf, with: [fixtures.selfSigned.certificate])
    #expect(try unrelatedPinned.verdict(withUnrelated, Fixtures.host) == .pinMismatch)

    var leafAlone = fixtures.leaf
    leafAlone.intermediates = []
    #expect(try rootPinned.verdict(leafAlone, Fixtures.host) == .untrustedChain)
  }

  @Test func `B18 an address matches only iPAddress entries of its own length`() throws {
    let authority = try TestAuthority.make()
    let policy = AFSecurityPolicy()
    policy.anchorCertificates = [try authority.certificate.certificate()]
    func verdict(_ profile: CertificateProfile, _ host: String) throws -> AFSecurityError.Code? {
      try policy.verdict(authority.issue(profile), host)
    }
    var withMask = CertificateProfile(commonName: "127.0.0.1")
    // SEQUENCE { [7] 127.0.0.1 255.0.0.0 }
    withMask.extensions = [("subjectAltName", "DER:30:0A:87:08:7F:00:00:01:FF:00:00:00")]

    #expect(try verdict(CertificateProfile(commonName: "127.0.0.1"), "127.0.0.1") == .hostMismatch)
    #expect(try verdict(CertificateProfile(names: ["DNS:127.0.0.1"]), "127.0.0.1") == .hostMismatch)
    #expect(try verdict(CertificateProfile(names: ["IP:127.0.0.1"]), "127.0.0.1") == nil)
    #expect(try verdict(withMask, "127.0.0.1") == .hostMismatch)
    #expect(try verdict(CertificateProfile(names: ["IP:::1"]), "::1") == nil)
    #expect(try verdict(CertificateProfile(names: ["IP:::1"]), "[::1]") == nil)
    for unusable in ["127.1", "0x7f.0.0.1", "1::2::3", "", "a b", "a\u{0}b", "host/", "127.0.0.1\u{0}"] {
      #expect(
        try verdict(CertificateProfile(names: ["127.0.0.1", "localhost"]), unusable) == .hostMismatch, "\(unusable)")
    }
  }

  @Test func `H23 a certificate pinned twice counts once`() throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy(
      .certificate, pins: [fixtures.leaf.certificate, Data(fixtures.leaf.certificatePEM.utf8)])
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
  }

  /// A certificate that a leaf signed with its own key, as if it were an authority.
  private func signed(by leaf: TestIdentity, names: [String]) throws -> TestIdentity {
    try TestAuthority(forging: leaf).issue(names: names)
  }
}
