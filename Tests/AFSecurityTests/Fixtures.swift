import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// Chains made for a test, of the shapes that AFNetworking's own fixtures had.
struct Fixtures: Sendable {
  static let host = "api.example.test"
  static let otherHost = "other.test"

  let root: TestAuthority
  let intermediate: TestAuthority
  let leaf: TestIdentity
  /// The root's key certified by an older root, as servers send it.
  let crossSignedRoot: TestAuthority
  /// The same server's certificate issued anew with the same key.
  let renewedLeaf: TestIdentity
  /// Another site, under another root.
  let otherRoot: TestAuthority
  let otherLeaf: TestIdentity

  let selfSigned: TestIdentity
  let selfSignedByAnother: TestIdentity
  let selfSignedCommonName: TestIdentity
  let selfSignedWithoutNames: TestIdentity
  let selfSignedExpired: TestIdentity
  let expiredLeaf: TestIdentity

  init() throws {
    let oldRoot = try TestAuthority.make(.authority("Old Root"))
    let rootKey = try TestKey()
    root = try TestAuthority.make(.authority("Root"), key: rootKey)
    crossSignedRoot = try oldRoot.issueAuthority(.authority("Root"), key: rootKey)
    intermediate = try root.issueAuthority(.authority("Intermediate"))
    let leafKey = try TestKey()
    leaf = try intermediate.issue(names: [Self.host], key: leafKey)
    renewedLeaf = try intermediate.issue(names: [Self.host], key: leafKey)
    otherRoot = try TestAuthority.make(.authority("Other Root"))
    otherLeaf = try otherRoot.issueAuthority(.authority("Other Intermediate")).issue(names: [Self.otherHost])

    var expired = CertificateProfile(names: [Self.host])
    expired.notBefore = Date(timeIntervalSinceNow: -20 * 86_400)
    expired.notAfter = Date(timeIntervalSinceNow: -86_400)
    selfSigned = try TestAuthority.selfSigned(CertificateProfile(names: [Self.host]))
    selfSignedByAnother = try TestAuthority.selfSigned(CertificateProfile(names: [Self.host]))
    selfSignedCommonName = try TestAuthority.selfSigned(CertificateProfile(commonName: "foobar.com"))
    selfSignedWithoutNames = try TestAuthority.selfSigned(CertificateProfile(commonName: "A Device"))
    selfSignedExpired = try TestAuthority.selfSigned(expired)
    expiredLeaf = try intermediate.issue(expired)
  }

  /// Every certificate of the good chain, the root included.
  var wholeChain: Set<Data> { Set(leaf.chain + [root.certificate]) }

  /// A policy whose only authority is this fixture's root (and the other site's), in the place of the system's.
  func policy(
    _ mode: AFSSLPinningMode = .none, pins: Set<Data>? = nil, allowInvalid: Bool = false, validatesName: Bool = true
  ) throws -> AFSecurityPolicy {
    let policy = pins.map { AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: $0) } ?? AFSecurityPolicy()
    policy.anchorCertificates = [
      try AFCertificate(derRepresentation: root.certificate),
      try AFCertificate(derRepresentation: otherRoot.certificate),
    ]
    policy.usesSystemAnchors = false
    policy.allowInvalidCertificates = allowInvalid
    policy.validatesDomainName = validatesName
    return policy
  }
}

/// A policy with one authority in the place of the system's.
func policy(_ root: TestAuthority) throws -> AFSecurityPolicy {
  let policy = AFSecurityPolicy()
  policy.anchorCertificates = [try root.certificate.certificate()]
  policy.usesSystemAnchors = false
  return policy
}

extension TestIdentity {
  /// What a server with this identity presents.
  func trust() throws -> AFServerTrust { try AFServerTrust(derRepresentations: chain) }
}

extension AFSecurityPolicy {
  /// The code of the error that `evaluate` throws; nil when it accepts. A second look must not change it.
  func verdict(_ identity: TestIdentity, _ host: String?, at date: Date? = nil) throws -> AFSecurityError.Code? {
    let first = try judge(identity, host, date)
    let second = try judge(identity, host, date)
    #expect(first == second)
    return first
  }

  private func judge(_ identity: TestIdentity, _ host: String?, _ date: Date?) throws -> AFSecurityError.Code? {
    let trust = try identity.trust()
    do throws(AFSecurityError) {
      try evaluate(trust, forDomain: host, at: date)
      return nil
    } catch {
      return error.code
    }
  }
}

extension TestKey {
  /// The pin of this key.
  var pin: AFPublicKeyPin {
    get throws { try TestAuthority.selfSigned(CertificateProfile(), key: self).certificate.certificate().publicKeyPin }
  }
}

extension Data {
  func certificate() throws -> AFCertificate { try AFCertificate(derRepresentation: self) }
}
