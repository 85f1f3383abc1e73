internal import AFSupport
public import Foundation

/// Why a transfer failed, or why a request cannot be added.
public struct AFTransferError: Error, Sendable, Hashable, Codable {
  /// What kind of failure.
  public enum Code: String, Sendable, Hashable, Codable {
    /// The server may have processed the request, no answer came, and sending it again might do the thing twice.
    case outcomeUnknown
    /// The file to send is not there, or cannot be read.
    case sourceMissing
    /// The file to send is not what it was when the transfer was added.
    case sourceChanged
    /// The server refused: see ``AFTransferError/statusCode`` and ``AFTransferError/body``.
    case rejected
    /// The server fails this transfer again and again, while others succeed.
    case gaveUp
    /// The request's lifetime is over.
    case expired
    /// What came is not what was announced or expected.
    case digestMismatch
    /// The server does not speak the protocol.
    case notSupported
    /// The place for the file cannot be written to.
    case cannotWrite
    /// The request cannot be made durable as it is: a secret in it, no http URL, no file.
    case invalidRequest
  }

  /// What kind of failure.
  public var code: Code
  /// What happened, without secrets.
  public var message: String
  /// The status code of the server's answer, if there was one.
  public var statusCode: Int?
  /// The first 64 KiB of the answer's body.
  public var body: Data?
  /// The `URLError.Code` beneath, if there is one.
  public var urlErrorCode: Int?

  init(_ code: Code, _ message: String, statusCode: Int? = nil, body: Data? = nil, urlErrorCode: Int? = nil) {
    self.code = code
    self.message = message
    self.statusCode = statusCode
    self.body = body
    self.urlErrorCode = urlErrorCode
  }
}

extension AFTransferError: CustomNSError, LocalizedError, CustomStringConvertible {
  /// "AFTransferErrorDomain".
  public static var errorDomain: String { "AFTransferErrorDomain" }
  /// ``message`` as it may be shown: control characters are escaped.
  public var errorDescription: String? { message.printable() }
  /// The code, and the message as it may be shown.
  public var description: String { "\(code.rawValue): \(message.printable())" }
  /// ``errorDescription`` under `NSLocalizedDescriptionKey`, and the `URLError` beneath under `NSUnderlyingErrorKey`.
  public var errorUserInfo: [String: Any] {
    var info: [String: Any] = [NSLocalizedDescriptionKey: message.printable()]
    if let code = urlErrorCode.flatMap(URLError.Code.init(rawValue:)) { info[NSUnderlyingErrorKey] = URLError(code) }
    return info
  }
}

/// What a transfer that completed has.
public struct AFTransferResult: Sendable, Hashable, Codable {
  /// The status code of the last answer; nil if that was lost, and the outcome is known otherwise.
  public var statusCode: Int?
  /// The header fields of the last answer, without those that hold secrets.
  public var headers: [String: String] = [:]
  /// The first 64 KiB of an upload's answer.
  public var body = Data()
  /// Where a download is.
  public var file: URL?

  /// A field of ``headers``, by any letter case of its name.
  public func value(forHTTPHeaderField field: String) -> String? {
    headers[field] ?? headers.first { $0.key.lowercased() == field.lowercased() }?.value
  }
}

/// How a transfer ended.
public enum AFTransferOutcome: Sendable, Hashable {
  /// Whole.
  case completed(AFTransferResult)
  /// Failed.
  case failed(AFTransferError)
  /// Cancelled by the caller.
  case cancelled
}
