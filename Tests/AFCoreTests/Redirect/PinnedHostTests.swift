import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// For which hosts a policy pins something, in whatever it is composed of (F99).
@Suite struct PinnedHostTests {
  // Unchecked because its superclass is; it stores nothing.
  private final class Own: AFSecurityPolicy, @unchecked Sendable {}

  @Test func `F99 A policy knows for which hosts it pins`() throws {
    let certificate = try TestAuthority.make().certificate
    let pin = try AFPublicKeyPin(sha256: Data(repeating: 7, count: 32))
    let plain = AFSecurityPolicy(pinningMode: .none)
    let pinned = AFSecurityPolicy(pinningMode: .certificate, withPinnedCertificates: [certificate])
    let keys = AFSecurityPolicy(publicKeyPins: [pin])
    let perHost = try AFSecurityPolicy.perHost(["api.example": pinned, "*.example": plain], otherwise: keys)
    let own = Own()
    own.publicKeyPins = [pin]
    let rows: [(policy: AFSecurityPolicy, host: String, pins: Bool)] = [
      (.default(), "a", false), (plain, "a", false), (pinned, "a", true), (keys, "a", true),
      (perHost, "api.example", true), (perHost, "www.example", false), (perHost, "elsewhere", true),
      (try .perHost(["a": pinned]), "b", false), (.allOf([plain, pinned]), "a", true),
      (.anyOf([plain, plain]), "a", false),
      (.anyOf([plain, perHost]), "api.example", true), (.allOf([]), "a", false), (own, "a", true), (Own(), "a", false),
    ]
    for row in rows { #expect(row.policy.pins(host: row.host) == row.pins, "\(row.host)") }
    keys.publicKeyPins = []
    #expect(keys.pins(host: "a"), "the mode pins, though there is nothing left that passes")
  }
}
