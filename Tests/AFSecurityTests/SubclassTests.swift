import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFSecurity

/// F62, F63, F69, F86: subclasses of the policy, as AFNetworking's users have them.
@Suite struct SubclassTests {
  // None declares an initializer.
  final class Empty: AFSecurityPolicy, @unchecked Sendable {}

  final class OwnMode: AFSecurityPolicy, @unchecked Sendable {
    override var sslPinningMode: AFSSLPinningMode { .certificate }
  }

  final class OwnCertificates: AFSecurityPolicy, @unchecked Sendable {
    // Unchecked because its superclass is; what is added is a lock.
    let own = Locked<Set<Data>?>(nil)
    override var sslPinningMode: AFSSLPinningMode { .publicKey }
    override var pinnedCertificates: Set<Data>? {
      get { own.withLock { $0 } }
      set { own.withLock { $0 = newValue } }
    }
  }

  final class NoNames: AFSecurityPolicy, @unchecked Sendable {
    override var validatesDomainName: Bool {
      get { false }
      set {}
    }
  }

  final class Names: AFSecurityPolicy, @unchecked Sendable {
    override var validatesDomainName: Bool {
      get { true }
      set {}
    }
  }

  final class AllowsInvalid: AFSecurityPolicy, @unchecked Sendable {
    override var allowInvalidCertificates: Bool {
      get { true }
      set {}
    }
  }

  final class NeverInvalid: AFSecurityPolicy, @unchecked Sendable {
    override var allowInvalidCertificates: Bool {
      get { false }
      set {}
    }
  }

