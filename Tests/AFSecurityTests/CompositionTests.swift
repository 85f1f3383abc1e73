import AFSecurity
import AFTestSupport
import Foundation
import Testing

@Suite struct CompositionTests {
  @Test func `the most exact pattern chooses the policy, and others are refused or left to another`() throws {
    let fixtures = try Fixtures()
    let leaf = try fixtures.intermediate.issue(
      names: ["example.test", "*.example.test", "api.example.test", "a.b.example.test", "127.0.0.1", "else.test"])
    let refusing = try fixtures.policy(.certificate, pins: [])
    let accepting = try fixtures.policy()
    let policy = try AFSecurityPolicy.perHost([
      "*.example.test": accepting, "api.example.test": refusing, "*.b.example.test": refusing, "127.0.0.1": accepting,
    ])
    #expect(try policy.verdict(leaf, "www.example.test") == nil)
    #expect(try policy.verdict(leaf, "WWW.Example.test.") == nil)
    #expect(try policy.verdict(leaf, "api.example.test") == .noPins)
    #expect(try policy.verdict(leaf, "a.b.example.test") == .noPins)
    #expect(try policy.verdict(leaf, "127.0.0.1") == nil)
    for stranger in ["example.test", "else.test", "badexample.test", "127.0.0.2", nil] {
      #expect(try policy.verdict(leaf, stranger) == .noPolicyForHost)
    }
    let lenient = try AFSecurityPolicy.perHost(["api.example.test": refusing], otherwise: accepting)
    #expect(try lenient.verdict(leaf, "else.test") == nil)
    #expect(try lenient.verdict(leaf, "api.example.test") == .noPins)
  }

  @Test(arguments: ["", "*", "*.", "a.*.test", "*.127.0.0.1", "http://a.test", "a b", "*.*.test"])
  func `a pattern that can match nothing is refused when the policy is made`(text: String) {
    let error = #expect(throws: AFSecurityError.self) { try AFSecurityPolicy.perHost([text: .default()]) }
    #expect(error?.code == .noPolicyForHost)
  }

  @Test func `all of them and any of them`() throws {
    let fixtures = try Fixtures()
    let accepting = try fixtures.policy()
    let refusing = try fixtures.policy(.publicKey, pins: [fixtures.otherRoot.certificate])
    func verdict(_ policy: AFSecurityPolicy) throws -> AFSecurityError.Code? {
      try policy.verdict(fixtures.leaf, Fixtures.host)
    }
    #expect(try verdict(.allOf([accepting, accepting])) == nil)
    #expect(try verdict(.allOf([accepting, refusing])) == .pinMismatch)
    #expect(try verdict(.anyOf([refusing, accepting])) == nil)
    #expect(try verdict(.anyOf([refusing, refusing])) == .pinMismatch)
    #expect(try verdict(.allOf([])) == .noPolicyForHost)
    #expect(try verdict(.anyOf([])) == .noPolicyForHost)
    #expect(try verdict(.allOf([.anyOf([refusing, accepting]), accepting])) == nil)
    // A member that changes later counts at once.
    let composed = AFSecurityPolicy.allOf([accepting])
    #expect(try verdict(composed) == nil)
    try accepting.setPinnedCertificates([])
    accepting.publicKeyPins = [try AFPublicKeyPin(sha256: Data(repeating: 0, count: 32))]
    #expect(try verdict(composed) == .pinMismatch)
  }

  @Test func `the handshake takes what the policies of the host want`() throws {
    let strict = AFSecurityPolicy()
    strict.minimumTLSVersion = .tls13
    strict.ciphers = try AFTLSCiphers(tls13: "TLS_AES_256_GCM_SHA384")
    strict.revocationChecking = AFRevocationChecking()
    let policy = try AFSecurityPolicy.perHost(["strict.test": strict], otherwise: .default())
    let snapshot = policy.snapshot()
    #expect(snapshot.requirements(forHost: "strict.test").minimumVersion == .tls13)
    #expect(snapshot.requirements(forHost: "strict.test").ciphers == strict.ciphers)
    #expect(snapshot.requirements(forHost: "strict.test").wantsStapledResponse)
    #expect(snapshot.requirements(forHost: "other.test").minimumVersion == .tls12)
    #expect(AFSecurityPolicy.allOf([.default(), strict]).snapshot().minimumTLSVersion == .tls13)
    #expect(AFSecurityPolicy.anyOf([.default(), strict]).snapshot().minimumTLSVersion == .tls12)
  }
}
