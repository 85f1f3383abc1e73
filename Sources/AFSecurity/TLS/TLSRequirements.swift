import COpenSSL

/// What a policy wants from a handshake, beside the verdict over its result.
package struct TLSRequirements: Sendable {
  package var minimumVersion = AFTLSVersion.tls12
  package var ciphers: AFTLSCiphers?
  package var clientIdentity: AFClientIdentity?
  /// Whether the server should be asked to staple an OCSP response.
  package var wantsStapledResponse = false

  /// Sets everything on the `SSL_CTX` of a connection that is about to be made.
  ///
  /// - Throws: `AFSecurityError` when OpenSSL does not take it; the connection must not be made then.
  package func apply(to context: OpaquePointer) throws(AFSecurityError) {
    guard af_SSL_CTX_set_min_version(context, Int32(minimumVersion.rawValue)) == 1 else {
      throw AFSecurityError(.connectionFailed, "this OpenSSL does not speak \(minimumVersion)")
    }
    try ciphers?.apply(to: context)
    try clientIdentity?.apply(to: context)
    guard wantsStapledResponse else { return }
    _ = af_SSL_CTX_request_ocsp(context)
    // A resumed handshake carries no response, and an old one would be as good as none.
    _ = af_SSL_CTX_keep_no_sessions(context)
  }

  /// What satisfies both; where both want to choose, `self` does.
  func combined(with other: TLSRequirements) -> TLSRequirements {
    TLSRequirements(
      minimumVersion: max(minimumVersion, other.minimumVersion), ciphers: ciphers ?? other.ciphers,
      clientIdentity: clientIdentity ?? other.clientIdentity,
      wantsStapledResponse: wantsStapledResponse || other.wantsStapledResponse)
  }
}

extension SecurityPolicySnapshot {
  /// What the policy wants from a handshake with `host`.
  package func requirements(forHost host: String?) -> TLSRequirements {
    switch rule {
    case .settings(let settings): settings.requirements
    case .subclass(let policy): policy.plainSnapshot().requirements(forHost: host)
    case .hosts(let rules, let otherwise):
      Self.choose(from: rules, otherwise: otherwise, host: host)?.requirements(forHost: host) ?? TLSRequirements()
    case .all(let policies):
      policies.map { $0.requirements(forHost: host) }.reduce(TLSRequirements()) { $0.combined(with: $1) }
    case .any(let policies): Self.loosest(policies.map { $0.requirements(forHost: host) })
    }
  }

  /// What the policy wants from a handshake with any host that it has no other wish for.
  package var minimumTLSVersion: AFTLSVersion { requirements(forHost: nil).minimumVersion }
  package var cipherList: String? { requirements(forHost: nil).ciphers?.tls12 }
  package var clientIdentity: AFClientIdentity? { requirements(forHost: nil).clientIdentity }

  /// For alternatives: the handshake comes before the verdict, so it must not shut out the one that will say yes.
  private static func loosest(_ all: [TLSRequirements]) -> TLSRequirements {
    var result = all.reduce(TLSRequirements()) { $0.combined(with: $1) }
    result.minimumVersion = all.map(\.minimumVersion).min() ?? .tls12
    if all.contains(where: { $0.ciphers == nil }) { result.ciphers = nil }
    return result
  }
}

extension PolicySettings {
  var requirements: TLSRequirements {
    TLSRequirements(
      minimumVersion: minimumTLSVersion, ciphers: ciphers, clientIdentity: clientIdentity,
      wantsStapledResponse: revocation?.usesStapledResponse == true)
  }
}
