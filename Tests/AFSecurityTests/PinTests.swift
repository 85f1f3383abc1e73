import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import Testing

@Suite struct PinTests {
  private let zeros = Data(repeating: 0, count: 32)

  @Test("A digest whose base64 begins with a slash is read in every form") func slashes() throws {
    let pin = try AFPublicKeyPin(sha256: Data(repeating: 0xFF, count: 32))
    #expect(pin.description.hasPrefix("sha256//"))
    for text in [pin.description, pin.curlDescription, pin.hexDescription] {
      #expect(try AFPublicKeyPin(text) == pin)
    }
  }

  @Test func `a pin reads and writes every usual form`() throws {
    let pin = try AFPublicKeyPin(sha256: Data(0..<32))
    let base64 = Data(0..<32).base64EncodedString()
    let hex = (0..<32).map { String(format: "%02X", $0) }
    let forms = [
      "sha256/\(base64)", "sha256//\(base64)", "pin-sha256=\"\(base64)\"", hex.joined(), hex.joined().lowercased(),
      hex.joined(separator: ":"),
    ]
    for form in forms { #expect(try AFPublicKeyPin(form) == pin) }
    #expect(pin.description == "sha256/\(base64)")
    #expect(pin.curlDescription == "sha256//\(base64)")
    #expect(pin.hexDescription == hex.joined().lowercased())
  }

  @Test(arguments: [
    "", "sha256/", "sha256/AAAA", "sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/!!!!",
    "+f" + String(repeating: "0f", count: 31),
    "pin-sha256=\"", String(repeating: "A", count: 1_000_000), String(repeating: "é", count: 64), "sha256/AAAA\u{0}",
  ])
  func `what is no pin is refused with a short reason`(text: String) {
    let error = #expect(throws: AFSecurityError.self) { try AFPublicKeyPin(text) }
    #expect(error?.code == .invalidPin)
    #expect((error?.reason.count ?? .max) < 200)
  }

  @Test(arguments: [TestKey.Kind.p256, .p384, .rsa2048, .ed25519])
  func `openssl and curl compute the same pin`(kind: TestKey.Kind) throws {
    let key = try TestKey(kind)
    let identity = try TestAuthority.selfSigned(CertificateProfile(names: ["a.test"]), key: key)
    let certificate = try identity.certificate.certificate()
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(identity.certificatePEM.utf8), to: "leaf.pem").path
    let shell =
      "openssl x509 -in \(file) -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64"
    let result = try run("/bin/sh", ["-c", shell]).output
    #expect("sha256/" + result.trimmingCharacters(in: .whitespacesAndNewlines) == certificate.publicKeyPin.description)
    let publicKeyPEM = try run("/usr/bin/openssl", ["x509", "-in", file, "-pubkey", "-noout"]).output
    #expect(try AFPublicKeyPin(publicKeyPEM: publicKeyPEM) == certificate.publicKeyPin)
    #expect(certificate.publicKeyInfo == (try key.publicKeyDER))
  }

  @Test func `key pins survive renewal, backups say so, and an empty set refuses`() throws {
    let fixtures = try Fixtures()
    let inUse = try fixtures.leaf.certificate.certificate().publicKeyPin
    let spare = try AFPublicKeyPin(sha256: zeros)
    let policy = AFSecurityPolicy(publicKeyPins: [inUse], backupPins: [spare])
    policy.anchorCertificates = [try fixtures.root.certificate.certificate()]
    for server in [fixtures.leaf, fixtures.renewedLeaf] {
      let result = try policy.evaluate(server.trust(), forDomain: Fixtures.host)
      #expect(result.matchedPin == inUse)
      #expect(!result.matchedBackupPin)
    }
    policy.publicKeyPins = [spare]
    policy.backupPublicKeyPins = [inUse]
    let result = try policy.evaluate(fixtures.leaf.trust(), forDomain: Fixtures.host)
    #expect(result.matchedPin == inUse)
    #expect(result.matchedBackupPin)
    policy.backupPublicKeyPins = []
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    policy.publicKeyPins = []
    #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .noPins)
  }

  @Test func `key pins count in every mode`() throws {
    let fixtures = try Fixtures()
    let wrong = try AFPublicKeyPin(sha256: zeros)
    let plain = try fixtures.policy()
    plain.publicKeyPins = [wrong]
    #expect(plain.sslPinningMode == .none)
    #expect(try plain.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    let certificate = try fixtures.policy(.certificate, pins: [fixtures.leaf.certificate])
    certificate.publicKeyPins = [wrong]
    #expect(try certificate.verdict(fixtures.leaf, Fixtures.host) == .pinMismatch)
    certificate.backupPublicKeyPins = [try fixtures.leaf.certificate.certificate().publicKeyPin]
    #expect(try certificate.verdict(fixtures.leaf, Fixtures.host) == nil)
  }

  @Test func `AF-X062 an undecodable pin throws when set, and refuses everybody when forced`() throws {
    let fixtures = try Fixtures()
    let broken = fixtures.leaf.certificate.dropLast()
    for mode in [AFSSLPinningMode.publicKey, .certificate] {
      let policy = try fixtures.policy(mode, pins: [fixtures.leaf.certificate])
      let error = #expect(throws: AFSecurityError.self) {
        try policy.setPinnedCertificates([fixtures.leaf.certificate, Data(broken)])
      }
      #expect(error?.code == .invalidPin)
      #expect(policy.pinnedCertificates == [fixtures.leaf.certificate])
      policy.pinnedCertificates = [fixtures.leaf.certificate, Data(broken)]
      #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .invalidPin)
      policy.pinnedCertificates = [Data()]
      #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .invalidPin)
      policy.allowInvalidCertificates = true
      #expect(try policy.verdict(fixtures.leaf, Fixtures.host) == .invalidPin)
    }
  }

  @Test func `report-only pins let pass and report, once per server accepted`() async throws {
    let fixtures = try Fixtures()
    let policy = try fixtures.policy()
    let expected = try AFPublicKeyPin(sha256: zeros)
    policy.reportOnlyPins = [expected]
    let report = await withCheckedContinuation { continuation in
      let once = Locked<CheckedContinuation<AFPinReport, Never>?>(continuation)
      policy.pinReportHandler = { report in
        once.withLock { waiting in
          defer { waiting = nil }
          return waiting
        }?.resume(returning: report)
      }
      let accepted = (try? fixtures.leaf.trust()).map { policy.evaluateServerTrust($0, forDomain: Fixtures.host) }
      #expect(accepted == true)
    }
    #expect(report.host == Fixtures.host)
    #expect(report.expectedPins == [expected])
    #expect(report.presentedPins.first == (try fixtures.leaf.certificate.certificate().publicKeyPin))

    policy.reportOnlyPins = Set(report.presentedPins.suffix(1))
    let result = try policy.evaluate(fixtures.leaf.trust(), forDomain: Fixtures.host)
    #expect(!result.failedReportOnlyPins)
  }
}
