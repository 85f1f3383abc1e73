import AFArguments

/// A small tool with an option of each kind.
enum Sample {
  static let name = CommandOption("name", "n", .text("NAME"), help: "A 'name' with a \\ and [brackets]: odd.")
  static let field = CommandOption("field", "H", .text("K:V"), isRepeatable: true, help: "Field.")
  static let count = CommandOption("count", nil, .integer("N", 0...10), help: "How many.")
  static let wait = CommandOption("wait", nil, .seconds(upTo: 60), help: "How long.")
  static let rate = CommandOption("rate", nil, .size("RATE"), help: "How fast.")
  static let mode = CommandOption("mode", nil, .choice("fast", "slow"), excludes: ["force"], help: "How.")
  static let force = CommandOption("force", "f", help: "Do it.")
  static let verbose = CommandOption("verbose", "v", help: "Say it.")
  static let file = CommandOption("file", nil, .file, help: "Where.")
  static let shared = OptionGroup("Shared", [name, field, count])
  static let command = Command(
    "copy", "copies things", operands: [Operand("FROM"), Operand("TO", .optional, completion: .files)],
    groups: [shared, OptionGroup("Own", [wait, rate, mode, force, verbose, file])],
    examples: [Command.Example("tool copy a b", "Copies a to b.")], details: ["-.'It copies`."])
  static let other = Command(
    "list", "lists things", operands: [Operand("ITEM", .any)], groups: [shared], exitStatus: "0 or 1.")
  static let table = CommandTable(
    name: "tool", version: "1.2-3", summary: "does things", commands: [command, other],
    exitStatuses: [(0, "Done."), (1, "Not done.")], environment: [("TOOL_HOME", "Where it lives.")],
    files: [("~/.tool", "What it remembers.")], examples: [Command.Example("tool list", "Lists.")])
}
