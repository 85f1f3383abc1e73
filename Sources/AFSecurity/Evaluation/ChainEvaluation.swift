import Foundation

/// One verdict of one policy over one chain, in AFNetworking's order.
///
/// With A = `allowInvalidCertificates`, N = `validatesDomainName`, S = the path to the policy's anchors is valid,
/// T = a path to the pinned certificates is valid, K = a key on the path is pinned:
///
/// | mode | accepted when |
/// | --- | --- |
/// | none | (A or S), and not A with N and a host |
/// | certificate | (A or S) and T |
/// | public key | (A or S) and K |
///
/// and in each of them, whenever N is on and a host is given, the leaf names the host.
struct ChainEvaluation {
  let settings: PolicySettings
  let presented: [X509Handle]
  let name: ServerName?
  let host: String?
  let stapledResponse: Data?
  let date: Date?

  init(
    settings: PolicySettings, presented: [X509Handle], host: String?, stapledResponse: Data?, date: Date?
  ) {
    let date = date ?? settings.evaluationDate
    self.settings = settings.pinExpirationDate == nil ? settings : settings.effective(at: date ?? Date())
    self.presented = presented
    self.host = host
    self.stapledResponse = stapledResponse
    self.date = date
    name = settings.validatesDomainName ? host.map(ServerName.init) : nil
  }

  /// More certificates than any server has reason to send.
  static let maximumPresented = 100

  func run() throws(AFSecurityError) -> AFTrustEvaluation {
    do {
      return try evaluate()
    } catch {
      var error = error
      error.host = host
      if error.chain.isEmpty { error.chain = servedChain }
      if error.code == .pinMismatch {
        let report = report(true, error.chain, settings.acceptedKeys.union(settings.keyPins))
        error.pendingReports = [report].compactMap(\.self)
      }
      throw error
    }
  }

  private func evaluate() throws(AFSecurityError) -> AFTrustEvaluation {
    guard let leaf = presented.first else {
      throw AFSecurityError(.invalidCertificate, "the server sent no certificate")
    }
    guard presented.count <= Self.maximumPresented else {
      throw AFSecurityError(.chainTooLong, "the server sent \(presented.count) certificates")
    }
    let mode = settings.effectiveMode
    try checkPolicy(mode)
    let lists = settings.revocation.map(ListLookup.init)

    let allowsInvalid = settings.allowInvalidCertificates
    let path =
      allowsInvalid
      ? SignaturePath.build(presented, and: settings.pinned.certificates)
      : try validate(settings.anchors.store, name, lists)
    let pinnedPath = mode == .certificate ? try certificatePinnedPath(path, allowsInvalid ? lists : nil) : path
    try checkName(leaf, mode)

    var result = AFTrustEvaluation(chain: pinnedPath.map(AFCertificate.init(handle:)))
    try checkKeys(mode, &result)
    if let end = settings.pinExpirationDate, end > date ?? Date() { result.ends(at: end) }
    // A pinned leaf has no issuer on its own path; the path to the authorities does.
    if !(mode == .none && allowsInvalid) { try checkRevocation(allowsInvalid ? pinnedPath : path, lists, &result) }
    reportPins(&result)
    return result
  }

  /// What needs no look at the chain.
  private func checkPolicy(_ mode: AFSSLPinningMode) throws(AFSecurityError) {
    if mode == .none {
      guard settings.allowInvalidCertificates, settings.validatesDomainName, host != nil else { return }
      throw AFSecurityError(
        .pinRequired, "the policy allows invalid certificates and checks names, which proves nothing without a pin")
    }
    if let failure = settings.pinned.failure { throw failure }
    if settings.pinned.certificates.isEmpty && (mode == .certificate || settings.acceptedKeys.isEmpty) {
      throw AFSecurityError(.noPins, "the policy pins, but holds no pin")
    }
  }

