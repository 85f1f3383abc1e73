import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// RFC 9525 as the policy applies it.
@Suite struct HostNameTests {
  struct Match: Sendable, CustomTestStringConvertible {
    var names: [String]
    var host: String
    var isMatch: Bool
    var testDescription: String { "\(names) for \(host)" }
  }

  static let matches: [Match] = [
    Match(names: ["example.test"], host: "example.test", isMatch: true),
    Match(names: ["example.test"], host: "EXAMPLE.Test", isMatch: true),
    Match(names: ["example.test"], host: "example.test.", isMatch: true),
    Match(names: ["example.test"], host: "www.example.test", isMatch: false),
    Match(names: ["a.test", "b.test"], host: "b.test", isMatch: true),
    Match(names: ["*.example.test"], host: "www.example.test", isMatch: true),
    Match(names: ["*.example.test"], host: "example.test", isMatch: false),
    Match(names: ["*.example.test"], host: "a.b.example.test", isMatch: false),
    Match(names: ["w*.example.test"], host: "www.example.test", isMatch: false),
    Match(names: ["*.test"], host: "example.test", isMatch: false),
    Match(names: ["xn--bcher-kva.example"], host: "bücher.example", isMatch: true),
    Match(names: ["xn--bcher-kva.example"], host: "xn--bcher-kva.example", isMatch: true),
    Match(names: ["xn--bcher-kva.example"], host: "bucher.example", isMatch: false),
    Match(names: ["::1"], host: "0:0:0:0:0:0:0:1", isMatch: true),
    Match(names: ["fe80::1"], host: "fe80::1%eth0", isMatch: true),
    Match(names: ["email:localhost@localhost"], host: "localhost", isMatch: false),
    Match(names: ["URI:https://localhost/"], host: "localhost", isMatch: false),
  ]

  @Test(arguments: matches)
  func `a certificate matches the hosts it names and no others`(match: Match) throws {
    let fixtures = try Fixtures()
    let leaf = try fixtures.intermediate.issue(CertificateProfile(commonName: "x", names: match.names))
    let expected = match.isMatch ? nil : AFSecurityError.Code.hostMismatch
    #expect(try fixtures.policy().verdict(leaf, match.host) == expected)
    // The name check without a path, as pins with allowed invalid certificates use it, must agree.
    let pinned = try fixtures.policy(.publicKey, pins: [leaf.certificate], allowInvalid: true)
    #expect(try pinned.verdict(leaf, match.host) == expected)
  }

  @Test func `a common name is never a host name, unless that very key is pinned and names are absent`() throws {
    let fixtures = try Fixtures()
    let leaf = try fixtures.intermediate.issue(CertificateProfile(commonName: "cn.test"))
    #expect(try fixtures.policy().verdict(leaf, "cn.test") == .hostMismatch)
    #expect(try fixtures.policy(.publicKey, pins: [leaf.certificate]).verdict(leaf, "cn.test") == .hostMismatch)
    let pinned = try fixtures.policy(.publicKey, pins: [leaf.certificate], allowInvalid: true)
    #expect(try pinned.verdict(leaf, "cn.test") == nil)
    // The issuer's key is pinned, the leaf's is not: then a name is all that tells leaves apart.
    let issuerPinned = try fixtures.policy(.publicKey, pins: [fixtures.intermediate.certificate], allowInvalid: true)
    #expect(try issuerPinned.verdict(leaf, "cn.test") == .hostMismatch)
    let named = try fixtures.intermediate.issue(CertificateProfile(commonName: "cn.test", names: ["san.test"]))
    let namedPinned = try fixtures.policy(.publicKey, pins: [named.certificate], allowInvalid: true)
    #expect(try namedPinned.verdict(named, "cn.test") == .hostMismatch)
  }
}
