import AFSupport
import COpenSSL
import Foundation

/// One reference to an OpenSSL certificate.
///
/// Unchecked because the compiler cannot know that nothing changes the `X509` after it was decoded; what OpenSSL caches
/// inside (the parsed extensions) it guards itself.
final class X509Handle: @unchecked Sendable {
  let pointer: OpaquePointer
  /// The digest of the key, once somebody asked for its pin: every verdict of a pinning policy does. (An array: the leak checker
  /// does not see through a `Data` that lives as long as the process.)
  private let keyDigest = Locked<[UInt8]?>(nil)

  /// Takes over the caller's reference.
  init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  /// Adds a reference of its own.
  init(retaining pointer: OpaquePointer) {
    X509_up_ref(pointer)
    self.pointer = pointer
  }

  deinit { X509_free(pointer) }

  /// The certificate that fills `der` from the first byte to the last, or nil.
  convenience init?(der: Data) {
    af_OPENSSL_outlive_threads()
    let decoded = der.withUnsafeBytes { bytes -> OpaquePointer? in
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
      var position: UnsafePointer<UInt8>? = start
      guard let certificate = d2i_X509(nil, &position, bytes.count) else { return nil }
      guard position == start + bytes.count else {
        X509_free(certificate)
        return nil
      }
      return certificate
    }
    guard let decoded else {
      ERR_clear_error()
      return nil
    }
    // A certificate whose key or extensions cannot be read is of no use to anyone.
    guard X509_get0_pubkey(decoded) != nil else {
      ERR_clear_error()
      X509_free(decoded)
      return nil
    }
    self.init(adopting: decoded)
  }

  /// The encoded certificate.
  var der: Data { encodedDER { i2d_X509(pointer, $0) } }

  /// The encoded SubjectPublicKeyInfo, as it stands in the certificate.
  var publicKeyDER: Data { encodedDER { i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), $0) } }

  /// The pin of the key.
  var publicKeyPin: AFPublicKeyPin {
    if let digest = keyDigest.withLock({ $0 }) { return AFPublicKeyPin(digest: digest) }
    let digest = AFPublicKeyPin.digest(publicKeyInfo: publicKeyDER)
    keyDigest.withLock { $0 = digest }
    return AFPublicKeyPin(digest: digest)
  }
}

/// What an `i2d_…` function writes; empty when it fails, which for a decoded object means that memory ran out.
func encodedDER(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> Data {
  var start: UnsafeMutablePointer<UInt8>?
  let count = encode(&start)
  guard count > 0, let start else { return Data() }
  defer { af_OPENSSL_free(start) }
  return Data(bytes: start, count: Int(count))
}

/// A `STACK_OF(X509)` that borrows its members; for the duration of one call.
struct X509Stack: ~Copyable {
  let pointer: OpaquePointer?

  init(_ certificates: some Sequence<X509Handle>) {
    pointer = OPENSSL_sk_new_null()
    for certificate in certificates { OPENSSL_sk_push(pointer, UnsafeRawPointer(certificate.pointer)) }
  }

  deinit { OPENSSL_sk_free(pointer) }

  /// The certificates in a stack that somebody else owns, each with a reference of its own.
  static func members(of stack: OpaquePointer?) -> [X509Handle] {
    (0..<max(0, OPENSSL_sk_num(stack))).compactMap { index in
      OPENSSL_sk_value(stack, index).map { X509Handle(retaining: OpaquePointer($0)) }
    }
  }
}
