import AFSecurity
import AFTestSupport
import Foundation
import Testing

@Suite struct RevocationTests {
  private let root: TestAuthority
  private let intermediate: TestAuthority
  private let leaf: TestIdentity
  private let past = Date(timeIntervalSinceNow: -7200)

  init() throws {
    root = try TestAuthority.make()
    intermediate = try root.issueAuthority()
    leaf = try intermediate.issue(names: ["a.test"])
  }

  @Test func `a list refuses what it names, and silence is accepted unless an answer is required`() throws {
    let naming = try intermediate.revocationList(of: [leaf.certificate])
    let silent = try root.revocationList(of: [])
    let clearing = try intermediate.revocationList(of: [])
    let outdated = try intermediate.revocationList(of: [], thisUpdate: past - 3600, nextUpdate: past)
    let forged = try TestAuthority.make(.authority("Test Intermediate")).revocationList(of: [])

    #expect(try code(lists: [naming]) == .revoked)
    #expect(try code(lists: [silent, naming], requirement: .required) == .revoked)
    #expect(try code(lists: [clearing], requirement: .required) == nil)
    for unhelpful in [silent, outdated, forged] {
      #expect(try code(lists: [unhelpful]) == nil)
      #expect(try code(lists: [unhelpful], requirement: .required) == .revocationUnknown)
    }
    #expect(try code(requirement: .required) == .revocationUnknown)
  }

  @Test func `a revoked intermediate is found when the whole chain is checked`() throws {
    let naming = try root.revocationList(of: [intermediate.certificate])
    let clearing = try intermediate.revocationList(of: [])
    #expect(try code(lists: [naming, clearing]) == nil)
    #expect(try code(lists: [naming, clearing], wholeChain: true) == .revoked)
    #expect(try code(lists: [clearing], requirement: .required, wholeChain: true) == .revocationUnknown)
    let rootClearing = try root.revocationList(of: [])
    #expect(try code(lists: [clearing, rootClearing], requirement: .required, wholeChain: true) == nil)
  }

  @Test func `a stapled response counts when the issuer or its delegate signed it, and while it is current`() throws {
    var profile = CertificateProfile(commonName: "Responder")
    profile.extendedKeyUsage = "OCSPSigning"
    let delegate = try intermediate.issue(profile)
    let leafAsResponder = try intermediate.issue(names: ["b.test"])
    let strangerResponder = try TestAuthority.make().issue(profile)

    let good = try intermediate.ocspResponse(for: leaf.certificate)
    #expect(try code(staple: good, requirement: .required) == nil)
    let delegated = try intermediate.ocspResponse(for: leaf.certificate, responder: delegate)
    #expect(try code(staple: delegated, requirement: .required) == nil)

    let revoked = try intermediate.ocspResponse(for: leaf.certificate, status: .revoked)
    #expect(try code(staple: revoked) == .revoked)

    let unhelpful = [
      try intermediate.ocspResponse(for: leaf.certificate, status: .unknown),
      try intermediate.ocspResponse(for: leaf.certificate, responder: leafAsResponder),
      try intermediate.ocspResponse(for: leaf.certificate, responder: strangerResponder),
      try intermediate.ocspResponse(for: leaf.certificate, thisUpdate: past - 3600, nextUpdate: past),
      try intermediate.ocspResponse(
        for: leaf.certificate, thisUpdate: Date(timeIntervalSinceNow: 3600),
        nextUpdate: Date(timeIntervalSinceNow: 7200)),
      try intermediate.ocspResponse(for: leafAsResponder.certificate),
      Data("not an OCSP response".utf8), Data(),
    ]
    for response in unhelpful {
      #expect(try code(staple: response) == nil)
      #expect(try code(staple: response, requirement: .required) == .revocationUnknown)
    }
    // A forged "revoked" must not shut a server out either.
    let forged = try intermediate.ocspResponse(
      for: leaf.certificate, status: .revoked, responder: strangerResponder)
    #expect(try code(staple: forged) == nil)
  }

  @Test func `a certificate that demands stapling gets no leniency`() throws {
    var profile = CertificateProfile(names: ["a.test"])
    profile.extensions = [("tlsfeature", "status_request")]
    let demanding = try intermediate.issue(profile)
    #expect(try demanding.certificate.certificate().demandsStapling)
    #expect(try code(of: demanding) == .revocationUnknown)
    let response = try intermediate.ocspResponse(for: demanding.certificate)
    #expect(try code(of: demanding, staple: response) == nil)
  }

  @Test func `revocation is judged at the given time`() throws {
    let moment = Date(timeIntervalSinceNow: -1800)
    let response = try intermediate.ocspResponse(
      for: leaf.certificate, thisUpdate: moment - 600, nextUpdate: moment + 600)
    #expect(try code(staple: response, requirement: .required, at: moment) == nil)
    #expect(try code(staple: response, requirement: .required) == .revocationUnknown)
    let list = try intermediate.revocationList(of: [], thisUpdate: moment - 600, nextUpdate: moment + 600)
    #expect(try code(lists: [list], requirement: .required, at: moment) == nil)
    #expect(try code(lists: [list], requirement: .required) == .revocationUnknown)
  }

  @Test func `a pinned leaf is looked up on the path to its authority`() throws {
    let policy = try policy()
    try policy.setPinnedCertificates([leaf.certificate])
    let pinned = AFSecurityPolicy(pinningMode: .certificate, withPinnedCertificates: [leaf.certificate])
    pinned.anchorCertificates = policy.anchorCertificates
    pinned.revocationChecking = AFRevocationChecking(
      revocationLists: try AFRevocationList.lists(in: intermediate.revocationList(of: [])), requirement: .required)
    let result = try pinned.evaluate(leaf.trust(), forDomain: "a.test")
    #expect(result.revocationStatus == .good)
    pinned.revocationChecking?.revocationLists = try AFRevocationList.lists(
      in: intermediate.revocationList(of: [leaf.certificate]))
    #expect(try pinned.verdict(leaf, "a.test") == .revoked)
  }

  @Test func `what is no list is refused when it is read`() throws {
    for data in [Data(), Data("x".utf8), leaf.certificate, Data(leaf.certificatePEM.utf8)] {
      let error = #expect(throws: AFSecurityError.self) { try AFRevocationList.lists(in: data) }
      #expect(error?.code == .invalidRevocationList)
    }
  }

  private func policy() throws -> AFSecurityPolicy {
    let policy = AFSecurityPolicy()
    policy.anchorCertificates = [try root.certificate.certificate()]
    policy.usesSystemAnchors = false
    return policy
  }

  private func code(
    of server: TestIdentity? = nil, lists: [Data] = [], staple: Data? = nil,
    requirement: AFRevocationChecking.Requirement = .ifAvailable, wholeChain: Bool = false, at date: Date? = nil
  ) throws -> AFSecurityError.Code? {
    let policy = try policy()
    policy.revocationChecking = AFRevocationChecking(
      revocationLists: try lists.flatMap { try AFRevocationList.lists(in: $0) }, requirement: requirement,
      checksWholeChain: wholeChain)
    let trust = try AFServerTrust(derRepresentations: (server ?? leaf).chain, stapledOCSPResponse: staple)
    do throws(AFSecurityError) {
      try policy.evaluate(trust, forDomain: "a.test", at: date)
      return nil
    } catch {
      return error.code
    }
  }
}
