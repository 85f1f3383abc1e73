import AFSecurity
import AFTestSupport
import Foundation
import Testing

@Suite struct PolicyTests {
  @Test
  func
    `AF-T065, AF-T066, AF-T067, AF-T068 the default policy pins nothing, refuses invalid certificates and checks names`()
  {
    let policy = AFSecurityPolicy.default()
    #expect(policy.sslPinningMode == .none)
    #expect(!policy.allowInvalidCertificates)
    #expect(policy.validatesDomainName)
    #expect(policy.pinnedCertificates == nil)
  }

  @Test(arguments: [AFSSLPinningMode.publicKey, .certificate])
  func `AF-T073, AF-T074, AF-T085, AF-T086 a policy holds each certificate of a directory once`(mode: AFSSLPinningMode)
    throws
  {
    let fixtures = try Fixtures()
    let directory = try TemporaryDirectory()
    try fixtures.leaf.certificate.write(to: directory.url.appendingPathComponent("leaf.cer"))
    try Data(fixtures.leaf.chainPEM.utf8).write(to: directory.url.appendingPathComponent("chain.pem"))
    try Data("not a certificate".utf8).write(to: directory.url.appendingPathComponent("readme.txt"))
    let pins = try AFSecurityPolicy.certificates(inDirectory: directory.url, wholeChains: true)
    let policy = AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: pins)
    #expect(policy.pinnedCertificates == Set(fixtures.leaf.chain))
    #expect(policy.sslPinningMode == mode)
  }

  @Test func `a bundle's cer files are its certificates (H05, AF-T074)`() throws {
    let fixtures = try Fixtures()
    let directory = try TemporaryDirectory()
    try fixtures.leaf.certificate.write(to: directory.url.appendingPathComponent("leaf.cer"))
    try fixtures.root.certificate.write(to: directory.url.appendingPathComponent("root.der"))
    let bundle = try #require(Bundle(path: directory.url.path))
    #expect(AFSecurityPolicy.certificates(in: bundle) == [fixtures.leaf.certificate])
  }

  @Test func `AF-T109 a copy equals its original and is independent of it`() throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy(
      .publicKey, pins: [fixtures.leaf.certificate], allowInvalid: true, validatesName: false)
    policy.publicKeyPins = [try fixtures.root.certificate.certificate().publicKeyPin]
    let copy = try #require(policy.copy() as? AFSecurityPolicy)
    #expect(copy.sslPinningMode == .publicKey)
    #expect(copy.allowInvalidCertificates)
    #expect(!copy.validatesDomainName)
    #expect(copy.pinnedCertificates == policy.pinnedCertificates)
    #expect(copy.publicKeyPins == policy.publicKeyPins)
    #expect(copy.anchorCertificates == policy.anchorCertificates)
    copy.allowInvalidCertificates = false
    #expect(policy.allowInvalidCertificates)
    #expect(copy.generation != policy.generation)
  }

  @Test func `AF-T110 an archived policy comes back with everything that affects its verdict`() throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy(
      .certificate, pins: [fixtures.leaf.certificate, fixtures.root.certificate], allowInvalid: true,
      validatesName: false)
    policy.publicKeyPins = [try fixtures.leaf.certificate.certificate().publicKeyPin]
    policy.backupPublicKeyPins = [try AFPublicKeyPin(sha256: Data(repeating: 7, count: 32))]
    policy.evaluationDate = Date(timeIntervalSince1970: 1_600_000_000)
    policy.minimumTLSVersion = .tls13
    policy.ciphers = try AFTLSCiphers(tls12: "ECDHE+AESGCM")
    policy.revocationChecking = AFRevocationChecking(requirement: .required, checksWholeChain: true)

    let data = try NSKeyedArchiver.archivedData(withRootObject: policy, requiringSecureCoding: true)
    let restored = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: AFSecurityPolicy.self, from: data))
    #expect(restored.sslPinningMode == .certificate)
    #expect(restored.allowInvalidCertificates)
    #expect(!restored.validatesDomainName)
    #expect(restored.pinnedCertificates == policy.pinnedCertificates)
    #expect(restored.publicKeyPins == policy.publicKeyPins)
    #expect(restored.backupPublicKeyPins == policy.backupPublicKeyPins)
    #expect(restored.anchorCertificates == policy.anchorCertificates)
    #expect(!restored.usesSystemAnchors)
    #expect(restored.evaluationDate == policy.evaluationDate)
    #expect(restored.minimumTLSVersion == .tls13)
    #expect(restored.ciphers == policy.ciphers)
    #expect(restored.revocationChecking?.requirement == .required)
    #expect(restored.revocationChecking?.checksWholeChain == true)
  }

  @Test func `a composed policy cannot be restored as something laxer`() throws {
    let policy = AFSecurityPolicy.allOf([.default()])
    let data = try NSKeyedArchiver.archivedData(withRootObject: policy, requiringSecureCoding: true)
    let restored = try? NSKeyedUnarchiver.unarchivedObject(ofClass: AFSecurityPolicy.self, from: data)
    #expect(restored == nil)
  }

  final class Strict: AFSecurityPolicy, @unchecked Sendable {
    override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
      domain != "forbidden.test" && super.evaluateServerTrust(serverTrust, forDomain: domain)
    }
  }

  @Test func `a subclass keeps its class through default() and copy(), and its verdict counts`() throws {
    let fixtures = try Fixtures()
    let policy = Strict.default()
    policy.anchorCertificates = [try fixtures.root.certificate.certificate()]
    let copy = try #require(policy.copy() as? Strict)
    #expect(try copy.verdict(fixtures.leaf, Fixtures.host) == nil)
    #expect(try copy.verdict(fixtures.leaf, "forbidden.test") == .refusedByPolicy)
    // The reason that `super` found is not lost.
    #expect(try copy.verdict(fixtures.leaf, "mismatch.test") == .hostMismatch)
    #expect(copy.snapshot().runsUserCode)
    #expect(!AFSecurityPolicy.default().snapshot().runsUserCode)
    #expect(AFSecurityPolicy.anyOf([copy]).snapshot().runsUserCode)
  }

  @Test func `every change, also of a member, starts a new generation, and no two policies share one`() throws {
    let member = AFSecurityPolicy.default()
    let composed = AFSecurityPolicy.allOf([member])
    var seen: Set<UInt64> = [member.generation, composed.generation]
    #expect(seen.count == 2)
    #expect(composed.generation == composed.snapshot().generation)
    let changes: [(AFSecurityPolicy) -> Void] = [
      { $0.pinnedCertificates = [] }, { $0.allowInvalidCertificates = true }, { $0.validatesDomainName = false },
      { $0.publicKeyPins = [] }, { $0.evaluationDate = nil }, { $0.invalidateVerdicts() },
      { $0.anchorCertificates = nil },
    ]
    for change in changes {
      change(member)
      #expect(seen.insert(member.generation).inserted)
      #expect(seen.insert(composed.generation).inserted)
      #expect(composed.snapshot().generation == composed.generation)
    }
    #expect(member.generation == member.generation)
  }
}
