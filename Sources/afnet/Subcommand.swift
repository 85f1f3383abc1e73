/// One word after `afnet`: what it is called, what it is for, and what it does.
///
/// A new subcommand is a file with a `static let` in an extension of this type, and one entry in `Subcommand.all`.
struct Subcommand: Sendable {
  let name: String
  /// One line for the overview that `afnet --help` prints.
  let summary: String
  /// The whole text of `afnet NAME --help`, usage line first.
  let help: String
  /// Runs with the words after the name. `--help` never gets here.
  let run: @Sendable ([String]) async throws -> ExitStatus
}

/// What the process says when it ends. Scripts can rely on it.
enum ExitStatus: Int32 {
  /// Done, or the answer is yes.
  case success = 0
  /// It failed, or the answer is no.
  case failure = 1
  /// The command line was wrong.
  case usage = 2
}

/// The command line was wrong; the description says how.
struct UsageError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
