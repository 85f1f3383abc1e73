import COpenSSL
package import Foundation

/// A certificate authority made at run time: a root, or an intermediate below one.
///
///     let authority = try TestAuthority.make()
///     let server = try authority.issue(names: ["localhost", "127.0.0.1"])
///     // trust authority.certificate, serve server.chainPEM with server.keyPEM
package struct TestAuthority: Sendable {
  package let key: TestKey
  /// This authority's own certificate, DER.
  package let certificate: Data
  /// This authority and those above it, up to but without the root, nearest first, DER: what its leaves send along.
  package let intermediates: [Data]

  package var certificatePEM: String { pem("CERTIFICATE", certificate) }

  /// The authority's distinguished name, DER.
  package var subjectDER: Data {
    get throws {
      let decoded = try certificate.decodedCertificate()
      defer { X509_free(decoded) }
      return try der { i2d_X509_NAME(X509_get_subject_name(decoded), $0) }
    }
  }

  /// A new self-signed root.
  package static func make(
    _ profile: CertificateProfile = .authority("Test Root"), key: TestKey? = nil
  ) throws -> TestAuthority {
    let key = try key ?? TestKey()
    let certificate = try signedCertificate(profile, subjectKey: key, issuer: nil)
    return TestAuthority(key: key, certificate: certificate, intermediates: [])
  }

  /// A leaf for the given host names and addresses.
  package func issue(names: [String], key: TestKey? = nil) throws -> TestIdentity {
    try issue(CertificateProfile(names: names), key: key)
  }

  /// A leaf with exactly the given contents.
  package func issue(_ profile: CertificateProfile, key: TestKey? = nil) throws -> TestIdentity {
    let key = try key ?? TestKey()
    let certificate = try signedCertificate(profile, subjectKey: key, issuer: self)
    return TestIdentity(key: key, certificate: certificate, intermediates: intermediates)
  }

  /// An intermediate authority below this one.
  package func issueAuthority(
    _ profile: CertificateProfile = .authority("Test Intermediate"), key: TestKey? = nil
  ) throws -> TestAuthority {
    let key = try key ?? TestKey()
    let certificate = try signedCertificate(profile, subjectKey: key, issuer: self)
    return TestAuthority(key: key, certificate: certificate, intermediates: [certificate] + intermediates)
  }

  /// A leaf that poses as an authority: what an attacker with an honest certificate would try.
  package init(forging leaf: TestIdentity) {
    key = leaf.key
    certificate = leaf.certificate
    intermediates = leaf.chain
  }

  /// An authority with the certificate of another one, and a key that does not belong to it: it signs, but not validly.
  package init(impersonating authority: TestAuthority) throws {
    key = try TestKey(authority.key.kind)
    certificate = authority.certificate
    intermediates = authority.intermediates
  }

  private init(key: TestKey, certificate: Data, intermediates: [Data]) {
    self.key = key
    self.certificate = certificate
    self.intermediates = intermediates
  }

  /// A self-signed leaf.
  package static func selfSigned(_ profile: CertificateProfile, key: TestKey? = nil) throws -> TestIdentity {
    let key = try key ?? TestKey()
    let certificate = try signedCertificate(profile, subjectKey: key, issuer: nil)
    return TestIdentity(key: key, certificate: certificate, intermediates: [])
  }
}
