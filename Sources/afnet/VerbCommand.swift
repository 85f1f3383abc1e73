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
  private let retrying: Retrying

  init(_ method: String, _ arguments: Arguments) throws(ToolFailure) {
    let environment = ProcessInfo.processInfo.environment
    let target = try Target(arguments.operands.first ?? "", query: arguments.all(.query))
    client = try Client(arguments, [target])
    builder = try RequestBuilder(method, target, arguments, try Credentials(arguments, environment))
    self.arguments = arguments
    retrying = Retrying(
      limit: builder.isRepeatable ? arguments.integer(.retry) ?? 0 : 0,
      isIdempotent: !["POST", "PATCH"].contains(method), isQuiet: arguments.has(.quiet))
  }

  func run() async throws(ToolFailure) -> ExitStatus {
    let answer = VerbAnswer(arguments, url: builder.target.url, method: builder.method)
    guard arguments.text(.output) == "json" || arguments.has(.metrics) else {
      let stream = try await retrying.run { mayRetry async throws(ToolFailure) in
        let stream = try await call { request async throws(AFError) in try await client.manager.stream(for: request) }
        try VerbAnswer.refuse(stream.statusCode, stream.response, if: mayRetry)
        return stream
      }
      return try await answer.show(stream)
    }
    // With the whole body in memory, since the times are known when it has come.
    client.manager.setTaskDidFinishCollectingMetricsBlock { _, _, _ in }
    let response = try await retrying.run { mayRetry async throws(ToolFailure) in
      let response = try await call { request async throws(AFError) in try await client.manager.data(for: request) }
      try VerbAnswer.refuse(response.statusCode, response.response, if: mayRetry)
      return response
    }
    return try answer.show(response)
  }

  private func call<Value: Sendable>(
    _ send: (URLRequest) async throws(AFError) -> Value
  ) async throws(ToolFailure) -> Value {
    let request = try builder.request(timeout: client.timeout)
    do throws(AFError) { return try await send(request) } catch { throw ErrorReport.failure(error) }
  }
}
