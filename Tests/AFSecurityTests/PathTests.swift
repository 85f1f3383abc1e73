import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// RFC 5280 path validation, through the policy.
@Suite struct PathTests {
  private let day: TimeInterval = 86_400

  @Test(arguments: [TestKey.Kind.p256, .p384, .rsa2048, .ed25519])
  func `chains of every common kind of key pass`(kind: TestKey.Kind) throws {
    let root = try TestAuthority.make(key: TestKey(kind))
    let leaf = try root.issueAuthority(key: TestKey(kind)).issue(names: ["a.test"], key: TestKey(kind))
    #expect(try policy(root).verdict(leaf, "a.test") == nil)
  }

  @Test func `each fault of a leaf has its own code`() throws {
    // RSA, because there is no such thing as an ECDSA signature with MD5.
    let root = try TestAuthority.make(key: TestKey(.rsa2048))
    func verdict(_ change: (inout CertificateProfile) -> Void, key: TestKey? = nil) throws -> AFSecurityError.Code? {
      var profile = CertificateProfile(names: ["a.test"])
      change(&profile)
      return try policy(root).verdict(root.issue(profile, key: key), "a.test")
    }
    #expect(try verdict { _ in } == nil)
    #expect(try verdict { $0.notAfter = Date(timeIntervalSinceNow: -60) } == .expired)
    #expect(try verdict { $0.notBefore = Date(timeIntervalSinceNow: 3600) } == .notYetValid)
    #expect(try verdict { $0.extendedKeyUsage = "clientAuth" } == .unsuitableCertificate)
    #expect(try verdict { $0.extendedKeyUsage = nil } == nil)
    #expect(try verdict { $0.digest = .sha1 } == .weakSignature)
    #expect(try verdict { $0.digest = .md5 } == .weakSignature)
    #expect(try verdict({ _ in }, key: TestKey(.rsa1024)) == .weakKey)
    #expect(try verdict { $0.extensions = [("1.2.3.4", "critical,DER:0500")] } == .unsuitableCertificate)
  }

  @Test func `a path length of none allows no authority below`() throws {
    let root = try TestAuthority.make(.authority("Root", pathLength: 0))
    let below = try root.issueAuthority()
    #expect(try policy(root).verdict(root.issue(names: ["a.test"]), "a.test") == nil)
    #expect(try policy(root).verdict(below.issue(names: ["a.test"]), "a.test") == .unsuitableCertificate)
  }

  @Test func `a leaf that acts as an authority is refused`() throws {
    let root = try TestAuthority.make()
    let leaf = try root.issue(names: ["a.test"])
    let forger = TestAuthority(forging: leaf)
    #expect(try policy(root).verdict(forger.issue(names: ["victim.test"]), "victim.test") == .unsuitableCertificate)
  }

