import Foundation

/// The command. Two hidden subcommands are for itself: `serve`, the server, and `measure`, one run of one client, so that
/// processor time and memory are the client's own.
@main
struct AFBenchmarks {
  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case "serve":
        try ServeCommand.run(Array(arguments.dropFirst()))
      case "measure":
        try await MeasureCommand.run(Array(arguments.dropFirst()))
      default:
        // `help` reads as naturally as `--help`.
        if arguments.first == "help" { arguments[0] = "--help" }
        let options = try Options(parsing: arguments)
        if options.wantsHelp {
          print(Help.text)
        } else {
          try await BenchmarkCommand(options: options).run()
        }
      }
    } catch let error as UsageError {
      Console.complain("\(error)\nTry AFBenchmarks --help.")
      exit(64)  // EX_USAGE
    } catch {
      Console.complain("\(error)")
      exit(1)
    }
  }
}
