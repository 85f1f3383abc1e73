import AFSecurity
import AFTestSupport
import Foundation
import Testing

@Suite struct CertificateTests {
  @Test func `a certificate tells its names, dates, serial number and key`() throws {
    let root = try TestAuthority.make(.authority("A, \"quoted\" Root"))
    var profile = CertificateProfile(
      commonName: "Ünïcode",
      names: ["a.test", "*.b.test", "127.0.0.1", "::1", "email:me@a.test", "URI:https://a.test/"])
    profile.serial = 0xCAFE
    profile.notBefore = Date(timeIntervalSince1970: 1_700_000_000)
    profile.notAfter = Date(timeIntervalSince1970: 4_000_000_000)
    let certificate = try root.issue(profile, key: TestKey(.rsa2048)).certificate.certificate()
    #expect(certificate.subject == "CN=Ünïcode")
    #expect(certificate.commonName == "Ünïcode")
    #expect(certificate.issuer == "CN=A\\, \\\"quoted\\\" Root")
    #expect(
      certificate.alternativeNames == [
        .dns("a.test"), .dns("*.b.test"), .ipAddress("127.0.0.1"), .ipAddress("::1"), .email("me@a.test"),
        .uri("https://a.test/"),
      ])
    #expect(certificate.hostNames == ["a.test", "*.b.test", "127.0.0.1", "::1"])
    #expect(certificate.serialNumber == "CAFE")
    #expect(certificate.notValidBefore == profile.notBefore)
    #expect(certificate.notValidAfter == profile.notAfter)
    #expect(certificate.publicKeyDescription == "RSA 2048 bits")
    #expect(certificate.signatureAlgorithm == "ecdsa-with-SHA256")
    #expect(!certificate.isAuthority && !certificate.isSelfSigned)
    let rootCertificate = try root.certificate.certificate()
    #expect(rootCertificate.isAuthority && rootCertificate.isSelfSigned)
    #expect(rootCertificate.publicKeyDescription == "EC prime256v1 256 bits")
  }

  @Test func `fingerprints are those that openssl prints`() throws {
    let identity = try TestAuthority.selfSigned(CertificateProfile(names: ["a.test"]))
    let certificate = try identity.certificate.certificate()
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(identity.certificatePEM.utf8), to: "a.pem").path
    for (option, digest) in [("-sha256", certificate.sha256Fingerprint), ("-sha1", certificate.sha1Fingerprint)] {
      let output = try run("/usr/bin/openssl", ["x509", "-in", file, "-noout", "-fingerprint", option]).output
      let hex = digest.map { String(format: "%02X", $0) }.joined(separator: ":")
      #expect(output.contains("=\(hex)\n"))
    }
  }

  @Test func `a NUL in a name hides nothing`() throws {
    // SEQUENCE { [2] "good.test" NUL ".evil.test" }
    let name = Array("good.test".utf8) + [0] + Array(".evil.test".utf8)
    let der = [0x30, UInt8(name.count + 2), 0x82, UInt8(name.count)] + name
    var profile = CertificateProfile(commonName: "x")
    profile.extensions = [("subjectAltName", "DER:" + der.map { String(format: "%02X", $0) }.joined())]
    let fixtures = try Fixtures()
    let leaf = try fixtures.intermediate.issue(profile)
    #expect(try leaf.certificate.certificate().hostNames == ["good.test\u{0}.evil.test"])
    for host in ["good.test", "good.test\u{0}.evil.test", ".evil.test"] {
      #expect(try fixtures.policy().verdict(leaf, host) == .hostMismatch)
    }
  }
}