  @Test func `name constraints of an authority bind the leaves below it`() throws {
    let root = try TestAuthority.make()
    var profile = CertificateProfile.authority("Constrained")
    profile.nameConstraints = "permitted;DNS:inside.test"
    let constrained = try root.issueAuthority(profile)
    #expect(try policy(root).verdict(constrained.issue(names: ["a.inside.test"]), "a.inside.test") == nil)
    #expect(
      try policy(root).verdict(constrained.issue(names: ["outside.test"]), "outside.test") == .unsuitableCertificate)
  }

  @Test func `a cross-signed root leads to either anchor`() throws {
    let oldRoot = try TestAuthority.make(.authority("Old"))
    let key = try TestKey()
    let newRoot = try TestAuthority.make(.authority("New"), key: key)
    let cross = try oldRoot.issueAuthority(.authority("New"), key: key)
    let leaf = try newRoot.issueAuthority().issue(names: ["a.test"])
    let sent = TestIdentity(extending: leaf, with: [cross.certificate])
    #expect(try policy(newRoot).verdict(sent, "a.test") == nil)
    #expect(try policy(oldRoot).verdict(sent, "a.test") == nil)
    #expect(try policy(newRoot).verdict(leaf, "a.test") == nil)
    #expect(try policy(oldRoot).verdict(leaf, "a.test") == .untrustedChain)
  }

  @Test func `the order in which a server sends its intermediates does not matter`() throws {
    let root = try TestAuthority.make()
    let second = try root.issueAuthority(.authority("Second"))
    var leaf = try second.issueAuthority(.authority("First")).issue(names: ["a.test"])
    leaf.intermediates.reverse()
    #expect(try policy(root).verdict(leaf, "a.test") == nil)
  }

  @Test func `a chain is judged at the time that is asked for`() throws {
    let root = try TestAuthority.make()
    var profile = CertificateProfile(names: ["a.test"])
    profile.notBefore = Date(timeIntervalSinceNow: -10 * 3600)
    profile.notAfter = Date(timeIntervalSinceNow: -5 * 3600)
    let leaf = try root.issue(profile)
    let policy = try policy(root)
    #expect(try policy.verdict(leaf, "a.test") == .expired)
    #expect(try policy.verdict(leaf, "a.test", at: Date(timeIntervalSinceNow: -7 * 3600)) == nil)
    policy.evaluationDate = Date(timeIntervalSinceNow: -7 * 3600)
    #expect(try policy.verdict(leaf, "a.test") == nil)
    #expect(try policy.verdict(leaf, "a.test", at: Date(timeIntervalSinceNow: -12 * 3600)) == .notYetValid)
  }

  @Test func `an intermediate can be an anchor, and without anchors nothing passes`() throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy()
    policy.anchorCertificates = [try fixtures.intermediate.certificate.certificate()]
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    policy.anchorCertificates = []
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .untrustedChain)
    policy.anchorCertificates = nil
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .untrustedChain)
    policy.usesSystemAnchors = true
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .untrustedChain)
    policy.anchorCertificates = [try fixtures.root.certificate.certificate()]
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
  }

  @Test func `a root of the system's store is trusted without being loaded by hand`() throws {
    let bundle = URL(fileURLWithPath: "/etc/ssl/certs/ca-certificates.crt")
    let roots = try AFCertificate.certificates(contentsOf: bundle).filter {
      $0.isSelfSigned && $0.notValidAfter > Date()
    }
    let root = try #require(roots.first)
    let policy = AFSecurityPolicy.default()
    // A root is an anchor and so a path of one, which fails for another reason: it is no server.
    func code(_ certificate: AFCertificate) -> AFSecurityError.Code? {
      let trust = AFServerTrust(certificates: [certificate])
      return #expect(throws: AFSecurityError.self) { try policy.evaluate(trust, forDomain: nil) }?.code
    }
    #expect(code(root) == .unsuitableCertificate)
    #expect(try code(TestAuthority.make().certificate.certificate()) == .untrustedChain)
  }

  @Test func `a chain of a hundred authorities is refused at once, and so is an endless list`() throws {
    let root = try TestAuthority.make()
    var authority = root
    for index in 0..<98 { authority = try authority.issueAuthority(.authority("Level \(index)")) }
    let leaf = try authority.issue(names: ["a.test"])
    #expect(leaf.chain.count == 99)
    #expect(try policy(root).verdict(leaf, "a.test") == .chainTooLong)

    let chain = Array(repeating: leaf.certificate, count: 101)
    let error = #expect(throws: AFSecurityError.self) { try AFServerTrust(derRepresentations: chain) }
    #expect(error?.code == .chainTooLong)
    let trust = AFServerTrust(certificates: try chain.map { try $0.certificate() })
    let second = #expect(throws: AFSecurityError.self) { try policy(root).evaluate(trust, forDomain: nil) }
    #expect(second?.code == .chainTooLong)
  }

  @Test func `an error carries the certificate at fault, the chain and the pins seen`() throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy(.publicKey, pins: [fixtures.otherRoot.certificate])
    let trust = try fixtures.leaf.trust()
    let error = try #require(
      #expect(throws: AFSecurityError.self) { try policy.evaluate(trust, forDomain: Fixtures.host) })
    #expect(error.code == .pinMismatch)
    let path = try (fixtures.leaf.chain + [fixtures.root.certificate]).map { try $0.certificate() }
    #expect(error.chain == path)
    #expect(error.presentedPins == path.map(\.publicKeyPin))
    #expect(error.description.hasPrefix("\(Fixtures.host): "))
    for pin in error.presentedPins { #expect(error.reason.contains(pin.description)) }
    for certificate in path { #expect(error.detailedDescription.contains(certificate.subject)) }
    let bridged = error as NSError
    #expect(bridged.domain == "AFSecurityErrorDomain")
    #expect(bridged.code == AFSecurityError.Code.pinMismatch.rawValue)
    #expect(bridged.localizedDescription == error.description)
  }
}
