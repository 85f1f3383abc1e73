import COpenSSL

/// SHA-256 for the targets above, which do not see OpenSSL.
package enum Digest {
  /// The SHA-256 of a text's UTF-8, as 64 hexadecimal digits.
  package static func sha256(_ text: String) -> String {
    af_OPENSSL_outlive_threads()
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    let octets = Array(text.utf8)
    _ = SHA256(octets, octets.count, &digest)
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
