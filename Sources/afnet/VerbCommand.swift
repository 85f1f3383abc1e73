import AFArguments
import AFCore
import AFSupport
import Foundation
import FoundationNetworking

extension Subcommand {
  /// get, head, post, put, patch and delete.
  static let verbs: [Subcommand] = [
    verb(
      "get", "fetches a URL and prints what the server answers", hasBody: false,
      [
        Command.Example(
          "afnet get https://example.org/users -q page=2 -H Accept:application/json", "A query and a header field."),
        Command.Example(
          "afnet get https://example.org/users | jq '.[].name'", "In a pipe the body goes on as it came."),
        Command.Example(
          "AFNET_PASSWORD=… afnet get -u ada https://example.org/private", "With a password (Basic or Digest)."),
      ]),
    verb(
      "head", "asks for status and header fields alone", hasBody: false,
      [Command.Example("afnet head https://example.org/big.iso", "How large it is, and whether it can be resumed.")]),
    verb(
      "post", "sends a body, and prints what the server answers", hasBody: true,
      [
        Command.Example("afnet post https://example.org/users --json '{\"name\":\"Ada\"}'", "JSON."),
        Command.Example(
          "afnet post https://example.org/login -d @form.txt", "A form, out of a file that others cannot read."),
        Command.Example(
          "afnet post https://example.org/photos -F title=cat -F 'photo=@cat.jpg;type=image/jpeg'", "Multipart."),
        Command.Example("make report | afnet post https://example.org/reports --json @-", "Out of a pipe."),
      ]),
    verb(
      "put", "puts a body at a URL", hasBody: true,
      [
        Command.Example(
          "afnet put https://example.org/users/7 --json @user.json",
          "The file's content takes the place of what is there.")
      ]),
    verb(
      "patch", "changes what is at a URL", hasBody: true,
      [Command.Example("afnet patch https://example.org/users/7 --json '{\"name\":\"Grace\"}'", "One member alone.")]),
    verb(
      "delete", "deletes what is at a URL", hasBody: true,
      [Command.Example("afnet delete https://example.org/users/7", "The exit status says whether it was done.")]),
  ]

  private static func verb(
    _ name: String, _ summary: String, hasBody: Bool, _ examples: [Command.Example]
  ) -> Subcommand {
    let groups: [OptionGroup] = [.request] + (hasBody ? [.body] : []) + [.answer, .trust, .connection]
    return Subcommand(
      command: Command(
        name, summary, operands: [Operand("URL")], groups: groups, examples: examples,
        details: [
          "Standard output holds the body and nothing else, of an answer of 4xx or 5xx too. A URL without a scheme is https."
        ]),
      run: { arguments in try await VerbCommand(name.uppercased(), arguments).run() })
  }
}

/// One request and its answer.
struct VerbCommand {
  private let builder: RequestBuilder
  private let client: Client
  private let arguments: Arguments
  private let style: AnswerStyle
  private let retrying: Retrying

  init(_ method: String, _ arguments: Arguments) throws(ToolFailure) {
    let environment = ProcessInfo.processInfo.environment
    let target = try Target(arguments.operands.first ?? "", query: arguments.all(.query))
    client = try Client(arguments, [target])
    builder = try RequestBuilder(method, target, arguments, try Credentials(arguments, environment))
    self.arguments = arguments
    style = AnswerStyle(arguments, isTerminal: Console.isOutputTerminal, environment)
    retrying = Retrying(
      limit: builder.isRepeatable ? arguments.integer(.retry) ?? 0 : 0,
      isIdempotent: !["POST", "PATCH"].contains(method), isQuiet: arguments.has(.quiet))
  }

  func run() async throws(ToolFailure) -> ExitStatus {
    if arguments.text(.output) == "json" || arguments.has(.metrics) { return try await runGathered() }
    let stream = try await retrying.run { mayRetry async throws(ToolFailure) in
      let stream = try await call { request async throws(AFError) in try await client.manager.stream(for: request) }
      try refuse(stream.statusCode, stream.response, if: mayRetry)
      return stream
    }
    let response = stream.response
    if let response, arguments.has(.include) || builder.method == "HEAD" {
      try Console.write(Array(AnswerWriter.head(response, style: style).utf8))
      if builder.method != "HEAD" { try Console.print("") }
    }
    var writer = AnswerWriter(style, contentType: stream.value(forHTTPHeaderField: "Content-Type"))
    do {
      for try await piece in stream.chunks { try writer.write(piece) }
    } catch {
      throw ErrorReport.failure(error)
    }
    try writer.finish()
    return conclude(stream.statusCode, response)
  }

  /// With the whole body in memory, since the times are known when it has come.
  private func runGathered() async throws(ToolFailure) -> ExitStatus {
    client.manager.setTaskDidFinishCollectingMetricsBlock { _, _, _ in }
    let response = try await retrying.run { mayRetry async throws(ToolFailure) in
      let response = try await call { request async throws(AFError) in try await client.manager.data(for: request) }
      try refuse(response.statusCode, response.response, if: mayRetry)
      return response
    }
    if arguments.text(.output) == "json" {
      try Console.print(AnswerDocument(response, url: builder.target.url).json)
    } else {
      if let head = response.response, arguments.has(.include) || builder.method == "HEAD" {
        try Console.write(Array(AnswerWriter.head(head, style: style).utf8))
        if builder.method != "HEAD" { try Console.print("") }
      }
      var writer = AnswerWriter(style, contentType: response.value(forHTTPHeaderField: "Content-Type"))
      try writer.write(response.data)
      try writer.finish()
    }
    if arguments.has(.metrics), let metrics = response.metrics {
      Console.note(Waterfall(metrics).text(width: TerminalSize.columns(of: STDERR_FILENO) ?? 80))
    }
    return conclude(response.statusCode, response.response)
  }

  private func call<Value: Sendable>(
    _ send: (URLRequest) async throws(AFError) -> Value
  ) async throws(ToolFailure) -> Value {
    let request = try builder.request(timeout: client.timeout)
    do throws(AFError) { return try await send(request) } catch { throw ErrorReport.failure(error) }
  }

  /// An answer that may be better next time is a failure as long as there is a next time.
  private func refuse(
    _ statusCode: Int, _ response: HTTPURLResponse?, if mayRetry: (ToolFailure) -> Bool
  ) throws(ToolFailure) {
    guard ExitStatus(statusCode: statusCode) != .success else { return }
    let failure = ErrorReport.failure(statusCode: statusCode, response, url: response?.url)
    if mayRetry(failure) { throw failure }
  }

  private func conclude(_ statusCode: Int, _ response: HTTPURLResponse?) -> ExitStatus {
    let status = ExitStatus(statusCode: statusCode)
    if status != .success, !arguments.has(.quiet) {
      let url = response?.url ?? builder.target.url
      Console.note("afnet: \(ErrorReport.failure(statusCode: statusCode, nil, url: url).message)")
    }
    return status
  }
}
