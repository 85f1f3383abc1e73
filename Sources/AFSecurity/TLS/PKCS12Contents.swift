import COpenSSL
import Foundation

/// The key and the certificates of a PKCS#12 file (RFC 7292).
struct PKCS12Contents {
  let key: AFClientIdentity.Key
  /// The key's own certificate first.
  let certificates: [AFCertificate]

  init(_ data: Data, passphrase: String) throws(AFSecurityError) {
    af_OPENSSL_outlive_threads()
    defer { ERR_clear_error() }
    let decoded = data.withUnsafeBytes { bytes in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      return d2i_PKCS12(nil, &position, bytes.count)
    }
    guard let decoded else { throw AFSecurityError(.invalidKey, "\(data.count) bytes are not a PKCS#12 file") }
    defer { PKCS12_free(decoded) }
    guard
      PKCS12_verify_mac(decoded, passphrase, -1) == 1 || (passphrase.isEmpty && PKCS12_verify_mac(decoded, nil, 0) == 1)
    else { throw AFSecurityError(.wrongPassphrase, "the passphrase does not open the PKCS#12 file") }

    var key: OpaquePointer?
    var certificate: OpaquePointer?
    var others: OpaquePointer?
    let parsed = PKCS12_parse(decoded, passphrase, &key, &certificate, &others)
    defer { OPENSSL_sk_pop_free(others) { X509_free($0.map { OpaquePointer($0) }) } }
    let ownKey = key.map(AFClientIdentity.Key.init(adopting:))
    let own = certificate.map(X509Handle.init(adopting:))
    guard parsed == 1, let ownKey, let own else {
      throw AFSecurityError(.invalidKey, "the PKCS#12 file holds no private key with its certificate")
    }
    self.key = ownKey
    certificates = ([own] + X509Stack.members(of: others)).map(AFCertificate.init(handle:))
  }
}
