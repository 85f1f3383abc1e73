import Foundation

/// How an attempt ended.
enum AttemptEnd: Sendable {
  case completed(AFTransferResult)
  case failed(AttemptFailure)
}

/// An attempt that did not complete: what stood in the way, and what is known of the request.
struct AttemptFailure: Error, Sendable {
  enum Cause: Hashable, Sendable {
    /// No way, no name, refused, timed out, reset, or an answer that is not the server's.
    case network
    /// The server answered with a status.
    case status(Int)
    case trust
    case credentials, policy
    case diskSpace
    /// Another request holds the upload.
    case locked
    case sourceMissing, sourceChanged
    case cannotWrite
    case mismatch
    case notSupported
    /// All bytes were sent, and the upload is gone.
    case vanished
    /// By the queue itself: suspended, paused, another's turn, a forbidden way.
    case interrupted
    case interface
  }

  var cause: Cause
  var message: String
  /// Whether the server may have processed the request.
  var mayHaveBeenProcessed = false
  /// What the server asked for by `Retry-After`, in seconds.
  var retryAfter: TimeInterval?
  var body: Data?
  var urlErrorCode: Int?

  init(
    _ cause: Cause, _ message: String, mayHaveBeenProcessed: Bool = false, retryAfter: TimeInterval? = nil,
    body: Data? = nil, urlErrorCode: Int? = nil
  ) {
    self.cause = cause
    self.message = message
    self.mayHaveBeenProcessed = mayHaveBeenProcessed
    self.retryAfter = retryAfter
    self.body = body
    self.urlErrorCode = urlErrorCode
  }

  func error(_ code: AFTransferError.Code) -> AFTransferError {
    var status: Int?
    if case .status(let number) = cause { status = number }
    return AFTransferError(code, message, statusCode: status, body: body, urlErrorCode: urlErrorCode)
  }
}
