import COpenSSL

/// A version of TLS that the package speaks.
public enum AFTLSVersion: Int, Sendable, Comparable, Codable {
  /// TLS 1.2 (RFC 5246).
  case tls12 = 0x0303
  /// TLS 1.3 (RFC 8446).
  case tls13 = 0x0304

  /// Whether `left` is the older one.
  public static func < (left: AFTLSVersion, right: AFTLSVersion) -> Bool { left.rawValue < right.rawValue }
}
