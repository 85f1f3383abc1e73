import Foundation

/// Everything a plain policy is made of; a value.
struct PolicySettings: Sendable {
  var pinningMode = AFSSLPinningMode.none
  /// Nil and empty are the same to the verdict; the documented property keeps them apart.
  var hasPinnedCertificates = false
  var pinned = PinnedCertificates.none
  var allowInvalidCertificates = false
  var validatesDomainName = true

  var publicKeyPins: Set<AFPublicKeyPin> = []
  var backupPublicKeyPins: Set<AFPublicKeyPin> = []
  var reportOnlyPins: Set<AFPublicKeyPin> = []
  var pinReportHandler: (@Sendable (AFPinReport) -> Void)?
  var pinReportURL: URL?
  var pinExpirationDate: Date?

  var anchors = Anchors()
  var evaluationDate: Date?
  var revocation: AFRevocationChecking?

  var minimumTLSVersion = AFTLSVersion.tls12
  var ciphers: AFTLSCiphers?
  var clientIdentity: AFClientIdentity?

  /// The pins of keys that were given as such.
  var keyPins: Set<AFPublicKeyPin> { publicKeyPins.union(backupPublicKeyPins) }

  /// Every key that passes in public key mode, backups left out.
  var primaryKeys: Set<AFPublicKeyPin> { pinned.keys.union(publicKeyPins) }

  /// Every key that passes in public key mode.
  var acceptedKeys: Set<AFPublicKeyPin> { primaryKeys.union(backupPublicKeyPins) }

  /// Key pins count in every mode: a pin that somebody set must never be ignored.
  var effectiveMode: AFSSLPinningMode {
    let hasKeyPins = !publicKeyPins.isEmpty || !backupPublicKeyPins.isEmpty
    return pinningMode == .none && hasKeyPins ? .publicKey : pinningMode
  }

  /// The settings at a moment: pins that have ended are none, and what they alone allowed is not allowed any more.
  func effective(at date: Date) -> PolicySettings {
    guard let pinExpirationDate, date > pinExpirationDate, effectiveMode != .none else { return self }
    var settings = self
    settings.pinningMode = .none
    settings.publicKeyPins = []
    settings.backupPublicKeyPins = []
    settings.pinned = .none
    settings.allowInvalidCertificates = false
    return settings
  }

  /// The authorities that a path may end in.
  struct Anchors: Sendable {
    var certificates: [AFCertificate]?
    var includesSystem = true
    private(set) var store = TrustStore.system

    mutating func set(_ certificates: [AFCertificate]?, includesSystem: Bool) {
      self.certificates = certificates
      self.includesSystem = includesSystem
      let handles = (certificates ?? []).map(\.handle)
      let isSystemAlone = includesSystem && handles.isEmpty
      store = isSystemAlone ? .system : TrustStore(anchors: handles, includesSystem: includesSystem)
    }
  }
}
