import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// AF-X061: the decision table of AFNetworking's policy, row by row; an asterisk in the table stands for every value.
@Suite struct TruthTableTests {
  struct Row: Sendable, CustomTestStringConvertible {
    enum Host: Sendable, CaseIterable { case none, match, mismatch }

    var number: Int
    var mode: AFSSLPinningMode
    var allowsInvalid = false
    var validatesName = [true]
    var hosts: [Host]
    var pins: @Sendable (Fixtures) -> [Set<Data>?] = { _ in [nil] }
    var servers: @Sendable (Fixtures) throws -> [TestIdentity] = { [$0.leaf] }
    /// Nil accepts.
    var code: AFSecurityError.Code?

    var testDescription: String { "row \(number)" }
  }

  @Test(arguments: rows)
  func `AF-X061 decision table`(row: Row) throws {
    let fixtures = try Fixtures()
    for server in try row.servers(fixtures) {
      for pins in row.pins(fixtures) {
        for validatesName in row.validatesName {
          for host in row.hosts {
            let policy = try fixtures.policy(
              row.mode, pins: pins ?? (row.mode == .none ? nil : []), allowInvalid: row.allowsInvalid,
              validatesName: validatesName)
            let name: String? =
              switch host {
              case .none: nil
              case .match: try server.certificate.certificate().hostNames.first ?? Fixtures.host
              case .mismatch: "mismatch.test"
              }
            let code = try policy.verdict(server, name)
            #expect(code == row.code, "name check \(validatesName), host \(host)")
            #expect(policy.evaluateServerTrust(try server.trust(), forDomain: name) == (row.code == nil))
          }
        }
      }
    }
  }

  private static let foreign: @Sendable (Fixtures) -> [Set<Data>?] = {
    [[$0.otherLeaf.certificate, $0.otherRoot.certificate]]
  }
  private static let own: @Sendable (Fixtures) -> [Set<Data>?] = { [[$0.selfSigned.certificate]] }
  private static let leafPin: @Sendable (Fixtures) -> [Set<Data>?] = { [[$0.leaf.certificate]] }
  private static let both = [true, false]