  final class Strict: AFSecurityPolicy, @unchecked Sendable {
    override var sslPinningMode: AFSSLPinningMode { .certificate }
    override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
      domain != "forbidden.test" && super.evaluateServerTrust(serverTrust, forDomain: domain)
    }
  }

  final class AsksItself: AFSecurityPolicy, @unchecked Sendable {
    override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
      (try? evaluate(serverTrust, forDomain: domain)) != nil
    }
  }

  final class FatalCoder: AFSecurityPolicy, @unchecked Sendable {
    var tag = 7
    required init() { super.init() }
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
  }

  final class OwnBundle: AFSecurityPolicy, @unchecked Sendable {
    override class func certificates(in bundle: Bundle) -> Set<Data> { [Data("own".utf8)] }
  }

  private let fixtures: Fixtures

  init() throws { fixtures = try Fixtures() }

  private func ready<Policy: AFSecurityPolicy>(_ policy: Policy) throws -> Policy {
    policy.anchorCertificates = [try fixtures.root.certificate.certificate()]
    policy.usesSystemAnchors = false
    return policy
  }

  @Test func `F62 an overridden pinning mode is in force`() throws {
    let policy = try ready(OwnMode(pinningMode: .none, withPinnedCertificates: [fixtures.otherLeaf.certificate]))
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    #expect(policy.pinsAnything)
    policy.pinnedCertificates = [fixtures.leaf.certificate]
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    #expect(try AFSecurityPolicy.perHost([Fixtures.host: policy]).verdict(fixtures.renewedLeaf, Fixtures.host) != nil)
  }

  @Test func `F62 overridden certificates are the pins, read for every verdict`() throws {
    let policy = try ready(OwnCertificates())
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .noPins)
    policy.own.withLock { $0 = [fixtures.otherLeaf.certificate] }
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    policy.own.withLock { $0 = [fixtures.leaf.certificate] }
    #expect(try policy.verdict(fixtures.renewedLeaf, Fixtures.host) == nil)
    policy.own.withLock { $0 = [Data("nonsense".utf8)] }
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .invalidPin)
  }

  @Test func `F62 an overridden name check is in force`() throws {
    #expect(try ready(NoNames()).verdict(fixtures.leaf, Fixtures.otherHost) == nil)
    let policy = try ready(Names())
    policy.validatesDomainName = false
    #expect(try policy.verdict(fixtures.leaf, Fixtures.otherHost) == .hostMismatch)
  }

  @Test func `F62 an overridden allowInvalidCertificates is in force`() throws {
    let policy = try ready(
      AllowsInvalid(pinningMode: .publicKey, withPinnedCertificates: [fixtures.selfSigned.certificate]))
    #expect(try policy.verdict(fixtures.selfSigned, Fixtures.host) == nil)
    let never = try ready(
      NeverInvalid(pinningMode: .publicKey, withPinnedCertificates: [fixtures.selfSigned.certificate]))
    never.allowInvalidCertificates = true
    #expect(try never.verdict(fixtures.selfSigned, Fixtures.host) == .untrustedChain)
  }

  @Test func `F62 what an overridden verdict leaves to super is judged by the overridden settings`() throws {
    let policy = try ready(Strict(pinningMode: .none, withPinnedCertificates: [fixtures.otherLeaf.certificate]))
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    policy.pinnedCertificates = [fixtures.leaf.certificate]
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    #expect(try policy.verdict(fixtures.leaf, "forbidden.test") == .refusedByPolicy)
    // What super found is not lost.
    let result = try policy.evaluate(fixtures.leaf.trust(), forDomain: Fixtures.host)
    #expect(try result.matchedPin == fixtures.leaf.certificate.certificate().publicKeyPin)
  }

  @Test func `F61 a subclass that overrides nothing takes the short way`() throws {
    #expect(!Empty().snapshot().runsUserCode)
    for policy in [
      OwnMode(), OwnCertificates(), NoNames(), Names(), AllowsInvalid(), NeverInvalid(), Strict(), AsksItself(),
    ] { #expect(policy.snapshot().runsUserCode, "\(policy)") }
    #expect(PolicyOverrides.of(Empty.self) == [])
    #expect(PolicyOverrides.of(OwnMode.self) == .pinningMode)
    #expect(PolicyOverrides.of(OwnCertificates.self) == [.pinningMode, .pinnedCertificates])
    #expect(PolicyOverrides.of(NoNames.self) == .validatesName)
    #expect(PolicyOverrides.of(AllowsInvalid.self) == .allowsInvalid)
    #expect(PolicyOverrides.of(Strict.self) == [.verdict, .pinningMode])
    let composed = try AFSecurityPolicy.perHost(["a.test": Strict()], otherwise: Empty())
    #expect(composed.snapshot().runsUserCode(forHost: "a.test"))
    #expect(!composed.snapshot().runsUserCode(forHost: "b.test"))
    #expect(AFSecurityPolicy.anyOf([Empty(), Strict()]).snapshot().runsUserCode(forHost: "b.test"))
  }

  @Test func `F63 a subclass inherits every initializer`() throws {
    let pin = try AFPublicKeyPin(sha256: Data(repeating: 1, count: 32))
    #expect(Empty(pinningMode: .publicKey).sslPinningMode == .publicKey)
    #expect(Empty(pinningMode: .certificate, withPinnedCertificates: []).pinnedCertificates == [])
    #expect(Empty(publicKeyPins: [pin]).publicKeyPins == [pin])
    #expect(Empty().sslPinningMode == .none)
    #expect(Empty.default().validatesDomainName)
  }

  @Test func `F62 a class that finds certificates elsewhere is asked for them`() {
    #expect(OwnBundle(pinningMode: .publicKey).pinnedCertificates == [Data("own".utf8)])
    #expect(!OwnBundle(pinningMode: .publicKey).snapshot().runsUserCode)
  }

  @Test func `F86 copy and default keep the class, and do not call its init(coder:)`() throws {
    let policy = FatalCoder(pinningMode: .publicKey, withPinnedCertificates: [fixtures.leaf.certificate])
    policy.backupPublicKeyPins = [try AFPublicKeyPin(sha256: Data(repeating: 2, count: 32))]
    policy.tag = 8
    let copy = try #require(policy.copy() as? FatalCoder)
    #expect(copy.sslPinningMode == .publicKey && copy.pinnedCertificates == policy.pinnedCertificates)
    #expect(copy.backupPublicKeyPins == policy.backupPublicKeyPins && copy.tag == 7)
    copy.pinnedCertificates = nil
    #expect(policy.pinnedCertificates == [fixtures.leaf.certificate])
    #expect(FatalCoder.default().sslPinningMode == .none)
    let composed = AFSecurityPolicy.allOf([policy])
    #expect(try (composed.copy() as? AFSecurityPolicy)?.verdict(fixtures.leaf, Fixtures.host) == .untrustedChain)
  }

  @Test func `F69 a subclass is judged at the moment that was asked for`() throws {
    let policy = try ready(Strict(pinningMode: .none, withPinnedCertificates: [fixtures.leaf.certificate]))
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host, at: Date(timeIntervalSinceNow: 40 * 86_400)) == .expired)
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    let composed = AFSecurityPolicy.allOf([policy])
    #expect(try composed.verdict(fixtures.leaf, Fixtures.host, at: Date(timeIntervalSinceNow: 40 * 86_400)) == .expired)
  }

  @Test func `F69 evaluate within an overridden verdict does not ask for it again`() throws {
    let policy = try ready(AsksItself())
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    #expect(try policy.verdict(fixtures.leaf, Fixtures.otherHost) == .hostMismatch)
    let trust = try fixtures.leaf.trust()
    #expect(policy.evaluateServerTrust(trust, forDomain: Fixtures.host))
  }

  @Test func `F69 a backup pin is told in certificate mode too`() throws {
    let pin = try fixtures.leaf.certificate.certificate().publicKeyPin
    let other = try fixtures.otherLeaf.certificate.certificate().publicKeyPin
    let policy = try fixtures.policy(.certificate, pins: [fixtures.leaf.certificate])
    policy.publicKeyPins = [other]
    policy.backupPublicKeyPins = [pin]
    #expect(try policy.evaluate(fixtures.leaf.trust(), forDomain: Fixtures.host).matchedBackupPin)
    policy.publicKeyPins = [pin]
    #expect(try !policy.evaluate(fixtures.leaf.trust(), forDomain: Fixtures.host).matchedBackupPin)
  }

  @Test(arguments: [
    ("a_b.example.test", ["*.example.test"], true), ("A_b.Example.test", ["*.example.TEST"], true),
    ("_a.example.test", ["*.example.test"], true), ("a_b.example.test", ["a_b.example.test"], true),
    ("a_b.example.test", ["axb.example.test"], false), ("a_b.example.test", ["a*.example.test"], false),
    ("a_b.example.test", ["example.test"], false), ("x.a_b.example.test", ["*.example.test"], false),
    ("x.a_b.example.test", ["*.a_b.example.test"], true), ("a_b.test", ["*.test"], false),
    ("a_b.example.test", ["*.other.test", "*.example.test"], true), ("a_b.example.test", ["*.*.test"], false),
  ])
  func `F69 names with an underscore are matched as curl does`(host: String, names: [String], accepts: Bool) throws {
    let leaf = try fixtures.intermediate.issue(names: names)
    let policy = try fixtures.policy()
    #expect(try policy.verdict(leaf, host) == (accepts ? nil : .hostMismatch))
  }

  @Test(arguments: [AFRevocationChecking.Requirement.required, .ifAvailable])
  func `F66 the list about an anchor that is an intermediate is not asked for`(
    requirement: AFRevocationChecking.Requirement
  ) throws {
    let policy = try fixtures.policy()
    policy.anchorCertificates = [try fixtures.intermediate.certificate.certificate()]
    let list = try AFRevocationList.lists(in: fixtures.intermediate.revocationList(of: []))
    policy.revocationChecking = AFRevocationChecking(
      revocationLists: list, requirement: requirement, checksWholeChain: true)
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    // Below the anchor each one's list is asked for.
    policy.anchorCertificates = [try fixtures.root.certificate.certificate()]
    #expect(
      try policy.verdict(fixtures.leaf, Fixtures.host) == (requirement == .required ? .revocationUnknown : nil))
  }
}
