public import Foundation

extension AFSecurityPolicy {
  /// The authorities that a chain may end in, beside or instead of the system's; an intermediate or a leaf may be one.
  /// Default: nil.
  public var anchorCertificates: [AFCertificate]? {
    get { core.settings.anchors.certificates }
    set { core.update { $0.anchors.set(newValue, includesSystem: $0.anchors.includesSystem) } }
  }

  /// Whether the system's authorities count. Default: true. Without them and without ``anchorCertificates`` nothing is trusted.
  public var usesSystemAnchors: Bool {
    get { core.settings.anchors.includesSystem }
    set { core.update { $0.anchors.set($0.anchors.certificates, includesSystem: newValue) } }
  }

  /// The moment to judge certificates at. Default: nil, the time of the evaluation.
  public var evaluationDate: Date? {
    get { core.settings.evaluationDate }
    set { core.update { $0.evaluationDate = newValue } }
  }

  /// Whether and how revocation is looked at. Default: nil, not at all.
  ///
  /// With ``allowInvalidCertificates`` in public key mode only a stapled response counts, and without pins nothing does.
  public var revocationChecking: AFRevocationChecking? {
    get { core.settings.revocation }
    set { core.update { $0.revocation = newValue } }
  }

  /// The oldest version of TLS to speak. Default: TLS 1.2.
  public var minimumTLSVersion: AFTLSVersion {
    get { core.settings.minimumTLSVersion }
    set { core.update { $0.minimumTLSVersion = newValue } }
  }

  /// The ciphers to offer. Default: nil, OpenSSL's own choice on this system.
  public var ciphers: AFTLSCiphers? {
    get { core.settings.ciphers }
    set { core.update { $0.ciphers = newValue } }
  }

  /// Who the client is, for servers that ask (mutual TLS). Default: nil. Never archived.
  public var clientIdentity: AFClientIdentity? {
    get { core.settings.clientIdentity }
    set { core.update { $0.clientIdentity = newValue } }
  }
}
