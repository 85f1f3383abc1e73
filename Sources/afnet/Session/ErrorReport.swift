import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking

/// An error of the library as the tool tells it: a status, and one line that says what can be done.
enum ErrorReport {
  static func failure(_ error: any Error) -> ToolFailure {
    switch error {
    case let error as ToolFailure: return error
    case let error as AFError: return failure(of: error)
    case let error as URLError: return failure(of: error)
    case let error as AFSecurityError: return failure(of: error)
    case let error as AFInvalidSecurityPolicyError: return ToolFailure(.pin, error.description)
    case let error as AFMultipartError: return ToolFailure(.file, "\(error)")
    case let error as POSIXFailure: return ToolFailure(.file, "\(error)")
    case let error as CocoaError: return ToolFailure(.file, error.localizedDescription)
    default: return ToolFailure(.failure, error.localizedDescription)
    }
  }

  private static func failure(of error: AFError) -> ToolFailure {
    // What the server answered says more than that it was not wanted.
    if error.cause is AFURLResponseSerializationError, let status = error.statusCode, status >= 300 {
      return Self.failure(statusCode: status, error.response, url: error.request?.url)
    }
    return failure(error.cause)
  }

  /// An answer of 4xx or 5xx.
  static func failure(statusCode: Int, _ response: HTTPURLResponse?, url: URL?) -> ToolFailure {
    let reason = HTTPURLResponse.localizedString(forStatusCode: statusCode)
    let shown = url.map { " (\($0.absoluteString.redactedURL.printable(limit: 300)))" } ?? ""
    let status = ExitStatus(statusCode: statusCode)
    var failure = ToolFailure(status == .success ? .badAnswer : status, "\(statusCode) \(reason)\(shown)")
    failure.isTransient = [408, 429, 500, 502, 503, 504].contains(statusCode)
    failure.retryAfter = RetryAfter.seconds(
      response?.value(forHTTPHeaderField: "Retry-After"), date: response?.value(forHTTPHeaderField: "Date"))
    return failure
  }

  private static func failure(of error: AFSecurityError) -> ToolFailure {
    switch error.code {
    case .pinMismatch, .pinRequired, .noPins:
      return ToolFailure(.pin, "\(error); 'afnet pin HOST' shows the keys that a server has")
    case .unreadableFile: return ToolFailure(.file, "\(error)")
    case .untrustedChain: return ToolFailure(.tls, "\(error); --cacert FILE trusts an authority of your own")
    default: return ToolFailure(.tls, "\(error)")
    }
  }

  private static func failure(of error: URLError) -> ToolFailure {
    let cause = error.userInfo[NSUnderlyingErrorKey]
    if let security = cause as? AFSecurityError, security.code != .unreadableFile { return failure(of: security) }
    var failure = ToolFailure(status(of: error.code), error.localizedDescription + hint(error.code))
    failure.isTransient = [.notResolved, .notConnected, .timedOut].contains(failure.status)
    return failure
  }

  static func status(of code: URLError.Code) -> ExitStatus {
    switch code {
    case .cannotFindHost, .dnsLookupFailed: .notResolved
    case .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .userAuthenticationRequired:
      .notConnected
    case .timedOut: .timedOut
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      .tls
    case .appTransportSecurityRequiresSecureConnection: .pin
    case .badURL, .unsupportedURL: .usage
    case .cannotCreateFile, .cannotOpenFile, .cannotCloseFile, .cannotWriteToFile, .cannotRemoveFile, .cannotMoveFile,
      .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .requestBodyStreamExhausted:
      .file
    case .badServerResponse, .cannotParseResponse, .cannotDecodeContentData, .cannotDecodeRawData,
      .httpTooManyRedirects, .redirectToNonExistentLocation, .dataLengthExceedsMaximum, .zeroByteResource:
      .badAnswer
    default: .failure
    }
  }

  private static func hint(_ code: URLError.Code) -> String {
    switch code {
    case .timedOut: "; --timeout SECONDS waits longer, --retry N tries again"
    case .clientCertificateRequired: "; --cert FILE or --p12 FILE names one"
    default: ""
    }
  }
}
