import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension URLError {
  /// An error about `url` whose description is `message` followed by the URL. Foundation prints the user info with the error, so
  /// the URL in it is without what is secret; the task and ``AFError/request`` have it whole.
  static func make(
    _ code: URLError.Code, url: String, _ message: String, underlying: (any Error)? = nil, peer: AFServerTrust? = nil
  ) -> URLError {
    let shown = url.redactedURL
    var info: [String: Any] = [NSLocalizedDescriptionKey: "\(message.printable()) (\(shown.printable()))"]
    info["NSErrorFailingURLStringKey"] = shown
    if let url = URL(string: shown) { info[NSURLErrorFailingURLErrorKey] = url }
    if let underlying { info[NSUnderlyingErrorKey] = underlying }
    if let peer { info[NSURLErrorFailingURLPeerTrustErrorKey] = peer }
    return URLError(code, userInfo: info)
  }

  /// A task's cancellation, as every way of cancelling gives it.
  static func cancelled(url: String, _ message: String = "The task was cancelled") -> URLError {
    make(.cancelled, url: url, message)
  }

  /// The error for a hop that failed.
  static func make(_ failure: TransferFailure, url: String, proxy: ProxyRoute = .direct) -> URLError {
    let cause = AFTransportError(
      curlCode: Int(failure.curlCode), systemErrorCode: Int(failure.kind == .noMemory ? ENOMEM : failure.osError),
      message: failure.message.printable())
    let underlying: any Error = failure.underlying ?? cause
    switch failure.kind {
    case .transport:
      // The scheme was looked at before, so the protocol that libcurl does not support (1) is what the server speaks.
      let code = failure.curlCode == 1 ? .badServerResponse : CurlErrorMapping.urlErrorCode(for: failure.curlCode)
      return make(code, url: url, failure.message, underlying: underlying)
    case .cancelled: return make(.cancelled, url: url, failure.message)
    case .idleTimeout, .totalTimeout: return make(.timedOut, url: url, failure.message, underlying: cause)
    case .body:
      return make(code(forBody: failure.underlying), url: url, failure.message, underlying: underlying)
    case .bodyNotReplayable:
      return make(.requestBodyStreamExhausted, url: url, failure.message, underlying: underlying)
    case .proxyAuthentication:
      let refusal = failure.refusal(by: proxy)
      return make(.userAuthenticationRequired, url: url, refusal.description, underlying: refusal)
    case .proxyRefused:
      let refusal = failure.refusal(by: proxy)
      return make(.cannotConnectToHost, url: url, refusal.description, underlying: refusal)
    case .trustRefused, .trustUndecided: return untrusted(failure, url: url)
    case .tlsAlert:
      let code: URLError.Code =
        switch failure.alert?.meaning {
        case .certificateRequired: .clientCertificateRequired
        case .certificateRejected: .clientCertificateRejected
        case .noAgreement, nil: .secureConnectionFailed
        }
      return make(code, url: url, failure.message, underlying: cause)
    case .identityUndecided: return make(.clientCertificateRequired, url: url, failure.message, underlying: underlying)
    case .identityRefused: return make(.clientCertificateRejected, url: url, failure.message, underlying: underlying)
    case .connectionLost: return make(.networkConnectionLost, url: url, failure.message, underlying: underlying)
    case .noThread: return make(.resourceUnavailable, url: url, failure.message, underlying: underlying)
    case .badFraming: return make(.badServerResponse, url: url, failure.message, underlying: underlying)
    case .badRequest: return make(.badURL, url: url, failure.message, underlying: underlying)
    case .oversizedHead: return make(.dataLengthExceedsMaximum, url: url, failure.message, underlying: underlying)
    case .oversizedBody, .noMemory: return make(.dataLengthExceedsMaximum, url: url, failure.message, underlying: cause)
    case .badContent: return make(.cannotDecodeContentData, url: url, failure.message, underlying: cause)
    case .abandoned: return make(.networkConnectionLost, url: url, failure.message, underlying: cause)
    case .unsuitableLibrary: return make(.cannotLoadFromNetwork, url: url, failure.message, underlying: cause)
    case .refusedByHandler:
      if let error = failure.underlying as? URLError { return error }
      return make(.cannotWriteToFile, url: url, failure.message, underlying: underlying)
    }
  }

  /// The code for a body that could not be had.
  static func code(forBody error: (any Error)?) -> URLError.Code {
    guard let failure = error as? POSIXFailure else { return .requestBodyStreamExhausted }
    return switch failure.code {
    case ENOENT, ENOTDIR: .fileDoesNotExist
    case EACCES, EPERM: .noPermissionsToReadFile
    case EISDIR: .fileIsDirectory
    default: .cannotOpenFile
    }
  }

  private static func untrusted(_ failure: TransferFailure, url: String) -> URLError {
    let peer = failure.peer
    let host = peer?.host ?? URL(string: url)?.host ?? ""
    return serverUntrusted(
      host: host, url: url, trust: peer.flatMap { try? AFServerTrust(derRepresentations: $0.chain) },
      reason: failure.underlying)
  }

  /// The error for a server that the security policy, or whoever was asked, refused.
  static func serverUntrusted(host: String, url: String?, trust: AFServerTrust?, reason: (any Error)?) -> URLError {
    let because = reason.map { ": \(String(describing: $0))" } ?? ""
    let text =
      "The certificate for this server is invalid. You might be connecting to a server that is pretending to be “\(host)” "
      + "which could put your confidential information at risk\(because)"
    guard let url else {
      var info: [String: Any] = [NSLocalizedDescriptionKey: text]
      info[NSURLErrorFailingURLPeerTrustErrorKey] = trust
      return URLError(.serverCertificateUntrusted, userInfo: info)
    }
    return make(.serverCertificateUntrusted, url: url, text, underlying: reason, peer: trust)
  }
}
