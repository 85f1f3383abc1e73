import AFSupport
public import Foundation

/// Decides whether a server is the one that was meant: by its certificate chain, its names, and pinned certificates or keys.
///
///     let policy = AFSecurityPolicy(pinningMode: .publicKey)          // pins every .cer file of the main bundle
///     manager.securityPolicy = policy
///
/// The default policy asks the system's authorities and checks the host name. Pinning narrows that; see
/// <doc:PinningThatSurvivesRenewal>. A policy may be changed at any time from any thread: the change counts for every request
/// that starts afterwards, also on connections that are already open.
///
/// A subclass may override ``evaluateServerTrust(_:forDomain:)``, or the settings that are `open`: they are read for every verdict.
open class AFSecurityPolicy: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; its only property is a `let` of a checked class.
  let core: PolicyCore

  /// A policy that pins nothing: the system's authorities decide, and the host name is checked.
  ///
  /// ``copy(with:)`` and ``default()`` make policies of a subclass with it. A subclass that declares no initializer that it must call
  /// inherits this one, and the convenience initializers with it.
  public required override init() {
    core = PolicyCore(.settings(PolicySettings()))
    super.init()
  }

  // Convenience: an initializer that subclasses elsewhere do not see would keep them from inheriting the others.
  convenience init(rule: PolicyCore.Rule) {
    self.init()
    core.replace(with: rule)
  }

  /// A policy that pins every certificate with the extension `cer` in the main bundle.
  public convenience init(pinningMode: AFSSLPinningMode) {
    self.init(pinningMode: pinningMode, withPinnedCertificates: Self.certificates(in: .main))
  }

  /// A policy that pins the given certificates, DER or PEM.
  ///
  /// A pin that cannot be decoded makes a pinning policy refuse every server with code `invalidPin`. To hear of it at once, use
  /// ``setPinnedCertificates(_:)``.
  public convenience init(pinningMode: AFSSLPinningMode, withPinnedCertificates pinnedCertificates: Set<Data>) {
    self.init()
    core.update { settings in
      settings.pinningMode = pinningMode
      settings.hasPinnedCertificates = true
      settings.pinned = PinnedCertificates(pinnedCertificates)
    }
  }

  /// Restores an archived policy; nil when the archive says something that this version does not understand.
  public required init?(coder: NSCoder) {
    guard let rule = PolicyCoding.rule(from: coder) else { return nil }
    core = PolicyCore(rule)
    super.init()
  }

  /// True: archives of policies are read with secure coding.
  open class var supportsSecureCoding: Bool { true }

  /// Archives the settings. A client identity and a report handler are left out; a composed policy cannot be restored.
  open func encode(with coder: NSCoder) {
    PolicyCoding.encode(core.rule, with: coder)
  }

  /// Makes an independent policy of the same class with the same settings.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self()
    copy.core.replace(with: core.rule)
    return copy
  }

  /// A new policy that pins nothing, with invalid certificates refused and the host name checked.
  @discardableResult
  open class func `default`() -> Self { Self() }

  /// The contents of every file with the extension `cer` in the bundle's resources.
  ///
  /// On Linux the main bundle of a command line tool is the directory of its executable. For certificates elsewhere see
  /// ``certificates(inDirectory:wholeChains:)``.
  @discardableResult
  open class func certificates(in bundle: Bundle) -> Set<Data> {
    let urls = bundle.urls(forResourcesWithExtension: "cer", subdirectory: nil) ?? []
    return Set(urls.compactMap { try? CertificateText.contents(of: $0 as URL) })
  }

  /// What is compared with the pins. Set when the policy is made.
  open var sslPinningMode: AFSSLPinningMode { core.settings.pinningMode }

  /// The pinned certificates, DER or PEM. Default: nil.
  ///
  /// Of a PEM text with several certificates, those that issued another one of them are not pinned: a server's whole chain pins the
  /// server and not its authority. To pin that, give its certificate by itself.
  ///
  /// A property cannot throw: a pin that cannot be decoded makes a pinning policy refuse every server with code `invalidPin`.
  /// To hear of it at once, use ``setPinnedCertificates(_:)``.
  open var pinnedCertificates: Set<Data>? {
    get {
      let settings = core.settings
      return settings.hasPinnedCertificates ? settings.pinned.data : nil
    }
    set {
      let pinned = PinnedCertificates(newValue ?? [])
      core.update { settings in
        settings.hasPinnedCertificates = newValue != nil
        settings.pinned = pinned
      }
    }
  }

  /// Whether chains that lead to no trusted authority, or have expired, may pass. Default: false.
  ///
  /// Never on its own: with ``validatesDomainName`` and without pins every server is refused, since a self-made certificate may
  /// carry any name. With pins, the pins still must match.
  open var allowInvalidCertificates: Bool {
    get { core.settings.allowInvalidCertificates }
    set { core.update { $0.allowInvalidCertificates = newValue } }
  }

  /// Whether the certificate must name the host, in every mode. Default: true.
  open var validatesDomainName: Bool {
    get { core.settings.validatesDomainName }
    set { core.update { $0.validatesDomainName = newValue } }
  }

  /// Whether the server is accepted.
  ///
  /// Managers call this where a subclass overrides it or one of the settings above, on a thread of their own choosing: once for what
  /// a server presents, and again when that changes, when a certificate of it or of the path expires, or after
  /// ``invalidateVerdicts()``. To learn why a server is refused, use ``evaluate(_:forDomain:at:)``, or read
  /// ``AFServerTrust/evaluationError`` afterwards.
  ///
  /// - Parameters:
  ///   - serverTrust: What the server presented.
  ///   - domain: The host that was meant; nil leaves names unchecked.
  /// - Returns: True to go on, false to end the handshake before a byte of the request is sent.
  @discardableResult
  open func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
    // Not through `evaluate`: that asks an overriding subclass, which is calling here.
    do throws(AFSecurityError) {
      _ = try serverTrust.judged(by: ownSnapshot(), host: domain, at: nil)
      return true
    } catch {
      return false
    }
  }
}
