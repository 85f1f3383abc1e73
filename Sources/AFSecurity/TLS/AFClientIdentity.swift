import AFSupport
import COpenSSL
public import Foundation

/// Who a client is to a server that asks (mutual TLS): a certificate, those above it, and the private key.
///
/// The key stays inside OpenSSL: no description, log or archive shows it.
public struct AFClientIdentity: Sendable {
  /// The client's certificate, and those above it that are sent along.
  public let certificates: [AFCertificate]
  private let key: Key

  /// An identity from PEM texts, which may be the same: certificates with the client's own first, and a private key.
  ///
  /// - Parameters:
  ///   - certificatePEM: One or more certificates.
  ///   - privateKeyPEM: A PKCS#8 or traditional private key, encrypted or not.
  ///   - passphrase: What opens an encrypted key.
  /// - Throws: `AFSecurityError` with code `invalidCertificate`, `invalidKey` or `wrongPassphrase`.
  public init(certificatePEM: Data, privateKeyPEM: Data, passphrase: String? = nil) throws(AFSecurityError) {
    try self.init(
      certificates: AFCertificate.certificates(in: certificatePEM), key: Key(pem: privateKeyPEM, passphrase: passphrase)
    )
  }

  /// An identity from a PKCS#12 file (`.p12`, `.pfx`).
  ///
  /// - Throws: `AFSecurityError` with code `wrongPassphrase`, or `invalidKey` when the data is no such file or holds no key with
  ///   a certificate.
  public init(pkcs12: Data, passphrase: String) throws(AFSecurityError) {
    let contents = try PKCS12Contents(pkcs12, passphrase: passphrase)
    try self.init(certificates: contents.certificates, key: contents.key)
  }

  /// An identity from a file: PKCS#12, or PEM with certificates and key.
  ///
  /// - Throws: `AFSecurityError` as the other initializers, or with code `unreadableFile`.
  public init(contentsOf url: URL, passphrase: String? = nil) throws(AFSecurityError) {
    let data = try CertificateText.contents(of: url)
    if data.range(of: Data("-----BEGIN ".utf8)) != nil {
      try self.init(certificatePEM: data, privateKeyPEM: data, passphrase: passphrase)
    } else {
      try self.init(pkcs12: data, passphrase: passphrase ?? "")
    }
  }

  private init(certificates: [AFCertificate], key: Key) throws(AFSecurityError) {
    defer { ERR_clear_error() }
    guard let own = certificates.first, X509_check_private_key(own.handle.pointer, key.pointer) == 1 else {
      throw AFSecurityError(
        .invalidKey, "the private key does not belong to the first certificate", certificate: certificates.first)
    }
    self.certificates = certificates
    self.key = key
  }

  /// The same identity, with further certificates to send along.
  package func sending(_ others: [AFCertificate]) -> AFClientIdentity {
    AFClientIdentity(certificates: certificates + others.filter { !certificates.contains($0) }, of: self)
  }

  private init(certificates: [AFCertificate], of identity: AFClientIdentity) {
    self.certificates = certificates
    key = identity.key
  }

  /// Shows the identity to every server of a context that asks for one.
  func apply(to context: OpaquePointer) throws(AFSecurityError) {
    try apply { SSL_CTX_use_cert_and_key(context, $0, $1, $2, 1) }
  }

  /// Shows the identity on one connection, whose server has asked for it.
  ///
  /// - Throws: `AFSecurityError` with code `invalidKey` when OpenSSL does not take it; the handshake must not go on then.
  package func apply(toConnection ssl: OpaquePointer) throws(AFSecurityError) {
    try apply { SSL_use_cert_and_key(ssl, $0, $1, $2, 1) }
  }

  private func apply(
    _ use: (_ own: OpaquePointer, _ key: OpaquePointer, _ others: OpaquePointer?) -> Int32
  ) throws(AFSecurityError) {
    defer { ERR_clear_error() }
    guard let own = certificates.first else { return }
    let others = X509Stack(certificates.dropFirst().map(\.handle))
    guard use(own.handle.pointer, key.pointer, others.pointer) == 1 else {
      throw AFSecurityError(.invalidKey, "OpenSSL does not take the client's certificate", certificate: own)
    }
  }

  /// One reference to a private key.
  ///
  /// Unchecked because the compiler cannot know that nothing changes it after it was read.
  final class Key: @unchecked Sendable {
    let pointer: OpaquePointer

    init(adopting pointer: OpaquePointer) { self.pointer = pointer }

    init(pem: Data, passphrase: String?) throws(AFSecurityError) {
      af_OPENSSL_outlive_threads()
      defer { ERR_clear_error() }
      let key = pem.withUnsafeBytes { bytes -> OpaquePointer? in
        guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        defer { BIO_free(bio) }
        // With a passphrase at hand, even an empty one, OpenSSL never asks on the terminal.
        return Array((passphrase ?? "").utf8CString).withUnsafeBufferPointer { text in
          PEM_read_bio_PrivateKey(bio, nil, nil, UnsafeMutableRawPointer(mutating: text.baseAddress))
        }
      }
      guard let key else {
        let isEncrypted = pem.range(of: Data("ENCRYPTED".utf8)) != nil
        throw isEncrypted
          ? AFSecurityError(.wrongPassphrase, "the passphrase does not open the private key")
          : AFSecurityError(.invalidKey, "the text holds no readable private key")
      }
      pointer = key
    }

    deinit { EVP_PKEY_free(pointer) }
  }
}

extension AFClientIdentity: CustomStringConvertible {
  /// The certificate's subject; never the key.
  public var description: String {
    "client identity \(certificates.first?.subject.printable() ?? "without a certificate")"
  }
}
