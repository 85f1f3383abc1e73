import AFSupport
import COpenSSL
public import Foundation

/// An X.509 certificate (RFC 5280): its names, dates, key and fingerprints.
///
/// A value that never changes; two are equal when their DER bytes are. Properties are read from the certificate when asked for.
public struct AFCertificate: Sendable {
  let handle: X509Handle

  init(handle: X509Handle) { self.handle = handle }

  /// A certificate from its DER form.
  ///
  /// - Throws: `AFSecurityError` with code `invalidCertificate` when the bytes are not exactly one certificate.
  public init(derRepresentation: Data) throws(AFSecurityError) {
    guard let handle = X509Handle(der: derRepresentation) else {
      throw AFSecurityError(
        .invalidCertificate, "\(derRepresentation.count) bytes are not a DER encoded X.509 certificate")
    }
    self.handle = handle
  }

  /// A certificate from a PEM text that holds exactly one.
  ///
  /// - Throws: `AFSecurityError` with code `invalidCertificate` when there is none, more than one, or a broken one.
  public init(pemRepresentation: String) throws(AFSecurityError) {
    let all = try CertificateText.certificates(in: Data(pemRepresentation.utf8))
    guard let only = all.first, all.count == 1 else {
      throw AFSecurityError(.invalidCertificate, "the PEM text holds \(all.count) certificates where one is expected")
    }
    self = only
  }

  /// Every certificate in `data`: one in DER form, or any number in PEM form.
  ///
  /// - Throws: `AFSecurityError` with code `invalidCertificate` when there is none or any of them cannot be decoded.
  public static func certificates(in data: Data) throws(AFSecurityError) -> [AFCertificate] {
    try CertificateText.certificates(in: data)
  }

  /// Every certificate in a DER or PEM file.
  ///
  /// - Throws: `AFSecurityError` with code `unreadableFile` when the file cannot be read or is larger than 4 MiB, or
  ///   `invalidCertificate` as ``certificates(in:)``.
  public static func certificates(contentsOf url: URL) throws(AFSecurityError) -> [AFCertificate] {
    let data = try CertificateText.contents(of: url)
    do {
      return try CertificateText.certificates(in: data)
    } catch {
      throw error.prefixed(with: url.path)
    }
  }

  /// The DER form.
  public var derRepresentation: Data { handle.der }

  /// The PEM form, with a newline at its end.
  public var pemRepresentation: String { CertificateText.pem(label: "CERTIFICATE", derRepresentation) }

  /// The SHA-256 of the whole certificate.
  public var sha256Fingerprint: Data { fingerprint(EVP_sha256()) }

  /// The SHA-1 of the whole certificate, as older tools show it. Not for decisions.
  public var sha1Fingerprint: Data { fingerprint(EVP_sha1()) }

  private func fingerprint(_ algorithm: OpaquePointer?) -> Data {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    X509_digest(handle.pointer, algorithm, &digest, &count)
    return Data(digest.prefix(Int(count)))
  }
}

extension AFCertificate: Hashable {
  /// Whether the DER bytes are the same.
  public static func == (left: AFCertificate, right: AFCertificate) -> Bool {
    left.handle === right.handle || left.derRepresentation == right.derRepresentation
  }

  /// Hashes the DER bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(derRepresentation) }
}

extension AFCertificate: CustomStringConvertible {
  /// One line for logs: subject, issuer, days, and the key's pin.
  public var description: String {
    let days = "\(notValidBefore.shortDay) to \(notValidAfter.shortDay)"
    return "\(subject.printable()) (issued by \(issuer.printable()), valid \(days), \(publicKeyPin))"
  }
}
