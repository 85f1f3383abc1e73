import COpenSSL
package import Foundation

/// A leaf certificate with its private key and the intermediates a peer should send along.
package struct TestIdentity: Sendable {
  package let key: TestKey
  /// The leaf, DER.
  package let certificate: Data
  /// The certificates between the leaf and the root, nearest first, DER; the root is not among them.
  package var intermediates: [Data]

  /// Leaf first, then the intermediates, DER: what a server sends.
  package var chain: [Data] { [certificate] + intermediates }
  package var certificatePEM: String { pem("CERTIFICATE", certificate) }
  /// Leaf first, then the intermediates, PEM: what servers call the "certificate chain file".
  package var chainPEM: String { chain.map { pem("CERTIFICATE", $0) }.joined() }
  package var keyPEM: String { get throws { try key.pem() } }

  /// Key and chain as a PKCS#12 file.
  package func pkcs12(passphrase: String) throws -> Data {
    let leaf = try certificate.decodedCertificate()
    defer { X509_free(leaf) }
    guard let others = OPENSSL_sk_new_null() else { throw TestCertificateError("sk_new") }
    defer { OPENSSL_sk_pop_free(others) { X509_free($0.map(OpaquePointer.init)) } }
    for intermediate in intermediates {
      OPENSSL_sk_push(others, UnsafeRawPointer(try intermediate.decodedCertificate()))
    }
    guard let file = PKCS12_create(passphrase, "test", key.pointer, leaf, others, 0, 0, 0, 0, 0) else {
      throw TestCertificateError("PKCS12_create")
    }
    defer { PKCS12_free(file) }
    return try der { i2d_PKCS12(file, $0) }
  }
}
