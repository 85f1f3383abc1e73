public import Foundation

extension AFSecurityPolicy {
  /// A policy that pins public keys by their SHA-256.
  ///
  /// - Parameters:
  ///   - publicKeyPins: The keys that are in use.
  ///   - backupPins: Keys that are kept ready for the day the others are lost or replaced (RFC 7469 §4.3).
  public convenience init(publicKeyPins: Set<AFPublicKeyPin>, backupPins: Set<AFPublicKeyPin> = []) {
    self.init()
    core.update { settings in
      settings.pinningMode = .publicKey
      settings.publicKeyPins = publicKeyPins
      settings.backupPublicKeyPins = backupPins
    }
  }

  /// Sets ``pinnedCertificates``, unless one of them cannot be decoded.
  ///
  /// - Throws: `AFSecurityError` with code `invalidPin`; the policy is then unchanged.
  public func setPinnedCertificates(_ certificates: Set<Data>) throws(AFSecurityError) {
    let pinned = PinnedCertificates(certificates)
    if let failure = pinned.failure { throw failure }
    core.update { settings in
      settings.hasPinnedCertificates = true
      settings.pinned = pinned
    }
  }

  /// Every certificate in the files of a directory whose extension is `cer`, `crt`, `der` or `pem`, each in DER form.
  ///
  /// - Throws: `AFSecurityError` with code `unreadableFile` or `invalidCertificate`, naming the file.
  public class func certificates(inDirectory directory: URL) throws(AFSecurityError) -> Set<Data> {
    let files: [URL]
    do {
      files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    } catch {
      throw AFSecurityError(.unreadableFile, "\(directory.path) cannot be read: \(error.localizedDescription)")
    }
    var result: Set<Data> = []
    for file in files where ["cer", "crt", "der", "pem"].contains(file.pathExtension.lowercased()) {
      result.formUnion(try AFCertificate.certificates(contentsOf: file).map(\.derRepresentation))
    }
    return result
  }

  /// Keys that pass in addition to those of ``pinnedCertificates``. Default: none.
  ///
  /// Key pins count in every mode. In mode `none` they make the policy pin public keys; in mode `certificate` the path must hold
  /// a pinned certificate *and* a pinned key.
  public var publicKeyPins: Set<AFPublicKeyPin> {
    get { core.settings.publicKeyPins }
    set { core.update { $0.publicKeyPins = newValue } }
  }

  /// Keys that pass as well, but tell that the time has come to make a new backup: ``AFTrustEvaluation/matchedBackupPin``.
  public var backupPublicKeyPins: Set<AFPublicKeyPin> {
    get { core.settings.backupPublicKeyPins }
    set { core.update { $0.backupPublicKeyPins = newValue } }
  }

  /// Keys to try out: a server without any of them passes, and is reported. Default: none.
  public var reportOnlyPins: Set<AFPublicKeyPin> {
    get { core.settings.reportOnlyPins }
    set { core.update { $0.reportOnlyPins = newValue } }
  }

  /// Receives a report for each accepted server that has none of the ``reportOnlyPins``, on a global queue.
  public var pinReportHandler: (@Sendable (AFPinReport) -> Void)? {
    get { core.settings.pinReportHandler }
    set { core.update { $0.pinReportHandler = newValue } }
  }
}
