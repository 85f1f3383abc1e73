/// Help for people: examples first, then what there is.
package enum HelpText {
  /// What `afnet --help` prints.
  package static func overview(_ table: CommandTable, width: Int = 80) -> String {
    var parts = ["\(table.name): \(table.summary)"]
    if !table.examples.isEmpty { parts.append(section("Examples", examples(table.examples, width))) }
    parts.append("Usage: \(table.name) COMMAND [OPTIONS] [ARGUMENTS]")
    parts.append(section("Commands", rows(table.commands.map { ($0.name, $0.summary) }, width)))
    parts.append(
      "'\(table.name) COMMAND --help' explains one, '\(table.name) --version' names this one.")
    parts.append(section("Exit status", statuses(table, width)))
    return parts.joined(separator: "\n\n")
  }

  /// What `afnet COMMAND --help` prints.
  package static func command(_ command: Command, of table: CommandTable, width: Int = 80) -> String {
    var parts = ["\(table.name) \(command.name): \(command.summary)"]
    if !command.examples.isEmpty { parts.append(section("Examples", examples(command.examples, width))) }
    parts.append("Usage: \(table.name) \(command.usage)")
    parts += command.details.map { TextWrapping.wrap($0, width: width).joined(separator: "\n") }
    for group in command.groups {
      parts.append(section(group.title, rows(group.options.map { ($0.label, $0.fullHelp) }, width)))
    }
    if let status = command.exitStatus {
      parts.append(TextWrapping.wrap("Exit status: \(status)", width: width).joined(separator: "\n"))
    } else {
      parts.append(section("Exit status", statuses(table, width)))
    }
    return parts.joined(separator: "\n\n")
  }

  private static func section(_ title: String, _ lines: [String]) -> String {
    (["\(title):"] + lines).joined(separator: "\n")
  }

  private static func examples(_ examples: [Command.Example], _ width: Int) -> [String] {
    examples.flatMap { example in
      ["  \(example.line)"] + TextWrapping.wrap(example.note, width: width - 6).map { "      \($0)" }
    }
  }

  private static func statuses(_ table: CommandTable, _ width: Int) -> [String] {
    rows(table.exitStatuses.map { ("\($0.code)", $0.meaning) }, width)
  }

  /// Two columns; what is too long for the left one stands on a line of its own.
  private static func rows(_ rows: [(left: String, right: String)], _ width: Int) -> [String] {
    let column = min(rows.map(\.left.count).max() ?? 0, 28) + 2
    return rows.flatMap { row -> [String] in
      let text = TextWrapping.wrap(row.right, width: max(20, width - column - 2))
      let indent = String(repeating: " ", count: column + 2)
      let left = "  " + row.left
      guard row.left.count + 2 <= column else { return [left] + text.map { indent + $0 } }
      let padding = String(repeating: " ", count: column - row.left.count)
      return [left + padding + (text.first ?? "")] + text.dropFirst().map { indent + $0 }
    }
  }
}

extension CommandOption {
  /// The help with what the table knows beside it.
  var fullHelp: String { help + (isRepeatable ? " Can be repeated." : "") }
}

/// Lines of words.
enum TextWrapping {
  /// The words of a text in lines of at most `width` characters; a longer word has a line of its own.
  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if line.isEmpty {
        line = String(word)
      } else if line.count + 1 + word.count <= width {
        line += " \(word)"
      } else {
        lines.append(line)
        line = String(word)
      }
    }
    return line.isEmpty ? lines : lines + [line]
  }
}
