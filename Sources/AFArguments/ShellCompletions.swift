/// What a shell needs to complete the tool's command lines.
package enum ShellCompletions {
  /// The shells that are known.
  package static let shells = ["bash", "zsh", "fish"]

  /// The script for a shell; nil for one that is not known.
  package static func script(for shell: String, _ table: CommandTable) -> String? {
    switch shell {
    case "bash": bash(table)
    case "zsh": zsh(table)
    case "fish": fish(table)
    default: nil
    }
  }

  /// A word in single quotes, which all three shells take as it stands.
  static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  static func options(_ command: Command) -> [CommandOption] { command.options + [CommandTable.help] }

  // MARK: bash

  static func bash(_ table: CommandTable) -> String {
    let names = table.commands.map(\.name).joined(separator: " ")
    var lines = [
      "# bash completion for \(table.name)", "_\(table.name)() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} previous= command=${COMP_WORDS[1]} kind=",
      "  COMPREPLY=()",
      "  [ \"$COMP_CWORD\" -gt 1 ] && previous=${COMP_WORDS[COMP_CWORD-1]}",
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
      "    COMPREPLY=($(compgen -W '\(names) --help --version' -- \"$word\"))", "    return", "  fi",
      "  case $command in",
    ]
    for command in table.commands {
      lines.append("    \(command.name))")
      lines.append("      case $previous in")
      for option in command.options {
        guard let value = option.value else { continue }
        let given = "--\(option.name)" + (option.letter.map { "|-\($0)" } ?? "")
        lines.append("        \(given)) \(bashReply(value.completion)); return ;;")
      }
      lines += ["      esac", "      if [[ $word == -* ]]; then"]
      let words = options(command).map { "--\($0.name)" }.joined(separator: " ")
      lines += ["        COMPREPLY=($(compgen -W '\(words)' -- \"$word\"))", "        return", "      fi"]
      lines.append("      \(bashReply(command.operands.last?.completion ?? .nothing)) ;;")
    }
    lines += ["  esac", "}", "complete -o filenames -F _\(table.name) \(table.name)"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func bashReply(_ completion: Completion) -> String {
    switch completion {
    case .nothing: "COMPREPLY=()"
    case .files: "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")"
    case .directories: "mapfile -t COMPREPLY < <(compgen -d -- \"$word\")"
    case .hosts: "COMPREPLY=($(compgen -A hostname -- \"$word\"))"
    case .words(let words): "COMPREPLY=($(compgen -W \(quoted(words.joined(separator: " "))) -- \"$word\"))"
    }
  }

  // MARK: zsh

  static func zsh(_ table: CommandTable) -> String {
    var lines = ["#compdef \(table.name)", "", "_\(table.name)() {", "  local -a commands", "  commands=("]
    lines += table.commands.map { "    \(quoted("\($0.name):\($0.summary)"))" }
    lines += [
      "  )", "  if (( CURRENT == 2 )); then", "    _describe -t commands 'command' commands", "    return", "  fi",
      "  local command=$words[2]", "  shift words", "  (( CURRENT-- ))", "  case $command in",
    ]
    for command in table.commands {
      lines += ["    \(command.name))", "      _arguments -s -S \\"]
      var specs = options(command).flatMap(zshSpecs)
      for operand in command.operands {
        let many = operand.count.maximum > 1 ? "*" : ""
        specs.append(quoted("\(many):\(operand.name):\(zshAction(operand.completion))"))
      }
      lines.append(specs.map { "        \($0)" }.joined(separator: " \\\n"))
      lines.append("      ;;")
    }
    lines += ["  esac", "}", "", "_\(table.name) \"$@\""]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func zshSpecs(_ option: CommandOption) -> [String] {
    let text = option.help.map { "[]:\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    let value = option.value.map { kind in
      ":\(kind.placeholder.replacing(":", with: "\\:")):\(zshAction(kind.completion))"
    }
    let star = option.isRepeatable ? "*" : ""
    let names =
      ["--\(option.name)" + (value == nil ? "" : "=")]
      + (option.letter.map { ["-\($0)" + (value == nil ? "" : "+")] } ?? [])
    return names.map { quoted("\(star)\($0)[\(text)]\(value ?? "")") }
  }

  private static func zshAction(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " "
    case .files: "_files"
    case .directories: "_files -/"
    case .hosts: "_hosts"
    case .words(let words): "(\(words.joined(separator: " ")))"
    }
  }

  // MARK: fish

  static func fish(_ table: CommandTable) -> String {
    var lines = ["# fish completion for \(table.name)", "complete -c \(table.name) -f"]
    for command in table.commands {
      lines.append(
        "complete -c \(table.name) -n __fish_use_subcommand -a \(command.name) -d \(fishQuoted(command.summary))")
    }
    for command in table.commands {
      let condition = "-n \(fishQuoted("__fish_seen_subcommand_from \(command.name)"))"
      for option in options(command) {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value = option.value.map { fishValue($0.completion) } ?? ""
        lines.append(
          "complete -c \(table.name) \(condition) -l \(option.name)\(letter)\(value) -d \(fishQuoted(option.help))")
      }
      for operand in command.operands {
        switch operand.completion {
        case .nothing: break
        case .files, .directories: lines.append("complete -c \(table.name) \(condition) -F")
        case .hosts: lines.append("complete -c \(table.name) \(condition) -a '(__fish_print_hostnames)'")
        case .words(let words):
          lines.append("complete -c \(table.name) \(condition) -a \(fishQuoted(words.joined(separator: " ")))")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fishValue(_ completion: Completion) -> String {
    switch completion {
    case .nothing: " -x"
    case .files: " -r -F"
    case .directories: " -x -a '(__fish_complete_directories)'"
    case .hosts: " -x -a '(__fish_print_hostnames)'"
    case .words(let words): " -x -a \(fishQuoted(words.joined(separator: " ")))"
    }
  }

  /// fish takes backslashes in single quotes for escapes of quotes and of themselves.
  private static func fishQuoted(_ text: String) -> String {
    "'" + text.map { "'\\".contains($0) ? "\\\($0)" : "\($0)" }.joined() + "'"
  }
}
