import AFArguments
import AFCore
import AFSupport
import Foundation
import FoundationNetworking

extension CommandOption {
  static let lines = CommandOption("lines", nil, excludes: ["events"], help: "Line by line. This is the default.")
  static let events = CommandOption(
    "events", nil,
    help:
      "Server-sent events: the data of each on a line of its own. With --retry a connection that ends is made again, from the event "
      + "that came last.")
  static let streamOutput = CommandOption(
    "output", nil, .choice("text", "json"),
    help:
      "text: lines, or the data of events. json: a JSON object in a line for each: 'line', or 'event', 'data' and 'id'."
  )
}

extension Subcommand {
  static let stream = Subcommand(
    command: Command(
      "stream", "prints an endless answer as it comes, line by line or event by event",
      operands: [Operand("URL")],
      groups: [OptionGroup("Stream", [.lines, .events, .streamOutput, .quiet]), .request, .trust, .connection],
      examples: [
        Command.Example(
          "afnet stream --timeout 3600 https://example.org/log", "Lines, with up to an hour between them."),
        Command.Example(
          "afnet stream --events --retry 100 https://example.org/news | while read -r x; do …; done", "Events."),
      ],
      details: ["Every line is written at once, into a pipe too. The end of the answer is the end of the command."]),
    run: { arguments in try await StreamCommand(arguments).run() })
}

/// One run of `afnet stream`.
final class StreamCommand {
  private let builder: RequestBuilder
  private let client: Client
  private let retrying: Retrying
  private let hasEvents: Bool
  private let isJSON: Bool
  private var events = EventParser(limit: lineLimit)
  /// A line that is longer comes in pieces; an event that is larger ends the stream.
  private static let lineLimit = 16 << 20
  private var count = 0

  init(_ arguments: Arguments) throws(ToolFailure) {
    let target = try Target(arguments.operands.first ?? "", query: arguments.all(.query))
    client = try Client(arguments, [target], accepts: IndexSet(200..<300))
    var builder = try RequestBuilder(
      "GET", target, arguments, try Credentials(arguments, ProcessInfo.processInfo.environment))
    hasEvents = arguments.has(.events)
    if hasEvents { builder.setDefault("Cache-Control", "no-store") }
    self.builder = builder
    isJSON = arguments.text(.streamOutput) == "json"
    retrying = Retrying(limit: arguments.integer(.retry) ?? 0, isIdempotent: true, isQuiet: arguments.has(.quiet))
  }

  func run() async throws(ToolFailure) -> ExitStatus {
    var last = -1
    try await retrying.run(hasMoved: {
      defer { last = count }
      return count > last
    }) { mayRetry async throws(ToolFailure) in
      events.restart()
      try await readOnce()
      // Events go on until the server refuses them: 204 ends them (§9.2.3).
      guard hasEvents, lastStatus != 204 else { return }
      var end = ToolFailure(.notConnected, "the stream of events ended")
      end.isTransient = true
      end.retryAfter = events.reconnectionTime
      if mayRetry(end) { throw end }
    }
    return .success
  }

  private var lastStatus = 0

  private func readOnce() async throws(ToolFailure) {
    var request = try builder.request(timeout: client.timeout)
    if hasEvents {
      request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
      if !events.lastEventID.isEmpty { request.setValue(events.lastEventID, forHTTPHeaderField: "Last-Event-ID") }
    }
    var splitter = LineSplitter(ending: .any, limit: Self.lineLimit, excess: .comesInPieces)
    do {
      let stream = try await client.manager.stream(for: request)
      lastStatus = stream.statusCode
      for try await piece in stream.chunks {
        if hasEvents { try take(events: piece) } else { try take(lines: piece, &splitter) }
      }
      // An event that no empty line completes is dropped, as the standard says.
      if !hasEvents, let line = try splitter.finish() { try take(line) }
    } catch {
      throw ErrorReport.failure(error)
    }
  }

  private struct Line: Encodable { let line: String }

  private struct Event: Encodable { let event, data, id: String }

  private func take(events bytes: Data) throws {
    // What is complete before a fault is printed.
    defer { try? printEvents() }
    try events.append(bytes)
    try printEvents()
  }

  private func printEvents() throws(ToolFailure) {
    while let event = events.next() {
      count += 1
      try put(isJSON ? JSONLine.text(Event(event: event.type, data: event.data, id: event.id)) : event.data)
    }
  }

  private func take(lines bytes: Data, _ splitter: inout LineSplitter) throws {
    var lines: [[UInt8]] = []
    try splitter.append(bytes) { lines.append($0) }
    for line in lines { try take(line) }
  }

  private func take(_ line: [UInt8]) throws(ToolFailure) {
    count += 1
    if isJSON {
      try put(JSONLine.text(Line(line: String(decoding: line, as: UTF8.self))))
    } else if Console.isOutputTerminal {
      try put(String(decoding: line, as: UTF8.self))
    } else {
      try Console.write(line + [0x0A])
    }
  }

  private func put(_ text: String) throws(ToolFailure) {
    try Console.print(Console.isOutputTerminal ? TerminalText.shown(text) : text)
  }
}
