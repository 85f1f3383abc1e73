/// What a security policy compares with its pins.
public enum AFSSLPinningMode: UInt, Sendable {
  /// Nothing: the system's authorities, or those of the policy, decide.
  case none = 0
  /// Public keys. A renewed certificate with the same key still matches.
  case publicKey = 1
  /// Whole certificates, which are then the only anchors.
  case certificate = 2
}
