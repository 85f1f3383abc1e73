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

  /// The certificates in the files of a directory whose extension is `cer`, `crt`, `der` or `pem`, each in DER form, to pin them.
  ///
  /// - Parameters:
  ///   - directory: The directory.
  ///   - wholeChains: Whether those that issued another one of the same file are among them. Default: false, since pinning an authority
  ///     pins every server that it certifies.
  /// - Returns: The certificates.
  /// - Throws: `AFSecurityError` with code `unreadableFile` or `invalidCertificate`, naming the file.
  public class func certificates(
    inDirectory directory: URL, wholeChains: Bool = false
  ) throws(AFSecurityError) -> Set<Data> {
    let files: [URL]
    do {
      files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
    } catch {
      throw AFSecurityError(.unreadableFile, "\(directory.path) cannot be read: \(error.localizedDescription)")
    }
    var result: Set<Data> = []
    for file in files where ["cer", "crt", "der", "pem"].contains(file.pathExtension.lowercased()) {
      let certificates = try AFCertificate.certificates(contentsOf: file)
      let wanted = wholeChains ? certificates : PinnedCertificates.pins(among: certificates)
      result.formUnion(wanted.map(\.derRepresentation))
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

  /// Receives a report for each server that was refused because no pin matched, and for each accepted one that has none of the
  /// ``reportOnlyPins``; on a global queue. Within ``anyOf(_:)`` a refusal is reported when no member accepts. Never archived.
  public var pinReportHandler: (@Sendable (AFPinReport) -> Void)? {
    get { core.settings.pinReportHandler }
    set { core.update { $0.pinReportHandler = newValue } }
  }

  /// Where managers send what ``pinReportHandler`` receives: the JSON of ``AFPinReport/jsonRepresentation(port:)`` by POST, from a
  /// session of its own that trusts the system's authorities. Default: nil, nothing is sent.
  ///
  /// The same report is sent once a day at most while the process runs, and what cannot be delivered is dropped. The application
  /// links AFCore for it, or sends the reports itself.
  public var pinReportURL: URL? {
    get { core.settings.pinReportURL }
    set { core.update { $0.pinReportURL = newValue } }
  }

  /// When the pins end. Default: nil, never.
  ///
  /// Afterwards the policy is one without pins: the authorities and the name decide, and `allowInvalidCertificates` does not count.
  /// An application that is not updated any more then loses its pins, and not its server.
  public var pinExpirationDate: Date? {
    get { core.settings.pinExpirationDate }
    set { core.update { $0.pinExpirationDate = newValue } }
  }
}
