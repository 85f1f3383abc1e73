import COpenSSL
public import Foundation

extension AFCertificate {
  /// The SubjectPublicKeyInfo (RFC 5280 §4.1), DER: algorithm and key.
  public var publicKeyInfo: Data { handle.publicKeyDER }

  /// The pin of this certificate's key: the SHA-256 of ``publicKeyInfo`` (RFC 7469 §2.4).
  public var publicKeyPin: AFPublicKeyPin { handle.publicKeyPin }

  /// Kind and size of the key, such as `RSA 2048 bits` or `EC prime256v1 256 bits`.
  public var publicKeyDescription: String {
    guard let key = X509_get0_pubkey(handle.pointer) else { return "unknown" }
    let bits = "\(EVP_PKEY_get_bits(key)) bits"
    var group = [CChar](repeating: 0, count: 64)
    var count = 0
    if EVP_PKEY_get_group_name(key, &group, group.count, &count) == 1, count > 0 {
      return "EC \(String(decoding: group.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)) \(bits)"
    }
    let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
    return "\(name) \(bits)"
  }
}
