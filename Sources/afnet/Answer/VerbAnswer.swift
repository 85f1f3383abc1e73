import AFArguments
import AFCore
import AFSupport
import Foundation
import FoundationNetworking

/// Shows what came of a request, as its options say.
struct VerbAnswer {
  let arguments: Arguments
  let url: URL
  let method: String
  let style: AnswerStyle

  init(_ arguments: Arguments, url: URL, method: String) {
    self.arguments = arguments
    self.url = url
    self.method = method
    style = AnswerStyle(arguments, isTerminal: Console.isOutputTerminal, ProcessInfo.processInfo.environment)
  }

  /// An answer that is there as a whole.
  func show(_ response: AFDataResponse) throws(ToolFailure) -> ExitStatus {
    if arguments.text(.output) == "json" {
      try Console.print(AnswerDocument(response, url: url).json)
    } else {
      if let head = response.response { try showHead(head) }
      var writer = AnswerWriter(style, contentType: response.value(forHTTPHeaderField: "Content-Type"))
      try writer.write(response.data)
      try writer.finish()
    }
    if arguments.has(.metrics), let metrics = response.metrics {
      Console.note(Waterfall(metrics).text(width: TerminalSize.columns(of: STDERR_FILENO) ?? 80))
    }
    return conclude(response.statusCode, response.response)
  }

  /// An answer whose body comes piece by piece.
  func show(_ stream: AFByteStream) async throws(ToolFailure) -> ExitStatus {
    if let head = stream.response { try showHead(head) }
    var writer = AnswerWriter(style, contentType: stream.value(forHTTPHeaderField: "Content-Type"))
    do {
      for try await piece in stream.chunks { try writer.write(piece) }
    } catch {
      throw ErrorReport.failure(error)
    }
    try writer.finish()
    return conclude(stream.statusCode, stream.response)
  }

  private func showHead(_ response: HTTPURLResponse) throws(ToolFailure) {
    guard arguments.has(.include) || method == "HEAD" else { return }
    try Console.write(Array(AnswerWriter.head(response, style: style).utf8))
    if method != "HEAD" { try Console.print("") }
  }

  private func conclude(_ statusCode: Int, _ response: HTTPURLResponse?) -> ExitStatus {
    let status = ExitStatus(statusCode: statusCode)
    if status != .success, !arguments.has(.quiet) {
      Console.note("afnet: \(ErrorReport.failure(statusCode: statusCode, nil, url: response?.url ?? url).message)")
    }
    return status
  }

  /// An answer that may be better next time is a failure as long as there is a next time.
  static func refuse(
    _ statusCode: Int, _ response: HTTPURLResponse?, if mayRetry: (ToolFailure) -> Bool
  ) throws(ToolFailure) {
    guard ExitStatus(statusCode: statusCode) != .success else { return }
    let failure = ErrorReport.failure(statusCode: statusCode, response, url: response?.url)
    if mayRetry(failure) { throw failure }
  }
}
