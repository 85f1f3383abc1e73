import AFCore
import AFSupport
import Foundation
import FoundationNetworking

/// How far an attempt is, told by it and looked at by the queue.
final class AttemptProgress: Sendable {
  struct Values: Hashable, Sendable {
    var completed: Int64 = 0
    var sent: Int64 = 0
    var total: Int64?
    /// All bytes are there, and the last answer is waited for.
    var isFinishing = false
  }

  private let state: Locked<(values: Values, moved: MonotonicTime)>

  init(_ values: Values) {
    state = Locked((values, .now))
  }

  var values: Values { state.withLock { $0.values } }

  /// Seconds since it got on.
  var idle: TimeInterval { state.withLock { MonotonicTime.now - $0.moved } }

  func update(_ change: (inout Values) -> Void) {
    state.withLock { state in
      let before = state.values
      change(&state.values)
      if state.values != before { state.moved = .now }
    }
  }
}

/// What an attempt has of the queue.
struct AttemptContext: Sendable {
  var record: TransferRecord
  var manager: AFURLSessionManager
  /// The value of `Authorization`, resolved for this attempt.
  var authorization: String?
  var spool: Spool
  var progress: AttemptProgress
  /// Makes a change of the record durable before it returns.
  var learn: @Sendable (@escaping @Sendable (inout TransferRecord) -> Void) async throws -> Void
  /// The server has acknowledged something: its origin lives.
  var acknowledged: @Sendable () async -> Void

  /// The transfer's request, with what is resolved at each attempt.
  func request(_ url: URL, method: String) -> URLRequest {
    var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
    request.httpMethod = method
    for (name, value) in record.request.headers { request.setValue(value, forHTTPHeaderField: name) }
    if record.request.usesIdempotencyKey {
      request.setValue(record.id.uuidString, forHTTPHeaderField: "Idempotency-Key")
    }
    // Credentials go to the origin that they are for.
    if let authorization, Origin.areSame(url.absoluteString, record.request.url.absoluteString) {
      request.setValue(authorization, forHTTPHeaderField: "Authorization")
    }
    return request
  }
}

extension AttemptFailure {
  /// Codes of failures that come before the first byte of a request.
  private static let early: Set<URLError.Code> = [
    .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .notConnectedToInternet, .serverCertificateUntrusted,
    .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
    .serverCertificateNotYetValid, .clientCertificateRequired, .clientCertificateRejected, .badURL, .unsupportedURL,
    .fileDoesNotExist, .noPermissionsToReadFile, .resourceUnavailable, .userAuthenticationRequired,
  ]

  /// Whether a failure came before the first byte of a request. TLS may fail in a handshake, and by an alert after the request; libcurl's
  /// code tells which.
  static func isEarly(_ code: URLError.Code, curlCode: Int?) -> Bool {
    let handshakeFailed = 35
    return early.contains(code) || code == .secureConnectionFailed && curlCode == handshakeFailed
  }

  /// An error of a task. `hasSent` says whether a byte of the body may have left, or the request has none.
  init(_ error: AFError, hasSent: Bool, isInterrupted: Bool) {
    let code = error.urlError?.code ?? .unknown
    let cause: Cause =
      switch code {
      case .cancelled: isInterrupted ? .interrupted : .network
      case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
        .serverCertificateNotYetValid:
        .trust
      case .clientCertificateRequired, .clientCertificateRejected, .userAuthenticationRequired: .credentials
      case .fileDoesNotExist, .noPermissionsToReadFile, .fileIsDirectory: .sourceMissing
      default: .network
      }
    let message = (error.urlError?.localizedDescription ?? error.description).printable(limit: 500)
    let transport = error.urlError?.userInfo[NSUnderlyingErrorKey] as? AFTransportError
    self.init(
      cause, message, mayHaveBeenProcessed: hasSent && !Self.isEarly(code, curlCode: transport?.curlCode),
      urlErrorCode: code.rawValue)
  }

  /// An answer that says no.
  init(_ response: AFDataResponse, isProcessed: Bool = true) {
    let retryAfter = RetryAfter.seconds(
      response.value(forHTTPHeaderField: "Retry-After"), date: response.value(forHTTPHeaderField: "Date"))
    self.init(
      .status(response.statusCode), "the server answered with \(response.statusCode)",
      mayHaveBeenProcessed: isProcessed, retryAfter: retryAfter, body: Data(response.data.prefix(64 << 10)))
  }
}

extension AFTransferResult {
  init(_ response: AFDataResponse) {
    statusCode = response.statusCode
    for (name, value) in response.response?.allHeaderFields ?? [:] {
      guard let name = name as? String, let value = value as? String, !Secrets.isSecretField(name) else { continue }
      headers[name] = value
    }
    body = Data(response.data.prefix(64 << 10))
  }
}
