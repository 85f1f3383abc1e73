import AFSupport
import Foundation

/// The certificates that servers presented lately, decoded.
///
/// Decoding one costs OpenSSL 3 as much as checking two signatures, and a client meets the same few servers again and again. Found
/// by all of its bytes; immutable, so sharing one is safe.
enum DecodedCertificates {
  private static let capacity = 128

  private struct Recent {
    // Arrays for keys: the leak checker does not see through a `Data` that lives as long as the process.
    var handles: [[UInt8]: X509Handle] = [:]
    /// Oldest first.
    var order: [[UInt8]] = []
  }

  private static let recent = Locked(Recent())

  /// The certificate with these bytes, or nil when they are none.
  static func handle(_ der: Data) -> X509Handle? {
    let key = [UInt8](der)
    if let known = recent.withLock({ $0.handles[key] }) { return known }
    guard let handle = X509Handle(der: der) else { return nil }
    recent.withLock { recent in
      guard recent.handles.updateValue(handle, forKey: key) == nil else { return }
      recent.order.append(key)
      if recent.order.count > capacity { recent.handles[recent.order.removeFirst()] = nil }
    }
    return handle
  }
}
