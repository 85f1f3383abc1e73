import AFSupport
public import Foundation

/// What a TLS server presented: its certificates and, if it stapled one, an OCSP response.
///
/// It takes the place of `SecTrust`. A manager makes one for every challenge; it can be made from files as well, so that a policy
/// can be tried without a network.
public final class AFServerTrust: NSObject, @unchecked Sendable {
  // Unchecked because NSObject is not Sendable; the only property is a `let` of a checked class.
  let core: Core

  final class Core: Sendable {
    let presented: [X509Handle]
    let stapledOCSPResponse: Data?
    private let outcome = Locked<Result<AFTrustEvaluation, AFSecurityError>?>(nil)

    init(presented: [X509Handle], stapledOCSPResponse: Data?) {
      self.presented = presented
      self.stapledOCSPResponse = stapledOCSPResponse
    }

    var lastError: AFSecurityError? {
      if case .failure(let error) = outcome.withLock({ $0 }) { error } else { nil }
    }

    var lastEvaluation: AFTrustEvaluation? {
      if case .success(let evaluation) = outcome.withLock({ $0 }) { evaluation } else { nil }
    }

    func forget() { outcome.change { $0 = nil } }

    func set(_ result: Result<AFTrustEvaluation, AFSecurityError>) { outcome.change { $0 = result } }
  }

  /// A server with these certificates, its own first.
  public init(certificates: [AFCertificate], stapledOCSPResponse: Data? = nil) {
    core = Core(presented: certificates.map(\.handle), stapledOCSPResponse: stapledOCSPResponse)
    super.init()
  }

  /// A server with these certificates in DER form, its own first.
  ///
  /// - Throws: `AFSecurityError` with code `invalidCertificate` when one cannot be decoded, or `chainTooLong` for more than 100.
  public convenience init(derRepresentations: [Data], stapledOCSPResponse: Data? = nil) throws(AFSecurityError) {
    guard derRepresentations.count <= ChainEvaluation.maximumPresented else {
      throw AFSecurityError(.chainTooLong, "the server sent \(derRepresentations.count) certificates")
    }
    var certificates: [AFCertificate] = []
    for (index, data) in derRepresentations.enumerated() {
      guard let handle = DecodedCertificates.handle(data) else {
        throw AFSecurityError(
          .invalidCertificate, "certificate \(index) of the server cannot be decoded", chain: certificates)
      }
      certificates.append(AFCertificate(handle: handle))
    }
    self.init(certificates: certificates, stapledOCSPResponse: stapledOCSPResponse)
  }

  /// A server with the certificates of a PEM text, its own first.
  ///
  /// - Throws: `AFSecurityError` with code `invalidCertificate`.
  public convenience init(pemRepresentation: String) throws(AFSecurityError) {
    self.init(certificates: try AFCertificate.certificates(in: Data(pemRepresentation.utf8)))
  }

  /// The certificates as the server sent them, its own first.
  public var certificates: [AFCertificate] { core.presented.map(AFCertificate.init(handle:)) }

  /// The OCSP response that the server stapled to the handshake, DER.
  public var stapledOCSPResponse: Data? { core.stapledOCSPResponse }

  /// Why the last policy that judged this server refused it; nil when it was accepted or not judged yet.
  public var evaluationError: AFSecurityError? { core.lastError }

  /// What the last policy that judged this server found, if it accepted.
  package var evaluation: AFTrustEvaluation? { core.lastEvaluation }

  /// Has a policy judge the server, and keeps the outcome.
  func judged(
    by snapshot: SecurityPolicySnapshot, host: String?, at date: Date?
  ) throws(AFSecurityError) -> AFTrustEvaluation {
    let result = Result { () throws(AFSecurityError) in
      try snapshot.evaluate(self, host: host, at: date)
    }.mapError { $0.reported() }
    core.set(result)
    return try result.get()
  }

  /// The server's certificates, one per line.
  public override var description: String {
    certificates.enumerated().map { "\($0): \($1)" }.joined(separator: "\n")
  }
}
