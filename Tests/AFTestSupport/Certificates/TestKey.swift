import COpenSSL
package import Foundation

/// A private key made at run time.
package final class TestKey: @unchecked Sendable {
  // Unchecked because the compiler does not know that an EVP_PKEY is never changed after it was made.
  package let pointer: OpaquePointer

  package enum Kind: Sendable, Hashable, CaseIterable {
    case p256, p384, rsa1024, rsa2048, ed25519
  }

  package let kind: Kind

  package init(_ kind: Kind = .p256) throws {
    let algorithm =
      switch kind {
      case .p256, .p384: "EC"
      case .rsa1024, .rsa2048: "RSA"
      case .ed25519: "ED25519"
      }
    guard let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil), EVP_PKEY_keygen_init(context) > 0 else {
      throw TestCertificateError("EVP_PKEY_keygen_init")
    }
    defer { EVP_PKEY_CTX_free(context) }
    let configured: Int32 =
      switch kind {
      case .p256: EVP_PKEY_CTX_set_group_name(context, "P-256")
      case .p384: EVP_PKEY_CTX_set_group_name(context, "P-384")
      case .rsa1024: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024)
      case .rsa2048: EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)
      case .ed25519: 1
      }
    var key: OpaquePointer?
    guard configured > 0, EVP_PKEY_generate(context, &key) > 0, let key else {
      throw TestCertificateError("EVP_PKEY_generate \(kind)")
    }
    self.kind = kind
    pointer = key
  }

  deinit { EVP_PKEY_free(pointer) }

  /// The digest to sign with; Ed25519 has its own.
  var digest: OpaquePointer? { kind == .ed25519 ? nil : EVP_sha256() }

  /// The private key, PKCS#8 in PEM; encrypted with AES-256 when there is a passphrase.
  package func pem(passphrase: String? = nil) throws -> String {
    let data = try bytes { bio in
      guard let passphrase else { return PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil) }
      let length = Int32(passphrase.utf8.count)
      return PEM_write_bio_PKCS8PrivateKey(bio, pointer, EVP_aes_256_cbc(), passphrase, length, nil, nil)
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The SubjectPublicKeyInfo, DER.
  package var publicKeyDER: Data {
    get throws { try der { i2d_PUBKEY(pointer, $0) } }
  }
}
