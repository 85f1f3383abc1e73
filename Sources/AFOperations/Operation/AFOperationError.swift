import AFSupport
public import Foundation

/// Why an operation failed that no transfer, serializer or policy is to blame for.
public enum AFOperationError: Error, LocalizedError, CustomNSError, Sendable, Equatable {
  /// The path cannot be resolved against the base URL.
  case invalidPath(String)
  /// An operation that writes to an output stream was paused, and the server now sends something that cannot be joined to what has
  /// been written.
  case cannotContinue
  /// The server answered the resumption with another part than the one that was asked for.
  case wrongPart
  /// The output stream did not take the body, and gave no reason.
  case outputStreamClosed

  /// `AFOperationErrorDomain`.
  public static var errorDomain: String { "com.alamofire.error.operation" }

  /// 1 to 4, in the order of the cases.
  public var errorCode: Int {
    switch self {
    case .invalidPath: 1
    case .cannotContinue: 2
    case .wrongPart: 3
    case .outputStreamClosed: 4
    }
  }

  /// What went wrong.
  public var errorDescription: String? {
    switch self {
    case .invalidPath(let path):
      "\"\(path.redactedURL.printable(limit: 200))\" is not a path that can be resolved against the base URL."
    case .cannotContinue: "What the output stream has got cannot be continued: the server sends something else now."
    case .wrongPart: "The server sent another part than the one that was asked for."
    case .outputStreamClosed: "The output stream takes no more bytes."
    }
  }
}
