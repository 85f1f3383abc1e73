import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFSecurity

/// Writes what it is told.
final class ArchivedPolicy: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked because its superclass is; what is added is a lock.
  let write = Locked<(@Sendable (NSCoder) -> Void)?>(nil)
  override func encode(with coder: NSCoder) { write.withLock { $0 }?(coder) }
}

/// F72, F73, F97: files and archives say what they hold, or are refused.
@Suite struct FailClosedTests {
  private let fixtures: Fixtures

  init() throws { fixtures = try Fixtures() }

  // MARK: F72

  @Test func `F72 a pinned PEM text with a chain pins the server, not its authority`() throws {
    let chain = Data((fixtures.leaf.chainPEM + fixtures.root.certificatePEM).utf8)
    for mode in [AFSSLPinningMode.publicKey, .certificate] {
      let policy = try fixtures.policy(mode, pins: [chain])
      #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
      let neighbour = try fixtures.intermediate.issue(names: [Fixtures.host])
      #expect(try policy.verdict(neighbour, Fixtures.host) == .pinMismatch, "another server of the same authority")
      // Who means the authority gives it by itself.
      let authority = try fixtures.policy(mode, pins: [fixtures.intermediate.certificate])
      #expect(try authority.verdict(neighbour, Fixtures.host) == nil)
    }
  }

  @Test func `F72 which certificates of a text are pins`() throws {
    func pins(_ certificates: [Data]) throws -> Set<Data> {
      Set(PinnedCertificates.pins(among: try certificates.map { try $0.certificate() }).map(\.derRepresentation))
    }
    let (leaf, middle, root) = (fixtures.leaf.certificate, fixtures.intermediate.certificate, fixtures.root.certificate)
    let rows: [([Data], Set<Data>)] = [
      ([leaf], [leaf]), ([leaf, middle], [leaf]), ([middle, leaf], [leaf]), ([leaf, middle, root], [leaf]),
      ([leaf, root], [leaf, root]), ([middle, root], [middle]), ([root], [root]),
      ([leaf, fixtures.renewedLeaf.certificate], [leaf, fixtures.renewedLeaf.certificate]),
      ([leaf, fixtures.renewedLeaf.certificate, middle], [leaf, fixtures.renewedLeaf.certificate]),
      ([leaf, fixtures.otherLeaf.certificate], [leaf, fixtures.otherLeaf.certificate]),
      ([root, fixtures.otherRoot.certificate], [root, fixtures.otherRoot.certificate]),
      ([fixtures.selfSigned.certificate], [fixtures.selfSigned.certificate]),
      (
        [fixtures.selfSigned.certificate, fixtures.selfSignedByAnother.certificate],
        [fixtures.selfSigned.certificate, fixtures.selfSignedByAnother.certificate]
      ),
      ([leaf, middle, root, fixtures.crossSignedRoot.certificate], [leaf]),
    ]
    for (index, (given, expected)) in rows.enumerated() { #expect(try pins(given) == expected, "row \(index)") }
  }

  @Test func `F72 a directory and a policy file pin servers, unless whole chains are asked for`() throws {
    let directory = try TemporaryDirectory()
    _ = try directory.write(Data(fixtures.leaf.chainPEM.utf8), to: "server.pem")
    #expect(try AFSecurityPolicy.certificates(inDirectory: directory.url) == [fixtures.leaf.certificate])
    #expect(
      try AFSecurityPolicy.certificates(inDirectory: directory.url, wholeChains: true) == Set(fixtures.leaf.chain))
    let text = "{ \"mode\": \"certificate\", \"pinnedCertificates\": [\"server.pem\"], \"notes\": \"a test\" }"
    let policy = try AFSecurityPolicy.policy(contentsOf: directory.write(Data(text.utf8), to: "policy.json"))
    #expect(policy.pinnedCertificates == [fixtures.leaf.certificate])
  }

  // MARK: F97

  @Test(arguments: ["\n", "\r\n", " ", "\n\n\t "])
  func `F97 white space behind a certificate in DER form is ignored`(end: String) throws {
    let padded = fixtures.leaf.certificate + Data(end.utf8)
    let policy = try fixtures.policy(.publicKey, pins: [padded])
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == nil)
    #expect(try AFCertificate.certificates(in: padded).map(\.derRepresentation) == [fixtures.leaf.certificate])
    for more in [Data("x".utf8), fixtures.leaf.certificate, Data([0])] {
      #expect(
        try fixtures.policy(.publicKey, pins: [padded + more]).verdict(fixtures.leaf, Fixtures.host) == .invalidPin)
    }
    // A server's certificate is nobody's file.
    #expect(throws: AFSecurityError.self) { try AFServerTrust(derRepresentations: [padded]) }
    #expect(throws: AFSecurityError.self) { try AFCertificate.certificates(in: padded.dropFirst()) }
  }

  // MARK: F73

  enum ArchiveForm: CaseIterable { case afnetworking, number, withoutMode, text, unknownMode, negative, empty }

  @Test(arguments: ArchiveForm.allCases, AFSSLPinningMode.allModes)
  func `F73 an archive has AFNetworking's mode, or is refused`(form: ArchiveForm, mode: AFSSLPinningMode) throws {
    let policy = ArchivedPolicy()
    let pin = fixtures.leaf.certificate
    policy.write.withLock { write in
      write = { coder in
        switch form {
        case .afnetworking: coder.encode(NSNumber(value: mode.rawValue), forKey: "SSLPinningMode")
        case .number: coder.encode(Int(mode.rawValue), forKey: "SSLPinningMode")
        case .text: coder.encode("\(mode.rawValue)" as NSString, forKey: "SSLPinningMode")
        case .unknownMode: coder.encode(NSNumber(value: 3 + mode.rawValue), forKey: "SSLPinningMode")
        case .negative: coder.encode(NSNumber(value: -1 - Int(mode.rawValue)), forKey: "SSLPinningMode")
        case .withoutMode, .empty: break
        }
        guard form != .empty else { return }
        coder.encode(true, forKey: "validatesDomainName")
        coder.encode(false, forKey: "allowInvalidCertificates")
        coder.encode(NSSet(array: [pin as NSData]), forKey: "pinnedCertificates")
      }
    }
    let data = try NSKeyedArchiver.archivedData(withRootObject: policy, requiringSecureCoding: true)
    let restored = try? NSKeyedUnarchiver.unarchivedObject(ofClass: ArchivedPolicy.self, from: data)
    switch form {
    case .afnetworking:
      #expect(restored?.sslPinningMode == mode && restored?.validatesDomainName == true)
      #expect(restored?.pinnedCertificates == [fixtures.leaf.certificate])
    case .number where mode != .none: #expect(restored?.sslPinningMode == mode)
    default: #expect(restored == nil, "it came out as \(String(describing: restored?.sslPinningMode))")
    }
  }

  @Test func `F73 what is archived comes back, with the end of its pins`() throws {
    let policy = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [fixtures.leaf.certificate])
    policy.pinExpirationDate = Date(timeIntervalSince1970: 2_000_000_000)
    policy.pinReportURL = URL(string: "https://reports.test/pins")
    let data = try NSKeyedArchiver.archivedData(withRootObject: policy, requiringSecureCoding: true)
    let restored = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: AFSecurityPolicy.self, from: data))
    #expect(restored.pinExpirationDate == policy.pinExpirationDate && restored.pinReportURL == policy.pinReportURL)
    #expect(restored.sslPinningMode == .publicKey)
  }
}

extension AFSSLPinningMode {
  fileprivate static let allModes = [AFSSLPinningMode.none, .publicKey, .certificate]
}
