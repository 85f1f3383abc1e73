import AFArguments
import AFCore
import AFSupport
import Foundation
import FoundationNetworking

extension CommandOption {
  static let outputFile = CommandOption(
    "output-file", "o", .file, excludes: ["into", "remote-name"], help: "The file, for a single URL.")
  static let remoteName = CommandOption(
    "remote-name", "O",
    help: "The name that the server suggests, made safe, in the current folder. This is the default.")
  static let into = CommandOption(
    "into", nil, .directory, help: "The same in this folder. Nothing is written outside of it.")
  static let overwrite = CommandOption("overwrite", nil, help: "Replace a file that is there already.")
  static let checksum = CommandOption(
    "checksum", nil, .text("sha256:HEX"), help: "The file must have this SHA-256, or it is removed, with status 10.")
  static let parallel = CommandOption(
    "parallel", "j", .integer("N", 1...64), help: "So many files at once. Default: 4.")
  static let downloadOutput = CommandOption(
    "output", nil, .choice("path", "json"),
    help:
      "What is written to standard output for each file that is done, if that is no terminal. path: its path. json: a JSON "
      + "object in a line; see the documentation.")
}

extension Subcommand {
  static let download = Subcommand(
    command: Command(
      "download", "downloads files, and goes on where an earlier attempt ended",
      operands: [Operand("URL", .oneOrMore)],
      groups: [
        OptionGroup(
          "Files", [.outputFile, .remoteName, .into, .overwrite, .checksum, .parallel, .downloadOutput, .quiet]),
        .request, .trust, .connection,
      ],
      examples: [
        Command.Example("afnet download https://example.org/big.iso", "Again after an interruption: the same line."),
        Command.Example(
          "afnet download -o os.img --checksum sha256:9f86… --retry 20 https://example.org/os.img", "Over a poor link."),
        Command.Example(
          "afnet download --into photos https://example.org/1.jpg https://example.org/2.jpg", "Several at once."),
      ],
      details: [
        "A file appears at its place complete or not at all. Until then it lies in the folder NAME.afnet beside it, which stays when "
          + "afnet is interrupted or killed, if the server says enough to go on with it: the next run with the same URL does, and makes "
          + "sure that nothing has changed."
      ]),
    run: { arguments in try await DownloadCommand(arguments).run() })
}

/// One run of `afnet download`.
struct DownloadCommand {
  private let jobs: [DownloadJob]
  private let client: Client
  private let arguments: Arguments
  private let retrying: Retrying

  init(_ arguments: Arguments) throws(ToolFailure) {
    self.arguments = arguments
    let settings = try DownloadSettings(arguments)
    var targets: [Target] = []
    for word in arguments.operands {
      let target = try Target(word, query: arguments.all(.query))
      guard !targets.contains(target) else { throw .usage("\(target.shown) is given twice") }
      targets.append(target)
    }
    guard targets.count == 1 || settings.file == nil else {
      throw .usage("-o is for a single URL; --into takes several")
    }
    guard targets.count == 1 || settings.checksum == nil else { throw .usage("--checksum is for a single URL") }
    client = try Client(arguments, targets, accepts: IndexSet(200..<300))
    let credentials = try Credentials(arguments, ProcessInfo.processInfo.environment)
    var jobs: [DownloadJob] = []
    for (id, target) in targets.enumerated() {
      var builder = try RequestBuilder("GET", target, arguments, credentials)
      // A body in a coding cannot be gone on with.
      builder.setDefault("Accept-Encoding", "identity")
      jobs.append(DownloadJob(id, builder, client, settings))
    }
    self.jobs = jobs
    retrying = Retrying(limit: arguments.integer(.retry) ?? 0, isIdempotent: true, isQuiet: arguments.has(.quiet))
  }

  func run() async throws(ToolFailure) -> ExitStatus {
    let display = ProgressDisplay(isLive: ProgressDisplay.isWanted(quiet: arguments.has(.quiet)))
    let watcher = Task { [jobs, client] in await Self.watch(jobs, client, display) }
    let status = await runAll(display)
    watcher.cancel()
    display.clear()
    return try status.get()
  }

  /// All jobs, some at a time. The first failure gives the status, and ends no other job.
  private func runAll(_ display: ProgressDisplay) async -> Result<ExitStatus, ToolFailure> {
    let limit = arguments.integer(.parallel) ?? 4
    let (jobs, retrying) = (jobs, retrying)
    return await withTaskGroup(of: (DownloadJob, Result<DownloadJob.Outcome, ToolFailure>).self) { group in
      var waiting = jobs[...]
      func start() {
        guard let job = waiting.popFirst() else { return }
        group.addTask {
          do throws(ToolFailure) { return (job, .success(try await job.run(retrying, display))) } catch {
            return (job, .failure(error))
          }
        }
      }
      for _ in 0..<limit { start() }
      var status = ExitStatus.success
      while let (job, result) = await group.next() {
        start()
        do throws(ToolFailure) {
          try tell(job, try result.get(), display)
        } catch {
          let about = jobs.count > 1 && !error.message.contains(job.target.shown) ? "\(job.target.shown): " : ""
          display.end(id: job.id, leaving: "afnet download: \(about)\(error.message.printable())")
          if !display.isLive { Console.note("afnet download: \(about)\(error.message.printable())") }
          if status == .success { status = error.status }
        }
      }
      return .success(status)
    }
  }

  private func tell(
    _ job: DownloadJob, _ outcome: DownloadJob.Outcome, _ display: ProgressDisplay
  ) throws(ToolFailure) {
    let width = max(20, (TerminalSize.columns(of: STDERR_FILENO) ?? 80) - 1)
    display.end(id: job.id, leaving: job.lastLine(outcome, width: width))
    if arguments.text(.downloadOutput) == "json" {
      try Console.print(
        JSONLine.text(
          DownloadDocument(
            url: job.target.url.absoluteString.redactedURL, path: outcome.path, bytes: outcome.bytes,
            resumedAt: outcome.resumedAt, seconds: (outcome.seconds * 1e3).rounded() / 1e3, status: outcome.statusCode))
      )
    } else if !Console.isOutputTerminal {
      try Console.print(outcome.path)
    }
  }

  /// Looks at the tasks until it is cancelled.
  private static func watch(_ jobs: [DownloadJob], _ client: Client, _ display: ProgressDisplay) async {
    var byURL: [String: DownloadJob] = [:]
    for job in jobs { byURL[job.target.url.absoluteString] = job }
    let begin = MonotonicTime.now
    while !Task.isCancelled {
      let time = Double(MonotonicTime.now.nanoseconds - begin.nanoseconds) / 1e9
      for task in client.manager.downloadTasks {
        guard let url = task.originalRequest?.url?.absoluteString, let job = byURL[url] else { continue }
        display.show(job.look(at: task, time: time), id: job.id)
      }
      display.draw()
      // Short at first, so that little is lost to a process that is killed soon.
      try? await Task.sleep(nanoseconds: time < 1 ? 20_000_000 : 100_000_000)
    }
  }
}

/// A line of `--output json`.
private struct DownloadDocument: Encodable {
  let url: String
  let path: String
  let bytes: Int64
  let resumedAt: Int64
  let seconds: Double
  let status: Int
}