  static let rows: [Row] = [
    Row(number: 1, mode: .none, hosts: [.none]),
    Row(number: 2, mode: .none, hosts: [.match]),
    Row(number: 3, mode: .none, hosts: [.mismatch], code: .hostMismatch),
    Row(number: 4, mode: .none, validatesName: [false], hosts: [.mismatch]),
    Row(number: 5, mode: .none, hosts: [.none], servers: { [$0.selfSigned] }, code: .untrustedChain),
    Row(
      number: 6, mode: .none, validatesName: [false], hosts: Row.Host.allCases, servers: { [$0.selfSigned] },
      code: .untrustedChain),
    Row(
      number: 6, mode: .none, validatesName: [false], hosts: Row.Host.allCases, servers: { [$0.expiredLeaf] },
      code: .expired),
    Row(number: 7, mode: .none, allowsInvalid: true, hosts: [.none], servers: { [$0.selfSigned] }),
    Row(
      number: 8, mode: .none, allowsInvalid: true, validatesName: [false], hosts: Row.Host.allCases,
      servers: { [$0.selfSigned] }),
    Row(
      number: 9, mode: .none, allowsInvalid: true, hosts: [.match, .mismatch], servers: { [$0.leaf, $0.selfSigned] },
      code: .pinRequired),
    Row(
      number: 10, mode: .none, allowsInvalid: true, hosts: [.match, .mismatch], pins: leafPin,
      servers: { [$0.leaf, $0.selfSigned] }, code: .pinRequired),
    Row(number: 11, mode: .certificate, validatesName: both, hosts: Row.Host.allCases, code: .noPins),
    Row(number: 12, mode: .certificate, hosts: [.none], pins: leafPin),
    Row(number: 13, mode: .certificate, hosts: [.none], pins: { [[$0.intermediate.certificate]] }),
    Row(number: 14, mode: .certificate, hosts: [.none], pins: { [[$0.root.certificate]] }),
    Row(
      number: 14, mode: .certificate, hosts: [.none], pins: { [[$0.crossSignedRoot.certificate]] },
      servers: { [TestIdentity(extending: $0.leaf, with: [$0.crossSignedRoot.certificate])] }),
    Row(
      number: 15, mode: .certificate, hosts: [.none],
      pins: { [$0.wholeChain, [$0.leaf.certificate, $0.otherLeaf.certificate]] }),
    Row(number: 16, mode: .certificate, hosts: [.match], pins: leafPin),
    Row(number: 17, mode: .certificate, hosts: [.mismatch], pins: leafPin, code: .hostMismatch),
    Row(number: 18, mode: .certificate, validatesName: [false], hosts: [.mismatch], pins: leafPin),
    Row(number: 19, mode: .certificate, hosts: [.none, .match], pins: foreign, code: .pinMismatch),
    Row(number: 19, mode: .certificate, hosts: [.mismatch], pins: foreign, code: .hostMismatch),
    Row(
      number: 19, mode: .certificate, validatesName: [false], hosts: Row.Host.allCases, pins: foreign,
      code: .pinMismatch),
    Row(
      number: 20, mode: .certificate, validatesName: both, hosts: [.none, .match], pins: own,
      servers: { [$0.selfSigned] }, code: .untrustedChain),
    Row(
      number: 21, mode: .certificate, allowsInvalid: true, hosts: [.match], pins: own, servers: { [$0.selfSigned] }),
    Row(
      number: 22, mode: .certificate, allowsInvalid: true, hosts: [.mismatch],
      pins: { [[$0.selfSigned.certificate, $0.selfSignedWithoutNames.certificate]] },
      servers: { [$0.selfSigned, $0.selfSignedWithoutNames] }, code: .hostMismatch),
    Row(
      number: 23, mode: .certificate, allowsInvalid: true, validatesName: [false], hosts: Row.Host.allCases, pins: own,
      servers: { [$0.selfSigned] }),
    Row(
      number: 24, mode: .certificate, allowsInvalid: true, validatesName: both, hosts: Row.Host.allCases,
      pins: { [[$0.selfSignedExpired.certificate]] }, servers: { [$0.selfSignedExpired] }, code: .expired),
    Row(number: 25, mode: .publicKey, validatesName: both, hosts: Row.Host.allCases, code: .noPins),
    Row(
      number: 26, mode: .publicKey, hosts: [.none],
      pins: {
        [
          [$0.leaf.certificate], [$0.intermediate.certificate], [$0.root.certificate], $0.wholeChain,
          [$0.leaf.certificate, $0.otherLeaf.certificate],
        ]
      }),
    Row(number: 27, mode: .publicKey, hosts: [.match], pins: leafPin),
    Row(number: 28, mode: .publicKey, hosts: [.mismatch], pins: leafPin, code: .hostMismatch),
    Row(number: 29, mode: .publicKey, hosts: [.none, .match], pins: foreign, code: .pinMismatch),
    Row(number: 29, mode: .publicKey, hosts: [.mismatch], pins: foreign, code: .hostMismatch),
    Row(number: 30, mode: .publicKey, allowsInvalid: true, hosts: [.match], pins: own, servers: { [$0.selfSigned] }),
    // Row 31 is the decided deviation: AFNetworking accepts without looking at the name.
    Row(
      number: 31, mode: .publicKey, allowsInvalid: true, hosts: [.mismatch],
      pins: { [[$0.selfSigned.certificate, $0.leaf.certificate]] }, servers: { [$0.selfSigned, $0.leaf] },
      code: .hostMismatch),
    Row(
      number: 32, mode: .publicKey, allowsInvalid: true, validatesName: both, hosts: [.none, .match],
      pins: { [[$0.selfSignedExpired.certificate, $0.expiredLeaf.certificate]] },
      servers: { [$0.selfSignedExpired, $0.expiredLeaf] }),
    Row(
      number: 33, mode: .publicKey, allowsInvalid: true, hosts: [.match, .mismatch],
      servers: { [$0.leaf, $0.selfSigned] }, code: .noPins),
    Row(number: 34, mode: .publicKey, hosts: [.none, .match], pins: leafPin, servers: { [$0.renewedLeaf] }),
    Row(
      number: 34, mode: .certificate, hosts: [.none, .match], pins: leafPin, servers: { [$0.renewedLeaf] },
      code: .pinMismatch),
  ]
}

extension TestIdentity {
  /// The same leaf, sent with further certificates.
  init(extending identity: TestIdentity, with certificates: [Data]) {
    self = identity
    intermediates += certificates
  }
}
