import AFSupport
import COpenSSL

/// Digests for the targets above, which do not see OpenSSL.
package enum Digest {
  package enum Algorithm: Sendable, Hashable, CaseIterable {
    case md5, sha256, sha512_256

    fileprivate var method: OpaquePointer? {
      switch self {
      case .md5: EVP_md5()
      case .sha256: EVP_sha256()
      case .sha512_256: EVP_sha512_256()
      }
    }
  }

  /// The SHA-256 of a text's UTF-8, as 64 hexadecimal digits.
  package static func sha256(_ text: String) -> String {
    af_OPENSSL_outlive_threads()
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    let octets = Array(text.utf8)
    _ = SHA256(octets, octets.count, &digest)
    return hexadecimal(digest[...])
  }

  /// The digest of a text's UTF-8, in hexadecimal digits; nil if this OpenSSL has not got the algorithm (MD5 under FIPS).
  package static func hex(_ algorithm: Algorithm, _ text: String) -> String? {
    let running = RunningDigest(algorithm)
    var text = text
    text.withUTF8 { running?.update(UnsafeRawBufferPointer($0)) }
    return running?.finish()
  }

  fileprivate static func hexadecimal(_ octets: ArraySlice<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: octets.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// A digest that goes along with bytes as they come.
package final class RunningDigest: Sendable {
  private struct State: @unchecked Sendable {
    // Unchecked because a pointer is not Sendable; it is touched under the lock alone.
    let context: OpaquePointer
  }

  private let state: Locked<State>

  /// Nil if this OpenSSL has not got the algorithm.
  package init?(_ algorithm: Digest.Algorithm) {
    af_OPENSSL_outlive_threads()
    guard let context = EVP_MD_CTX_new() else { return nil }
    guard EVP_DigestInit_ex(context, algorithm.method, nil) == 1 else {
      EVP_MD_CTX_free(context)
      return nil
    }
    state = Locked(State(context: context))
  }

  deinit { state.withLock { EVP_MD_CTX_free($0.context) } }

  package func update(_ bytes: UnsafeRawBufferPointer) {
    state.withLock { _ = EVP_DigestUpdate($0.context, bytes.baseAddress, bytes.count) }
  }

  /// The digest of all that came, in hexadecimal digits. Nothing comes after it.
  package func finish() -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    let octets = state.withLock { state -> ArraySlice<UInt8> in
      _ = EVP_DigestFinal_ex(state.context, &digest, &count)
      return digest[..<Int(count)]
    }
    return Digest.hexadecimal(octets)
  }
}
