import AFSupport
import Foundation

/// What a subclass of `AFSecurityPolicy` overrides of that which makes a verdict.
struct PolicyOverrides: OptionSet, Sendable {
  let rawValue: Int

  static let verdict = PolicyOverrides(rawValue: 1 << 0)
  static let pinningMode = PolicyOverrides(rawValue: 1 << 1)
  static let pinnedCertificates = PolicyOverrides(rawValue: 1 << 2)
  static let allowsInvalid = PolicyOverrides(rawValue: 1 << 3)
  static let validatesName = PolicyOverrides(rawValue: 1 << 4)
  static let all = PolicyOverrides(rawValue: (1 << 5) - 1)

  /// Everything where it cannot be told.
  static func of(_ type: AFSecurityPolicy.Type) -> PolicyOverrides {
    if type == AFSecurityPolicy.self { return [] }
    return table?.overrides(of: type) ?? .all
  }

  private static let table = OverrideTable<PolicyOverrides>(
    base: AFSecurityPolicy.self, plain: PlainProbe.self,
    probes: [
      (VerdictProbe.self, .verdict), (ModeProbe.self, .pinningMode), (CertificatesProbe.self, .pinnedCertificates),
      (InvalidProbe.self, .allowsInvalid), (NameProbe.self, .validatesName),
    ])
}

extension AFSecurityPolicy {
  /// What the subclass overrides.
  var overrides: PolicyOverrides { .of(type(of: self)) }

  /// The policy's settings with what a subclass overrides of them, or nil for a composed policy, which has none.
  var ownSettings: PolicySettings? {
    guard case .settings(var settings) = core.rule else { return nil }
    let overrides = overrides
    if overrides.contains(.pinningMode) { settings.pinningMode = sslPinningMode }
    if overrides.contains(.allowsInvalid) { settings.allowInvalidCertificates = allowInvalidCertificates }
    if overrides.contains(.validatesName) { settings.validatesDomainName = validatesDomainName }
    if overrides.contains(.pinnedCertificates) {
      let certificates = pinnedCertificates
      settings.hasPinnedCertificates = certificates != nil
      if certificates ?? [] != settings.pinned.data { settings.pinned = PinnedCertificates(certificates ?? []) }
    }
    return settings
  }
}

// swift-format-ignore
// Unchecked because their superclass is; they store nothing and are never made.
private final class PlainProbe: AFSecurityPolicy, @unchecked Sendable {}

private final class VerdictProbe: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked as above.
  override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool { false }
}

private final class ModeProbe: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked as above.
  override var sslPinningMode: AFSSLPinningMode { .certificate }
}

private final class CertificatesProbe: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked as above.
  override var pinnedCertificates: Set<Data>? {
    get { nil }
    set {}
  }
}

private final class InvalidProbe: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked as above.
  override var allowInvalidCertificates: Bool {
    get { false }
    set {}
  }
}

private final class NameProbe: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked as above.
  override var validatesDomainName: Bool {
    get { true }
    set {}
  }
}
