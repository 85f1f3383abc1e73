// The command line tool: one executable, one word per task.
import AFSupport
import Foundation

extension Subcommand {
  /// Every subcommand, in the order of the overview.
  static let all: [Subcommand] = [.pin, .reach]
}

/// What `afnet --help` prints.
func overview() -> String {
  let width = Subcommand.all.map(\.name.count).max() ?? 0
  let lines = Subcommand.all.map { command in
    "  " + command.name.padding(toLength: width + 2, withPad: " ", startingAt: 0) + command.summary
  }
  return """
    Usage: afnet COMMAND [ARGUMENTS]

    \(lines.joined(separator: "\n"))

    'afnet COMMAND --help' explains one, 'afnet --version' names this one. Exit status: 0 done or yes, 1 failed or no, 2 wrong command line.
    """
}

/// Finds the subcommand and runs it.
func dispatch(_ words: [String]) async -> ExitStatus {
  guard let name = words.first else {
    printError(overview())
    return .usage
  }
  if ["--help", "-h", "help"].contains(name) {
    print(overview())
    return .success
  }
  if ["--version", "-V"].contains(name) {
    print("afnet \(packageVersion)")
    return .success
  }
  guard let command = Subcommand.all.first(where: { $0.name == name }) else {
    printError("afnet: no command '\(name.printable(limit: 100))'\n\n" + overview())
    return .usage
  }
  let arguments = Array(words.dropFirst())
  if arguments.contains("--help") || arguments.contains("-h") {
    print(command.help)
    return .success
  }
  do {
    return try await command.run(arguments)
  } catch let error as UsageError {
    printError("afnet \(name): \("\(error)".printable())\n'afnet \(name) --help' explains it.")
    return .usage
  } catch {
    printError("afnet \(name): \(error)")
    return .failure
  }
}

exit(await dispatch(Array(CommandLine.arguments.dropFirst())).rawValue)
