/// A word after the tool's name, with all that can follow it.
package struct Command: Sendable {
  /// A command line and what it does.
  package struct Example: Sendable {
    let line: String
    let note: String

    package init(_ line: String, _ note: String) {
      self.line = line
      self.note = note
    }
  }

  package let name: String
  /// One line for the overview, without a full stop.
  package let summary: String
  package let operands: [Operand]
  package let groups: [OptionGroup]
  package let examples: [Example]
  /// Paragraphs about it, for its help and the manual.
  package let details: [String]
  /// What its exit status means where that differs from the tool's.
  package let exitStatus: String?

  package init(
    _ name: String, _ summary: String, operands: [Operand] = [], groups: [OptionGroup] = [], examples: [Example] = [],
    details: [String] = [], exitStatus: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.groups = groups
    self.examples = examples
    self.details = details
    self.exitStatus = exitStatus
  }

  package var options: [CommandOption] { groups.flatMap(\.options) }

  /// "get [OPTIONS] URL".
  var usage: String {
    ([name] + (options.isEmpty ? [] : ["[OPTIONS]"]) + operands.map(\.label)).joined(separator: " ")
  }
}

/// The tool: its commands, and what holds for all of them.
package struct CommandTable: Sendable {
  package let name: String
  package let version: String
  package let summary: String
  package let commands: [Command]
  /// What the tool's exit status means, by number.
  package let exitStatuses: [(code: Int, meaning: String)]
  /// The variables of the environment that count.
  package let environment: [(name: String, meaning: String)]
  /// The files that count.
  package let files: [(name: String, meaning: String)]
  package let examples: [Command.Example]

  package init(
    name: String, version: String, summary: String, commands: [Command], exitStatuses: [(code: Int, meaning: String)],
    environment: [(name: String, meaning: String)] = [], files: [(name: String, meaning: String)] = [],
    examples: [Command.Example] = []
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.commands = commands
    self.exitStatuses = exitStatuses
    self.environment = environment
    self.files = files
    self.examples = examples
  }

  package func command(_ name: String) -> Command? { commands.first { $0.name == name } }

  /// `--help`, which every command has.
  static let help = CommandOption("help", "h", help: "Explain the command.")
}
