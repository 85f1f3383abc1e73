// The command line tool: one executable, one word per task.
import AFArguments
import AFSupport
import Foundation

/// As wide as the terminal, within what can be read.
private func helpWidth() -> Int { min(max(TerminalSize.columns(of: STDOUT_FILENO) ?? 80, 40), 100) }

/// Finds the subcommand and runs it.
private func dispatch(_ words: [String]) async throws(ToolFailure) -> ExitStatus {
  let table = Subcommand.table
  guard let name = words.first else {
    Console.note(HelpText.overview(table, width: helpWidth()))
    return .usage
  }
  if ["--help", "-h", "help"].contains(name) {
    if name == "help", words.count == 2, let command = table.command(words[1]) {
      try Console.print(HelpText.command(command, of: table, width: helpWidth()))
    } else {
      try Console.print(HelpText.overview(table, width: helpWidth()))
    }
    return .success
  }
  if ["--version", "-V"].contains(name) {
    try Console.print("afnet \(packageVersion)")
    return .success
  }
  guard let subcommand = Subcommand.all.first(where: { $0.command.name == name }) else {
    let error = ArgumentError.noCommand(name, among: table.commands.map(\.name))
    Console.note("afnet: \("\(error)".printable(limit: 300)) ('afnet --help' lists them)")
    return .usage
  }
  return try await run(subcommand, Array(words.dropFirst()))
}

private func run(_ subcommand: Subcommand, _ words: [String]) async throws(ToolFailure) -> ExitStatus {
  let command = subcommand.command
  do {
    guard var arguments = try command.parse(words) else {
      try Console.print(HelpText.command(command, of: Subcommand.table, width: helpWidth()))
      return .success
    }
    if let defaults = try Configuration.defaults(for: command, arguments) {
      arguments = try command.parse(words, defaults: defaults) ?? arguments
    }
    return try await subcommand.run(arguments)
  } catch let error as ArgumentError {
    Console.note(
      "afnet \(command.name): \("\(error)".printable(limit: 500)) ('afnet \(command.name) --help' explains it)")
    return .usage
  } catch let error as ToolFailure {
    throw error
  } catch {
    throw ErrorReport.failure(error)
  }
}

Console.occupyClosedDescriptors()
_ = FileMask.value
Interruption.watch()
private let words = Array(CommandLine.arguments.dropFirst())
do {
  exit(try await dispatch(words).rawValue)
} catch {
  let name = words.first.map { "afnet \($0.printable(limit: 20))" } ?? "afnet"
  Console.note("\(name): \(error.message.printable())")
  exit(error.status.rawValue)
}
