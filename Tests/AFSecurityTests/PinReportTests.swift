import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFSecurity

/// What TrustKit's users expect of pins: reports, an end, and hosts that are left out.
@Suite struct PinReportTests {
  private let fixtures: Fixtures
  private let other: AFPublicKeyPin

  init() throws {
    fixtures = try Fixtures()
    other = try fixtures.otherLeaf.certificate.certificate().publicKeyPin
  }

  @Test func `a refused pin is reported, with both chains`() async throws {
    let policy = try fixtures.policy()
    policy.publicKeyPins = [other]
    let reports = Recorder<AFPinReport>()
    policy.pinReportHandler = { reports.record($0) }
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    try await reports.wait(for: 2)
    let report = try #require(reports.values.first)
    #expect(report.wasRefused && report.host == Fixtures.host && report.expectedPins == [other])
    #expect(report.servedChain.map(\.derRepresentation) == fixtures.leaf.chain)
    #expect(report.chain.last?.derRepresentation == fixtures.root.certificate)
    let object = try #require(
      try JSONSerialization.jsonObject(with: report.jsonRepresentation(port: 8443)) as? [String: Any])
    // RFC 7469 §3, but for the members that only a header could fill.
    #expect(object["hostname"] as? String == Fixtures.host && object["port"] as? Int == 8443)
    #expect(object["known-pins"] as? [String] == ["pin-sha256=\"\(other.sha256.base64EncodedString())\""])
    #expect((object["served-certificate-chain"] as? [String])?.count == 2)
    #expect((object["validated-certificate-chain"] as? [String])?.count == 3)
    #expect(object["enforced"] as? Bool == true && object["include-subdomains"] as? Bool == false)
    #expect((object["date-time"] as? String).flatMap { ISO8601DateFormatter().date(from: $0) } != nil)
    #expect(object["effective-expiration-date"] == nil)
  }

  @Test func `only what a pin refused is reported, and in anyOf only what nobody accepted`() async throws {
    let reports = Recorder<String>()
    func pinning(_ pin: AFPublicKeyPin, _ name: String) throws -> AFSecurityPolicy {
      let policy = try fixtures.policy()
      policy.publicKeyPins = [pin]
      policy.pinReportHandler = { reports.record("\(name) \($0.wasRefused)") }
      return policy
    }
    let right = try fixtures.leaf.certificate.certificate().publicKeyPin
    #expect(try pinning(right, "right").verdict(fixtures.leaf, Fixtures.host) == nil)
    #expect(try pinning(right, "name").verdict(fixtures.leaf, "mismatch.test") == .hostMismatch)
    #expect(
      try AFSecurityPolicy.anyOf([pinning(other, "a"), pinning(right, "b")]).verdict(fixtures.leaf, Fixtures.host)
        == nil)
    let refusing = AFSecurityPolicy.anyOf([try pinning(other, "c"), try pinning(other, "d")])
    #expect(throws: AFSecurityError.self) { try refusing.evaluate(fixtures.leaf.trust(), forDomain: Fixtures.host) }
    try await reports.wait(for: 2)
    #expect(Set(reports.values) == ["c true", "d true"])
  }

  @Test(arguments: [AFSSLPinningMode.publicKey, .certificate])
  func `pins end at their date, and leave what every policy checks`(mode: AFSSLPinningMode) throws {
    let end = Date(timeIntervalSinceNow: 86_400)
    let policy = try fixtures.policy(mode, pins: [fixtures.otherLeaf.certificate])
    policy.pinExpirationDate = end
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host, at: end) == .pinMismatch)
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host, at: end + 1) == nil)
    #expect(try policy.verdict(fixtures.leaf, "mismatch.test", at: end + 1) == .hostMismatch)
    #expect(policy.pinsAnything)
    // Without pins, a policy that allows invalid certificates would allow everything.
    let lax = try fixtures.policy(
      mode, pins: [fixtures.selfSigned.certificate], allowInvalid: true, validatesName: false)
    lax.pinExpirationDate = end
    #expect(try lax.verdict(fixtures.selfSigned, Fixtures.host) == nil)
    #expect(try lax.verdict(fixtures.selfSigned, Fixtures.host, at: end + 1) == .untrustedChain)
    let keys = try fixtures.policy()
    keys.publicKeyPins = [other]
    keys.pinExpirationDate = end
    #expect(try keys.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    #expect(try keys.verdict(fixtures.leaf, Fixtures.host, at: end + 1) == nil)
  }

  @Test func `hosts that are left out have a default policy`() throws {
    let pinned = AFSecurityPolicy(publicKeyPins: [other])
    let policy = try AFSecurityPolicy.perHost(
      ["*.example.test": pinned, "example.test": pinned], excluding: ["cdn.example.test", "*.old.example.test"])
    func mode(_ host: String) -> Bool? {
      guard case .hosts(let rules, let otherwise) = policy.snapshot().rule,
        case .settings(let settings)? = SecurityPolicySnapshot.choose(from: rules, otherwise: otherwise, host: host)?
          .rule
      else { return nil }
      return settings.effectiveMode != .none
    }
    let rows: [(String, Bool?)] = [
      ("example.test", true), ("a.example.test", true), ("cdn.example.test", false), ("a.cdn.example.test", true),
      ("old.example.test", true), ("a.old.example.test", false), ("CDN.Example.TEST", false), ("other.test", nil),
    ]
    for (host, pins) in rows { #expect(mode(host) == pins, "\(host)") }
    for excluded in ["*.example.test", "*.EXAMPLE.test"] {
      #expect(throws: AFSecurityError.self) {
        try AFSecurityPolicy.perHost(["*.example.test": pinned], excluding: [excluded])
      }
    }
    #expect(throws: AFSecurityError.self) { try AFSecurityPolicy.perHost([:], excluding: ["*"]) }
  }

  @Test func `a policy file says all of it`() throws {
    let directory = try TemporaryDirectory()
    func read(_ text: String) throws -> AFSecurityPolicy {
      try AFSecurityPolicy.policy(contentsOf: directory.write(Data(text.utf8), to: "policy.json"))
    }
    let policy = try read(
      """
      { "publicKeyPins": ["\(other)"], "pinExpirationDate": "2030-12-31", "pinReportURL": "https://r.test/pins" }
      """)
    #expect(policy.pinExpirationDate == ISO8601DateFormatter().date(from: "2030-12-31T23:59:59Z"))
    #expect(policy.pinReportURL?.absoluteString == "https://r.test/pins")
    let hosts = try read(
      """
      { "hosts": { "*.example.test": { "publicKeyPins": ["\(other)"] } }, "excludedHosts": ["cdn.example.test"] }
      """)
    #expect(throws: AFSecurityError.self) { try hosts.evaluate(fixtures.leaf.trust(), forDomain: "other.test") }
    for wrong in [
      "{ \"pinExpirationDate\": \"31.12.2030\" }", "{ \"pinExpirationDate\": 5 }",
      "{ \"pinExpirationDate\": \"2030-13-01\" }",
      "{ \"pinReportURL\": \"file:///etc\" }", "{ \"pinReportURL\": \"https://\" }", "{ \"pinReportURL\": true }",
      "{ \"excludedHosts\": [\"a.test\"] }", "{ \"hosts\": {}, \"excludedHosts\": \"a.test\" }",
      "{ \"hosts\": { \"a.test\": {} }, \"excludedHosts\": [\"a.test\"] }", "{ \"notes\": 5 }",
      String(repeating: "[", count: 100_000), "{\"notes\":" + String(repeating: "{\"a\":", count: 50_000),
    ] { #expect(throws: AFSecurityError.self, "\(wrong.prefix(80))") { try read(wrong) } }
  }
}
