import AFArguments
import AFCore
import AFMultipart
import AFSupport
import Foundation
import FoundationNetworking

extension CommandOption {
  static let method = CommandOption(
    "method", "X", .choice("PUT", "POST", "PATCH"), help: "The method. Default: PUT, or POST for a form.")
  static let uploadForm = CommandOption("form", "F", .text("NAME=VALUE"), isRepeatable: true, help: form.help)
  static let packetSize = CommandOption(
    "packet-size", nil, .size("BYTES"), help: "Send a form in packets of this size, with --delay between them.")
  static let delay = CommandOption(
    "delay", nil, .seconds(upTo: 3600), help: "The pause between two packets. Default: 0.2.")
}

extension Subcommand {
  static let upload = Subcommand(
    command: Command(
      "upload", "sends a file, or a form with files, as it is read",
      operands: [Operand("FILE", .optional, completion: .files), Operand("URL")],
      groups: [
        OptionGroup("Upload", [.method, .uploadForm, .packetSize, .delay]), .request, .answer, .trust, .connection,
      ],
      examples: [
        Command.Example("afnet upload disk.img https://example.org/images/", "PUTs it to /images/disk.img."),
        Command.Example(
          "tar cz data | afnet upload - https://example.org/data.tgz", "Out of a pipe, without a length."),
        Command.Example(
          "afnet upload -F video=@cat.mp4 -F title=cat --limit-rate 500K https://example.org/videos", "A form."),
      ],
      details: [
        "FILE is the body, and '-' is standard input; with --form there is no FILE. Nothing is gathered in memory. A URL that ends in '/' "
          + "gets the name of the file. Standard output holds the answer's body."
      ]),
    run: { arguments in try await UploadCommand(arguments).run() })
}

/// One run of `afnet upload`.
struct UploadCommand {
  /// What is sent.
  private enum Body {
    case file(URL)
    case input
    case form
  }

  private let arguments: Arguments
  private let client: Client
  private let builder: RequestBuilder
  private let body: Body
  private let label: String
  private let retrying: Retrying

  init(_ arguments: Arguments) throws(ToolFailure) {
    self.arguments = arguments
    let hasForm = arguments.has(.uploadForm)
    let file = arguments.operands.count == 2 ? arguments.operands[0] : nil
    guard (file != nil) != hasForm else {
      throw .usage(
        hasForm ? "with --form there is no FILE" : "FILE is missing; '-' is standard input, --form sends a form")
    }
    guard hasForm || !arguments.has(.packetSize) && !arguments.has(.delay) else {
      throw .usage("--packet-size and --delay are for a form (--form); --limit-rate is for any body")
    }
    var url = arguments.operands.last ?? ""
    if let file, file != "-" {
      let path = URL(fileURLWithPath: file)
      try Self.check(file)
      body = .file(path)
      label = path.lastPathComponent.printable(limit: 255)
      if url.hasSuffix("/") { url += PercentEncoding.escaped(path.lastPathComponent).replacing("?", with: "%3F") }
    } else {
      body = file == nil ? .form : .input
      label = file == nil ? "form" : "standard input"
    }
    let target = try Target(url, query: arguments.all(.query))
    client = try Client(arguments, [target])
    let credentials = try Credentials(arguments, ProcessInfo.processInfo.environment)
    let method = arguments.text(.method) ?? (hasForm ? "POST" : "PUT")
    builder = try RequestBuilder(method, target, arguments, credentials)
    var limit = arguments.integer(.retry) ?? 0
    if case .input = body { limit = 0 }
    retrying = Retrying(
      limit: builder.isRepeatable ? limit : 0, isIdempotent: method == "PUT", isQuiet: arguments.has(.quiet))
  }

  private static func check(_ file: String) throws(ToolFailure) {
    var info = stat()
    guard stat(file, &info) == 0 else { throw ToolFailure(.file, "\(POSIXFailure(call: "open", path: file))") }
    guard info.st_mode & S_IFMT == S_IFREG else {
      throw ToolFailure(.file, "\(file) is not a regular file; '-' sends what comes on standard input")
    }
    guard access(file, R_OK) == 0 else { throw ToolFailure(.file, "\(POSIXFailure(call: "open", path: file))") }
  }

  func run() async throws(ToolFailure) -> ExitStatus {
    let display = ProgressDisplay(isLive: ProgressDisplay.isWanted(quiet: arguments.has(.quiet)))
    if arguments.has(.metrics) { client.manager.setTaskDidFinishCollectingMetricsBlock { _, _, _ in } }
    let watcher = Task { [client, label] in await Self.watch(client, label, display) }
    let result = await send(display)
    watcher.cancel()
    display.clear()
    let response = try result.get()
    let answer = VerbAnswer(arguments, url: builder.target.url, method: builder.method)
    return try answer.show(response)
  }

  private func send(_ display: ProgressDisplay) async -> Result<AFDataResponse, ToolFailure> {
    do throws(ToolFailure) {
      return .success(
        try await retrying.run(say: { display.note("afnet upload: \($0)") }) { mayRetry async throws(ToolFailure) in
          let response = try await attempt()
          try VerbAnswer.refuse(response.statusCode, response.response, if: mayRetry)
          return response
        })
    } catch {
      return .failure(error)
    }
  }

  private func attempt() async throws(ToolFailure) -> AFDataResponse {
    var request = try builder.request(timeout: client.timeout) { form in
      guard arguments.has(.packetSize) || arguments.has(.delay) else { return }
      form.throttleBandwidth(
        withPacketSize: arguments.size(.packetSize) ?? Int(kAFUploadStream3GSuggestedPacketSize),
        delay: arguments.seconds(.delay) ?? kAFUploadStream3GSuggestedDelay)
    }
    do throws(AFError) {
      switch body {
      case .file(let url):
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
          request.setValue(MIMEType.forExtension(url.pathExtension), forHTTPHeaderField: "Content-Type")
        }
        return try await client.manager.upload(for: request, fromFile: url)
      case .input:
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
          request.setValue(MIMEType.octetStream, forHTTPHeaderField: "Content-Type")
        }
        request.httpBodyStream = InputStream(fileAtPath: "/dev/fd/0")
        return try await client.manager.upload(withStreamedRequest: request)
      case .form: return try await client.manager.upload(withStreamedRequest: request)
      }
    } catch {
      throw ErrorReport.failure(error)
    }
  }

  /// Looks at the task until it is cancelled.
  private static func watch(_ client: Client, _ label: String, _ display: ProgressDisplay) async {
    guard display.isLive else { return }
    let begin = MonotonicTime.now
    var meter = RateMeter()
    while !Task.isCancelled {
      let time = Double(MonotonicTime.now.nanoseconds - begin.nanoseconds) / 1e9
      if let task = client.manager.uploadTasks.first {
        meter.note(task.countOfBytesSent, at: time)
        let expected = task.countOfBytesExpectedToSend
        display.show(
          ProgressRow(
            label: label, done: task.countOfBytesSent, total: expected > 0 ? expected : nil, rate: meter.rate,
            elapsed: time), id: 0)
        display.draw()
      }
      try? await Task.sleep(nanoseconds: 100_000_000)
    }
  }
}