  private func validate(
    _ store: TrustStore, _ name: ServerName?, _ lists: ListLookup?
  ) throws(AFSecurityError) -> [X509Handle] {
    do throws(VerifyFailure) {
      return try PathValidation(presented: presented, store: store, name: name, date: date, lists: lists).run()
    } catch {
      throw error.securityError()
    }
  }

  /// Certificate mode: the pins are the only anchors.
  private func certificatePinnedPath(
    _ systemPath: [X509Handle], _ lists: ListLookup?
  ) throws(AFSecurityError) -> [X509Handle] {
    let path: [X509Handle]
    do throws(AFSecurityError) {
      path = try validate(settings.pinned.store, nil, lists)
    } catch {
      guard error.code == .untrustedChain else { throw error }
      throw pinMismatch(systemPath.isEmpty ? presented : systemPath)
    }
    guard path.contains(where: { settings.pinned.encodings.contains($0.der) }) else { throw pinMismatch(path) }
    return path
  }

  /// The name check where no validated path made it: AFNetworking accepts here in public key mode without looking.
  private func checkName(_ leaf: X509Handle, _ mode: AFSSLPinningMode) throws(AFSecurityError) {
    guard settings.allowInvalidCertificates, mode != .none, let name else { return }
    // The common name counts only for the very certificate or key that is pinned; the pin then proves more than any name.
    let isPinned = settings.acceptedKeys.contains(leaf.publicKeyPin)
    guard CertificateNames.match(leaf, name, allowingCommonName: isPinned) else {
      let certificate = AFCertificate(handle: leaf)
      throw AFSecurityError(.hostMismatch, HostMismatch.reason(certificate), certificate: certificate)
    }
  }

  private func checkKeys(_ mode: AFSSLPinningMode, _ result: inout AFTrustEvaluation) throws(AFSecurityError) {
    guard mode != .none else { return }
    let keys = result.chain.map(\.publicKeyPin)
    // Certificate mode with key pins beside the certificates: both must hold.
    let wantsKeyPins = mode == .certificate && !settings.keyPins.isEmpty
    let wanted = wantsKeyPins ? settings.keyPins : settings.acceptedKeys
    let primary = wantsKeyPins ? settings.publicKeyPins : settings.primaryKeys
    guard let match = keys.first(where: wanted.contains) else { throw pinMismatch(result.chain.map(\.handle)) }
    result.matchedPin = match
    result.matchedBackupPin = !keys.contains(where: primary.contains)
  }

  private func pinMismatch(_ path: [X509Handle]) -> AFSecurityError {
    let chain = path.map(AFCertificate.init(handle:))
    let seen = chain.map(\.publicKeyPin.description).joined(separator: ", ")
    return AFSecurityError(
      .pinMismatch, "no pinned certificate or key is on the server's path; seen: \(seen)", certificate: chain.first,
      chain: chain)
  }

  private var servedChain: [AFCertificate] {
    presented.prefix(Self.maximumPresented).map(AFCertificate.init(handle:))
  }

  private func reportPins(_ result: inout AFTrustEvaluation) {
    let expected = settings.reportOnlyPins
    guard !expected.isEmpty, !result.chain.contains(where: { expected.contains($0.publicKeyPin) }) else { return }
    result.failedReportOnlyPins = true
    report(false, result.chain, expected)?.deliver()
  }

  private func report(
    _ wasRefused: Bool, _ chain: [AFCertificate], _ expected: Set<AFPublicKeyPin>
  ) -> PendingPinReport? {
    guard settings.pinReportHandler != nil || settings.pinReportURL != nil else { return nil }
    let report = AFPinReport(
      wasRefused: wasRefused, host: host, date: Date(), chain: chain, servedChain: servedChain, expectedPins: expected,
      expirationDate: settings.pinExpirationDate)
    return PendingPinReport(report: report, handler: settings.pinReportHandler, url: settings.pinReportURL)
  }
}
