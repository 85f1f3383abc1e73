import COpenSSL
import Foundation

/// What OpenSSL's path validation found wrong, before it becomes an `AFSecurityError`.
struct VerifyFailure: Error {
  /// An `X509_V_ERR_…` number.
  var error: Int32
  /// Position in `path`, leaf = 0.
  var depth: Int
  /// The certificates that path building had put together, leaf first.
  var path: [X509Handle]

  /// Whether no path to an anchor was found, as opposed to a path with a fault.
  var isUntrusted: Bool {
    switch error {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
      true
    default: false
    }
  }

  var code: AFSecurityError.Code {
    if isUntrusted { return .untrustedChain }
    switch error {
    case X509_V_ERR_CERT_HAS_EXPIRED: return .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: return .notYetValid
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: return .hostMismatch
    case X509_V_ERR_CERT_REVOKED: return .revoked
    case X509_V_ERR_UNABLE_TO_GET_CRL, X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID,
      X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER, X509_V_ERR_CRL_SIGNATURE_FAILURE, X509_V_ERR_DIFFERENT_CRL_SCOPE,
      X509_V_ERR_KEYUSAGE_NO_CRL_SIGN, X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION,
      X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
      return .revocationUnknown
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL: return .weakKey
    case X509_V_ERR_CA_MD_TOO_WEAK: return .weakSignature
    case X509_V_ERR_CERT_CHAIN_TOO_LONG: return .chainTooLong
    case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE,
      X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY, X509_V_ERR_CERT_REJECTED:
      return .untrustedChain
    default: return .unsuitableCertificate
    }
  }

  /// The failure in the words of the package, with the certificate at fault.
  func securityError() -> AFSecurityError {
    let chain = path.map(AFCertificate.init(handle:))
    let culprit = chain.indices.contains(depth) ? chain[depth] : chain.last
    return AFSecurityError(code, reason(culprit, leaf: chain.first), certificate: culprit, chain: chain)
  }

  private func reason(_ culprit: AFCertificate?, leaf: AFCertificate?) -> String {
    let subject =
      culprit.map { $0.subject.isEmpty ? "the certificate" : "certificate \($0.subject)" } ?? "the certificate"
    let detail = String(cString: X509_verify_cert_error_string(Int(error)))
    switch code {
    case .expired: return "\(subject) expired on \(culprit?.notValidAfter.shortDay ?? "?")"
    case .notYetValid: return "\(subject) is not valid before \(culprit?.notValidBefore.shortDay ?? "?")"
    case .hostMismatch: return HostMismatch.reason(leaf)
    case .revoked: return "\(subject) was revoked"
    case .weakKey: return "\(subject) has a key that is too small (\(culprit?.publicKeyDescription ?? "?"))"
    case .weakSignature: return "\(subject) has a weak signature (\(culprit?.signatureAlgorithm ?? "?"))"
    case .untrustedChain where error == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "\(subject) is self-signed and not trusted"
    case .untrustedChain where error == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      return "the chain ends in \(subject), which is not trusted"
    case .untrustedChain where isUntrusted:
      return "the issuer of \(subject), \(culprit?.issuer ?? "?"), is neither sent by the server nor trusted"
    default: return "\(subject): \(detail)"
    }
  }
}

/// The words for a certificate of somebody else.
enum HostMismatch {
  static func reason(_ leaf: AFCertificate?) -> String {
    guard let leaf, !leaf.hostNames.isEmpty else { return "the certificate names no host" }
    return "the certificate is for \(leaf.hostNames.joined(separator: ", ")), not for this host"
  }
}
