import AFTestSupport
import Foundation
import Testing

@testable import AFSecurity

/// A path that was found valid is not walked again for the next verdict. Nothing else of a verdict may be remembered.
@Suite struct RememberedPathTests {
  private static let day: TimeInterval = 86_400

  @Test func `a valid path is remembered, and a refusal is not`() throws {
    let root = try TestAuthority.make()
    let good = try root.issueAuthority().issue(names: ["a.test"])
    let foreign = try TestAuthority.make().issue(names: ["a.test"])
    let policy = try policy(root)
    let store = policy.core.settings.anchors.store
    for (identity, isGood) in [(good, true), (foreign, false)] {
      let presented = try identity.trust().core.presented
      #expect(store.validPath(of: presented, at: nil) == nil)
      #expect(try policy.verdict(identity, "a.test") == (isGood ? nil : .untrustedChain))
      let path = store.validPath(of: presented, at: nil)?.map(\.der)
      #expect(path == (isGood ? good.chain + [root.certificate] : nil))
    }
  }

  enum Position: CaseIterable { case leaf, intermediate, anchor }

  @Test(arguments: Position.allCases)
  func `the dates of every certificate on the path count each time`(shortLived: Position) throws {
    func profile(_ position: Position, _ profile: CertificateProfile) -> CertificateProfile {
      var profile = profile
      let days: Double = position == shortLived ? 1 : 3
      profile.notBefore = Date(timeIntervalSinceNow: -days * Self.day)
      profile.notAfter = Date(timeIntervalSinceNow: days * Self.day)
      return profile
    }
    let root = try TestAuthority.make(profile(.anchor, .authority("Root")))
    let issuer = try root.issueAuthority(profile(.intermediate, .authority("Issuer")))
    let leaf = try issuer.issue(profile(.leaf, CertificateProfile(names: ["a.test"])))
    let policy = try policy(root)
    func verdict(inDays days: Double) throws -> AFSecurityError.Code? {
      try policy.verdict(leaf, "a.test", at: Date(timeIntervalSinceNow: days * Self.day))
    }
    #expect(try policy.verdict(leaf, "a.test") == nil)
    #expect(try verdict(inDays: 2) == .expired)
    #expect(try verdict(inDays: -2) == .notYetValid)
    #expect(try verdict(inDays: 0.9) == nil)
    #expect(try verdict(inDays: -0.9) == nil)
    policy.evaluationDate = Date(timeIntervalSinceNow: 2 * Self.day)
    #expect(try policy.verdict(leaf, "a.test") == .expired)
  }

  @Test func `the last second of validity is the same as for a first look`() throws {
    let start = Date(timeIntervalSince1970: 1_900_000_000)
    var profile = CertificateProfile(names: ["a.test"])
    profile.notBefore = start
    profile.notAfter = start + 100
    var lasting = CertificateProfile.authority("Root")
    lasting.notAfter = start + 1000
    let root = try TestAuthority.make(lasting)
    let leaf = try root.issue(profile)
    for second in [-1, 0, 1, 99, 100, 101] as [TimeInterval] {
      let experienced = try policy(root)
      #expect(try experienced.verdict(leaf, "a.test", at: start + 50) == nil)
      let first = try policy(root).verdict(leaf, "a.test", at: start + second)
      #expect(try experienced.verdict(leaf, "a.test", at: start + second) == first, "\(second)")
      #expect((first == nil) == (0..<100).contains(second), "\(second)")
    }
  }

  @Test func `names, pins and revocation count each time`() throws {
    let root = try TestAuthority.make()
    let leaf = try root.issue(names: ["a.test", "127.0.0.1"])
    let policy = try policy(root)
    #expect(try policy.verdict(leaf, "a.test") == nil)
    #expect(try policy.verdict(leaf, "b.test") == .hostMismatch)
    #expect(try policy.verdict(leaf, "127.0.0.1") == nil)
    #expect(try policy.verdict(leaf, "127.0.0.2") == .hostMismatch)
    #expect(try policy.verdict(leaf, nil) == nil)

    policy.publicKeyPins = [try TestKey().pin]
    #expect(try policy.verdict(leaf, "a.test") == .pinMismatch)
    policy.publicKeyPins = [try root.certificate.certificate().publicKeyPin]
    #expect(try policy.verdict(leaf, "a.test") == nil)

    let list = try root.revocationList(of: [leaf.certificate])
    policy.revocationChecking = AFRevocationChecking(revocationLists: try AFRevocationList.lists(in: list))
    #expect(try policy.verdict(leaf, "a.test") == .revoked)
  }

  @Test func `a path holds for the anchors that it leads to`() throws {
    let root = try TestAuthority.make()
    let other = try TestAuthority.make()
    let leaf = try root.issueAuthority().issue(names: ["a.test"])
    let policy = try policy(root)
    #expect(try policy.verdict(leaf, "a.test") == nil)
    #expect(try AFSecurityTests.policy(other).verdict(leaf, "a.test") == .untrustedChain)
    policy.anchorCertificates = [try other.certificate.certificate()]
    #expect(try policy.verdict(leaf, "a.test") == .untrustedChain)
    policy.anchorCertificates = [try root.certificate.certificate()]
    #expect(try policy.verdict(leaf, "a.test") == nil)
  }

  @Test func `a path holds for the chain that was presented, byte for byte`() throws {
    let root = try TestAuthority.make()
    let leaf = try root.issueAuthority().issue(names: ["a.test"])
    let policy = try policy(root)
    #expect(try policy.verdict(leaf, "a.test") == nil)

    var alone = leaf
    alone.intermediates = []
    #expect(try policy.verdict(alone, "a.test") == .untrustedChain)

    // The signature ends the certificate.
    var forged = leaf.chain
    forged[0][forged[0].count - 1] ^= 1
    let trust = try AFServerTrust(derRepresentations: forged)
    #expect(throws: AFSecurityError.self) { try policy.evaluate(trust, forDomain: "a.test") }
    #expect(try policy.verdict(leaf, "a.test") == nil)
  }

  @Test func `more chains than are remembered get the same verdicts, twice over`() throws {
    let root = try TestAuthority.make()
    let key = try TestKey()
    let policy = try policy(root)
    let leaves = try (0..<200).map { try root.issue(names: ["host\($0).test"], key: key) }
    for _ in 0..<2 {
      for (index, leaf) in leaves.enumerated() {
        #expect(try policy.verdict(leaf, "host\(index).test") == nil)
        #expect(try policy.verdict(leaf, "host\(index + 1).test") == .hostMismatch)
      }
    }
  }
}
