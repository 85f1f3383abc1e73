import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// AF-T069–T072 and T075–T108: AFNetworking's own evaluation tests, on chains of the same shapes.
@Suite struct AFNetworkingCaseTests {
  /// One of AFNetworking's tests. Its httpbin chain is `leaf`, its "ADN" chain is `otherLeaf`.
  struct Case: Sendable, CustomTestStringConvertible {
    var id: String
    var mode = AFSSLPinningMode.none
    var pins: (@Sendable (Fixtures) -> Set<Data>)?
    var allowsInvalid = false
    var validatesName = true
    var server: @Sendable (Fixtures) -> TestIdentity = { $0.leaf }
    var host: String?
    var isAccepted: Bool

    var testDescription: String { id }
  }

  @Test(arguments: cases)
  func `AFNetworking's case`(item: Case) throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy(
      item.mode, pins: item.pins?(fixtures), allowInvalid: item.allowsInvalid, validatesName: item.validatesName)
    let trust = try item.server(fixtures).trust()
    #expect(policy.evaluateServerTrust(trust, forDomain: item.host) == item.isAccepted)
    #expect((trust.evaluationError == nil) == item.isAccepted)
  }

  private static let good = Fixtures.host
  private static let leaf: @Sendable (Fixtures) -> Set<Data> = { [$0.leaf.certificate] }
  private static let intermediate: @Sendable (Fixtures) -> Set<Data> = { [$0.intermediate.certificate] }
  private static let root: @Sendable (Fixtures) -> Set<Data> = { [$0.root.certificate] }
  private static let leafAndForeign: @Sendable (Fixtures) -> Set<Data> = {
    [$0.leaf.certificate, $0.selfSigned.certificate]
  }
  private static let twoForeign: @Sendable (Fixtures) -> Set<Data> = {
    [$0.leaf.certificate, $0.selfSigned.certificate]
  }
  private static let selfSigned: @Sendable (Fixtures) -> Set<Data> = { [$0.selfSigned.certificate] }
  private static let commonName: @Sendable (Fixtures) -> Set<Data> = { [$0.selfSignedCommonName.certificate] }
  private static let withoutNames: @Sendable (Fixtures) -> Set<Data> = { [$0.selfSignedWithoutNames.certificate] }

  static let cases: [Case] = [
    Case(id: "AF-T069", isAccepted: true),
    Case(id: "AF-T070", host: good, isAccepted: true),
    Case(id: "AF-T071", server: { $0.selfSigned }, isAccepted: false),
    Case(id: "AF-T072", host: "apple.test", isAccepted: false),
    Case(id: "AF-T075", mode: .publicKey, pins: leaf, isAccepted: true),
    Case(id: "AF-T076", mode: .publicKey, pins: intermediate, isAccepted: true),
    Case(id: "AF-T077", mode: .publicKey, pins: root, isAccepted: true),
    Case(id: "AF-T078", mode: .publicKey, pins: { $0.wholeChain }, isAccepted: true),
    Case(id: "AF-T079", mode: .publicKey, pins: leafAndForeign, isAccepted: true),
    Case(id: "AF-T080", mode: .publicKey, pins: leaf, host: good, isAccepted: true),
    Case(id: "AF-T081", mode: .publicKey, pins: { _ in [] }, isAccepted: false),
    Case(id: "AF-T082", mode: .publicKey, pins: leaf, server: { $0.otherLeaf }, isAccepted: false),
    Case(id: "AF-T083", mode: .publicKey, pins: leaf, host: "invaliddomainname.test", isAccepted: false),
    Case(id: "AF-T084", mode: .publicKey, pins: twoForeign, server: { $0.otherLeaf }, isAccepted: false),
    Case(id: "AF-T087", mode: .certificate, pins: leaf, isAccepted: true),
    Case(id: "AF-T088", mode: .certificate, pins: intermediate, isAccepted: true),
    Case(id: "AF-T089", mode: .certificate, pins: root, isAccepted: true),
    Case(id: "AF-T090", mode: .certificate, pins: { $0.wholeChain }, isAccepted: true),
    Case(id: "AF-T091", mode: .certificate, pins: leafAndForeign, isAccepted: true),
    Case(id: "AF-T092", mode: .certificate, pins: leaf, host: good, isAccepted: true),
    Case(id: "AF-T093", mode: .certificate, pins: { _ in [] }, isAccepted: false),
    Case(id: "AF-T094", mode: .certificate, pins: leaf, server: { $0.otherLeaf }, isAccepted: false),
    Case(id: "AF-T095", mode: .certificate, pins: leaf, host: "invaliddomainname.test", isAccepted: false),
    Case(id: "AF-T096", mode: .certificate, pins: twoForeign, server: { $0.otherLeaf }, isAccepted: false),
    Case(id: "AF-T097", validatesName: false, host: "apple.test", isAccepted: true),
    Case(
      id: "AF-T098", mode: .publicKey, pins: commonName, allowsInvalid: true, server: { $0.selfSignedCommonName },
      host: "foobar.com", isAccepted: true),
    Case(
      id: "AF-T099", mode: .publicKey, pins: selfSigned, allowsInvalid: true, server: { $0.selfSigned }, host: good,
      isAccepted: true),
    Case(id: "AF-T100", host: "invalid.org", isAccepted: false),
    Case(
      id: "AF-T101", mode: .certificate, pins: withoutNames, allowsInvalid: true,
      server: { $0.selfSignedWithoutNames }, host: "foobar.com", isAccepted: false),
    Case(id: "AF-T102", allowsInvalid: true, server: { $0.selfSigned }, isAccepted: true),
    Case(
      id: "AF-T103", mode: .publicKey, pins: selfSigned, allowsInvalid: true, server: { $0.selfSigned }, host: good,
      isAccepted: true),
    Case(
      id: "AF-T104", allowsInvalid: true, validatesName: false, server: { $0.selfSigned }, host: good, isAccepted: true),
    Case(id: "AF-T105", server: { $0.selfSigned }, isAccepted: false),
    Case(
      id: "AF-T106", mode: .publicKey, pins: { _ in [] }, allowsInvalid: true, server: { $0.selfSigned }, host: good,
      isAccepted: false),
    Case(
      id: "AF-T107", pins: selfSigned, allowsInvalid: true, server: { $0.selfSigned }, host: good, isAccepted: false),
    Case(
      id: "AF-T108", pins: { _ in [] }, allowsInvalid: true, server: { $0.selfSigned }, host: good, isAccepted: false),
  ]
}
