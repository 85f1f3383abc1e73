import AFSupport
public import Foundation

/// Why a server was refused, or why a certificate, pin, key or policy cannot be used.
///
///     AFSecurityError
///     ├─ the server was refused
///     │  ├─ its chain     untrustedChain · expired · notYetValid · weakKey · weakSignature · unsuitableCertificate · chainTooLong
///     │  ├─ its name      hostMismatch
///     │  ├─ its key       pinMismatch
///     │  ├─ revocation    revoked · revocationUnknown
///     │  └─ the policy    noPins · pinRequired · noPolicyForHost · refusedByPolicy
///     ├─ bad input        invalidCertificate · invalidPin · invalidKey · wrongPassphrase · invalidRevocationList
///     │                   invalidCiphers · unreadableFile · invalidPolicyFile
///     └─ no answer        connectionFailed (only where the package itself connects to look at a chain)
public struct AFSecurityError: Error, Sendable {
  /// What went wrong.
  public let code: Code
  /// The particulars, in words. Text from outside is in it as it may be shown: control characters are escaped.
  public let reason: String
  /// The host that was meant, where there was one.
  public internal(set) var host: String?
  /// The certificate at fault, where one can be named.
  public internal(set) var certificate: AFCertificate?
  /// The chain that was judged, leaf first: the validated path where there was one, otherwise what the server sent.
  public internal(set) var chain: [AFCertificate] = []

  /// Who is to hear of a pin that did not match, once the refusal is final.
  var pendingReports: [PendingPinReport] = []

  /// The names and addresses that the server's certificate offers.
  public var offeredNames: [String] { chain.first?.hostNames ?? [] }

  /// The pins of the keys in ``chain``, in its order: what to pin if the server is the right one.
  public var presentedPins: [AFPublicKeyPin] { chain.map(\.publicKeyPin) }

  init(_ code: Code, _ reason: String, certificate: AFCertificate? = nil, chain: [AFCertificate] = []) {
    self.code = code
    self.reason = reason.printable()
    self.certificate = certificate
    self.chain = chain
  }

  /// The same error, its reports delivered.
  func reported() -> AFSecurityError {
    for report in pendingReports { report.deliver() }
    var copy = self
    copy.pendingReports = []
    return copy
  }

  /// The same error with `context` in front of its reason.
  func prefixed(with context: String) -> AFSecurityError {
    var copy = AFSecurityError(code, "\(context): \(reason)", certificate: certificate, chain: chain)
    copy.host = host
    return copy
  }
}

extension AFSecurityError: LocalizedError, CustomNSError, CustomStringConvertible {
  /// `AFSecurityErrorDomain`.
  public static var errorDomain: String { "AFSecurityErrorDomain" }

  /// The raw value of ``code``.
  public var errorCode: Int { code.rawValue }

  /// The description and the failure reason, as `NSError` carries them.
  public var errorUserInfo: [String: Any] {
    [NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason]
  }

  /// One sentence: host and reason.
  public var errorDescription: String? { description }

  /// The particulars.
  public var failureReason: String? { reason }

  /// One sentence: host and reason.
  public var description: String { host.map { "\($0.printable(limit: 300)): \(reason)" } ?? reason }

  /// Several lines for a log: the sentence, then every certificate of the chain with its names, days and pin.
  public var detailedDescription: String {
    let lines = chain.enumerated().map { index, certificate in
      let names =
        certificate.hostNames.isEmpty ? "" : ", names \(certificate.hostNames.joined(separator: " "))".printable()
      return "  \(index): \(certificate)\(names)"
    }
    return ([description] + lines).joined(separator: "\n")
  }
}
