import COpenSSL
public import Foundation

/// A certificate revocation list (RFC 5280 §5): the serial numbers that an authority has taken back.
public struct AFRevocationList: Sendable {
  let handle: Handle

  /// Every list in `data`: one in DER form, or any number in PEM form.
  ///
  /// - Throws: `AFSecurityError` with code `invalidRevocationList` when there is none or any of them cannot be decoded.
  public static func lists(in data: Data) throws(AFSecurityError) -> [AFRevocationList] {
    if let single = Handle(der: data) { return [AFRevocationList(handle: single)] }
    let blocks = try CertificateText.pemBlocks(in: data).filter { $0.label == "X509 CRL" }
    guard !blocks.isEmpty else {
      throw AFSecurityError(.invalidRevocationList, "\(data.count) bytes hold no revocation list, neither DER nor PEM")
    }
    return try blocks.map { block throws(AFSecurityError) in
      guard let handle = Handle(der: block.contents) else {
        throw AFSecurityError(.invalidRevocationList, "the PEM block at byte \(block.offset) is not a revocation list")
      }
      return AFRevocationList(handle: handle)
    }
  }

  /// Every list in a DER or PEM file.
  ///
  /// - Throws: `AFSecurityError` with code `unreadableFile` or `invalidRevocationList`.
  public static func lists(contentsOf url: URL) throws(AFSecurityError) -> [AFRevocationList] {
    try lists(in: CertificateText.contents(of: url))
  }

  /// The DER form.
  public var derRepresentation: Data { encodedDER { i2d_X509_CRL(handle.pointer, $0) } }

  /// When the authority will have published the next list; nil when it does not say.
  public var nextUpdate: Date? { Date(X509_CRL_get0_nextUpdate(handle.pointer)) }

  /// One reference to an `X509_CRL`.
  ///
  /// Unchecked because the compiler cannot know that nothing changes it after it was decoded.
  final class Handle: @unchecked Sendable {
    let pointer: OpaquePointer

    init?(der: Data) {
      af_OPENSSL_outlive_threads()
      let decoded = der.withUnsafeBytes { bytes -> OpaquePointer? in
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        var position: UnsafePointer<UInt8>? = start
        return d2i_X509_CRL(nil, &position, bytes.count)
      }
      guard let decoded else {
        ERR_clear_error()
        return nil
      }
      pointer = decoded
    }

    deinit { X509_CRL_free(pointer) }
  }
}
