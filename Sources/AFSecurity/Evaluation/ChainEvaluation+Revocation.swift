import Foundation

extension ChainEvaluation {
  /// Hears the stapled response, and decides what silence means.
  func checkRevocation(
    _ path: [X509Handle], _ lists: ListLookup?, _ result: inout AFTrustEvaluation
  ) throws(AFSecurityError) {
    guard let checking = settings.revocation, let leaf = path.first else { return }
    let certificate = AFCertificate(handle: leaf)
    // A leaf that is itself the anchor has nobody above it who could revoke it.
    let issuer = path.count > 1 ? path[1] : nil
    let usesLists =
      !checking.revocationLists.isEmpty
      && !(settings.allowInvalidCertificates && settings.effectiveMode != .certificate)
    var isVouchedFor = usesLists && issuer != nil && lists?.unknown.contains(0) == false
    var why = usesLists ? "no revocation list covers it" : "no revocation list applies"

    if checking.usesStapledResponse {
      switch stapledStatus(leaf, issuer) {
      case .good(let end):
        isVouchedFor = true
        result.ends(at: end)
      case .revoked(let date):
        let since = date.map { " on \($0.shortDay)" } ?? ""
        throw AFSecurityError(
          .revoked, "certificate \(certificate.subject) was revoked\(since)", certificate: certificate,
          chain: result.chain)
      case .unknown(let reason): why += ", and \(reason)"
      }
    }
    result.revocationStatus = isVouchedFor ? .good : .unknown
    let now = date ?? Date()
    for list in checking.revocationLists { result.ends(at: list.nextUpdate.flatMap { $0 > now ? $0 : nil }) }

    let isRequired = checking.requirement == .required || (checking.usesStapledResponse && certificate.demandsStapling)
    guard isRequired else { return }
    // The list about an anchor is its issuer's, who has no say: the anchor is trusted for itself.
    let unknownIssuer =
      checking.checksWholeChain && usesLists ? lists?.unknown.filter { $0 > 0 && $0 < path.count - 1 }.min() : nil
    if let unknownIssuer, path.indices.contains(unknownIssuer) {
      let culprit = AFCertificate(handle: path[unknownIssuer])
      throw AFSecurityError(
        .revocationUnknown, "no revocation list covers \(culprit.subject)", certificate: culprit, chain: result.chain)
    }
    guard isVouchedFor else {
      throw AFSecurityError(
        .revocationUnknown, "nothing says that certificate \(certificate.subject) was not revoked: \(why)",
        certificate: certificate, chain: result.chain)
    }
  }

  private func stapledStatus(_ leaf: X509Handle, _ issuer: X509Handle?) -> StapledResponse.Status {
    guard let stapledResponse else { return .unknown("the server stapled no OCSP response") }
    guard let issuer else { return .unknown("the path has no issuer") }
    return StapledResponse.status(of: leaf, issuer: issuer, in: stapledResponse, at: date ?? Date())
  }
}
