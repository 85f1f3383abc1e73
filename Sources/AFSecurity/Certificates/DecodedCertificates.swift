import AFSupport
import Foundation

/// The certificates that servers presented lately, decoded.
///
/// Decoding one costs OpenSSL 3 as much as checking two signatures, and a client meets the same few servers again and again. Found
/// by all of its bytes; immutable, so sharing one is safe.
enum DecodedCertificates {
  // Arrays for keys: the leak checker does not see through a `Data` that lives as long as the process.
  private static let recent = Locked(RecentEntries<[UInt8], X509Handle>(capacity: 128))

  /// The certificate with these bytes, or nil when they are none.
  static func handle(_ der: Data) -> X509Handle? {
    let key = [UInt8](der)
    if let known = recent.withLock({ $0[key] }) { return known }
    guard let handle = X509Handle(der: der) else { return nil }
    recent.withLock { $0.insert(handle, for: key) }
    return handle
  }
}
