/// The manual page, in roff with the macros of man(7).
package enum ManualPage {
  package static func text(_ table: CommandTable) -> String {
    var lines = [
      ".TH \(table.name.uppercased()) 1 \"\" \"\(table.name) \(escaped(table.version))\" \"User Commands\"",
      ".SH NAME", "\(table.name) \\- \(escaped(table.summary))",
      ".SH SYNOPSIS", ".B \(table.name)", ".I COMMAND", "[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]",
    ]
    if !table.examples.isEmpty { lines += [".SH EXAMPLES"] + examples(table.examples) }
    lines.append(".SH COMMANDS")
    for command in table.commands { lines += section(command, table) }
    lines.append(".SH OPTIONS")
    lines += [".TP", "\\fB\\-h\\fR, \\fB\\-\\-help\\fR", escaped(CommandTable.help.help)]
    for group in sharedGroups(table) {
      let users = table.commands.filter { $0.groups.contains(group) }.map(\.name).joined(separator: ", ")
      lines += [".SS \(escaped(group.title))", "Of: \(escaped(users))."] + options(group)
    }
    lines += [".SH EXIT STATUS"] + pairs(table.exitStatuses.map { ("\($0.code)", $0.meaning) })
    if !table.environment.isEmpty { lines += [".SH ENVIRONMENT"] + pairs(table.environment) }
    if !table.files.isEmpty { lines += [".SH FILES"] + pairs(table.files) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Groups of several commands, which are explained once.
  private static func sharedGroups(_ table: CommandTable) -> [OptionGroup] {
    var seen: [OptionGroup: Int] = [:]
    let all = table.commands.flatMap(\.groups)
    for group in all { seen[group, default: 0] += 1 }
    var shared: [OptionGroup] = []
    for group in all where (seen[group] ?? 0) > 1 && !shared.contains(group) { shared.append(group) }
    return shared
  }

  private static func section(_ command: Command, _ table: CommandTable) -> [String] {
    var lines = [".SS \(table.name) \(escaped(command.usage))", capitalized(escaped(command.summary)) + "."]
    for paragraph in command.details { lines += [".PP", escaped(paragraph)] }
    let shared = sharedGroups(table)
    for group in command.groups where !shared.contains(group) { lines += options(group) }
    let titles = command.groups.filter(shared.contains).map { "\"\($0.title)\"" }
    if !titles.isEmpty {
      lines += [".PP", "Also the options under \(escaped(titles.joined(separator: ", "))) below."]
    }
    if let status = command.exitStatus { lines += [".PP", "Exit status: \(escaped(status))"] }
    if !command.examples.isEmpty { lines += [".PP", "Examples:"] + examples(command.examples) }
    return lines
  }

  private static func examples(_ examples: [Command.Example]) -> [String] {
    examples.flatMap { [".PP", ".EX", escaped($0.line), ".EE", ".RS 4", escaped($0.note), ".RE"] }
  }

  private static func options(_ group: OptionGroup) -> [String] {
    group.options.flatMap { option -> [String] in
      let letter = option.letter.map { "\\fB\\-\($0)\\fR, " } ?? ""
      let value = option.value.map { " \\fI\(escaped($0.placeholder))\\fR" } ?? ""
      return [".TP", "\(letter)\\fB\\-\\-\(escaped(option.name))\\fR\(value)", escaped(option.fullHelp)]
    }
  }

  private static func pairs(_ rows: [(name: String, meaning: String)]) -> [String] {
    rows.flatMap { [".TP", "\\fB\(escaped($0.name))\\fR", escaped($0.meaning)] }
  }

  private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  /// Text that roff prints as it stands: no character of it begins a request or an escape.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "\n": result += " "
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "…": result += "\\&..."
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }
}
