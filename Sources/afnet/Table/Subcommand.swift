import AFArguments
import AFSupport

/// One word after `afnet`: its row of the table, and what it does.
///
/// A new one is a file with a `static let` in an extension of this type, and one entry in ``all``.
struct Subcommand: Sendable {
  let command: Command
  /// Runs with what the command line says. `--help` never gets here.
  let run: @Sendable (Arguments) async throws -> ExitStatus

  /// Every subcommand, in the order of the overview.
  static let all: [Subcommand] =
    verbs + [.download, .upload, .stream, .pin, .reach, .completion, .manual]

  /// The table that help, manual, completions and parser are made from.
  static let table = CommandTable(
    name: "afnet", version: packageVersion, summary: "moves files and asks services, with the manners of AFNetworking",
    commands: all.map(\.command),
    exitStatuses: ExitStatus.allCases.map { (Int($0.rawValue), $0.meaning) },
    environment: [
      ("AFNET_PASSWORD", "The password of --user."),
      ("AFNET_TOKEN", "The token of --token."),
      ("AFNET_PASSPHRASE", "The passphrase of --key or --p12."),
      ("AFNET_PROXY_PASSWORD", "The password of --proxy-user."),
      ("NETRC", "The file that --netrc reads, instead of ~/.netrc."),
      ("NO_COLOR", "If it is set, to anything but nothing, there are no colours."),
      ("http_proxy, https_proxy, all_proxy, no_proxy", "The proxies, where --proxy names none."),
      ("XDG_CONFIG_HOME", "Where the configuration file is looked for; ~/.config without it."),
    ],
    files: [
      (
        "$XDG_CONFIG_HOME/afnet/config",
        "Defaults for the options under Trust and Connection: a line 'retry = 3' is '--retry 3', a line 'http1.1' is '--http1.1'. "
          + "Lines that begin with '#' count for nothing."
      )
    ],
    examples: [
      Command.Example("afnet get https://example.org/users/7", "Shows what a service answers."),
      Command.Example("afnet post https://example.org/users --json '{\"name\":\"Ada\"}'", "Sends JSON."),
    ])
}

extension Subcommand {
  static let completion = Subcommand(
    command: Command(
      "completion", "prints what a shell needs to complete afnet's command lines",
      operands: [Operand("SHELL", completion: .words(ShellCompletions.shells))],
      examples: [
        Command.Example("source <(afnet completion bash)", "For this shell alone; packages install it for all.")
      ],
      exitStatus: "0, or 2 for a shell that is none of bash, zsh and fish."),
    run: { arguments in
      let shell = arguments.operands.first ?? ""
      guard let script = ShellCompletions.script(for: shell, table) else {
        throw ToolFailure.usage("'\(shell)' is none of \(ShellCompletions.shells.joined(separator: ", "))")
      }
      try Console.write(Array(script.utf8))
      return .success
    })

  static let manual = Subcommand(
    command: Command(
      "manual", "prints the manual page",
      examples: [Command.Example("afnet manual | man -l -", "Shows it where it is not installed.")],
      exitStatus: "0."),
    run: { _ in
      try Console.write(Array(ManualPage.text(table).utf8))
      return .success
    })
}
