/// What the process says when it ends. Scripts rely on it: numbers are never given another meaning.
enum ExitStatus: Int32, CaseIterable, Sendable {
  case success = 0
  case failure = 1
  case usage = 2
  case notResolved = 3
  case notConnected = 4
  case timedOut = 5
  case tls = 6
  case pin = 7
  case clientError = 8
  case serverError = 9
  case checksum = 10
  case file = 11
  case badAnswer = 12

  var meaning: String {
    switch self {
    case .success: "Done, or the answer is yes."
    case .failure: "Failed for a reason that is none of the others, or the answer is no."
    case .usage: "The command line or a configuration file is wrong."
    case .notResolved: "The host's name was not resolved."
    case .notConnected: "The server refused the connection, cannot be reached, or broke off."
    case .timedOut: "Time ran out."
    case .tls: "The TLS handshake failed, or the server's certificate is not trusted."
    case .pin: "The server has none of the pinned keys or certificates."
    case .clientError: "The server answered 4xx."
    case .serverError: "The server answered 5xx."
    case .checksum: "The file is not the one that the checksum names."
    case .file: "A file, or standard output, cannot be read or written; the disk is full, perhaps."
    case .badAnswer: "The server's answer cannot be understood, or leads in circles."
    }
  }

  /// The status for a response.
  init(statusCode: Int) {
    self =
      switch statusCode {
      case 400..<500: .clientError
      case 500...: .serverError
      default: .success
      }
  }
}

/// Why a command failed: the status, and one line that says what went wrong and what can be done.
struct ToolFailure: Error, Sendable {
  let status: ExitStatus
  let message: String
  /// Whether another attempt may succeed.
  var isTransient = false
  /// The seconds that the server asks to wait before another attempt.
  var retryAfter: Double?

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  static func usage(_ message: String) -> ToolFailure { ToolFailure(.usage, message) }
}
