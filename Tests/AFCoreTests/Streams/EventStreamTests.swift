import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite struct EventStreamTests {
  private static func quick(_ change: (inout AFEventStream.Options) -> Void = { _ in }) -> AFEventStream.Options {
    var options = AFEventStream.Options()
    options.reconnectionTime = 0.01
    options.maximumReconnectionTime = 0.02
    change(&options)
    return options
  }

  /// What `body` throws.
  private static func failure(_ body: () async throws -> Void) async -> AFError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? AFError
    }
  }

  private static func stream(_ text: String) -> TestResponse {
    TestResponse(headers: [("Content-Type", "Text/Event-Stream; charset=utf-8")], body: .bytes(Array(text.utf8)))
  }

  @Test func `Events go on behind the last one, over connections that end, break off and are refused`() async throws {
    let total = 60
    try await withTestServer(handler: { request in
      let next = (request.value("Last-Event-ID").flatMap(Int.init) ?? 0) + 1
      guard next <= total else { return .status(204) }
      // Each connection ends another way, in the midst of an event or between two.
      let text = (next...min(next + 4, total)).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
      switch next % 3 {
      case 0: return Self.stream(text + "id: \(next + 100)\ndata: half")
      case 1: return Self.stream(text).with(.close, at: .responseBody(Int64(text.utf8.count - 3)))
      default: return Self.stream(text)
      }
    }) { server in
      let manager = makeManager(server)
      var seen: [String] = []
      for try await event in manager.events(for: URLRequest(url: server.url("e")), options: Self.quick()) {
        seen.append(event.data)
      }
      #expect(seen == (1...total).map(String.init))
      let first = try #require(server.requests.first)
      #expect(first.value("Accept") == "text/event-stream")
      #expect(first.value("Last-Event-ID") == nil)
    }
  }

  @Test func `A refusal for a while is tried again, one for good is thrown`() async throws {
    let count = Locked(0)
    try await withTestServer(handler: { request in
      if request.path == "/gone" { return .status(404) }
      if request.path == "/page" { return .text("hello") }
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number < 3 ? TestResponse(503, headers: [("Retry-After", "0")]) : Self.stream("data: a\n\n")
    }) { server in
      let manager = makeManager(server)
      var events = manager.events(for: URLRequest(url: server.url("later")), options: Self.quick()).makeAsyncIterator()
      let value1 = try await events.next()?.data
      #expect(value1 == "a")
      #expect(server.requestCount == 3)
      var gone = manager.events(for: URLRequest(url: server.url("gone"))).makeAsyncIterator()
      let error = await Self.failure { _ = try await gone.next() }
      #expect(error?.statusCode == 404)
      let value2 = try await gone.next()
      #expect(value2 == nil)
      var page = manager.events(for: URLRequest(url: server.url("page"))).makeAsyncIterator()
      let other = await Self.failure { _ = try await page.next() }
      #expect(other?.cause as? AFStreamError == .notAnEventStream(contentType: "text/plain; charset=utf-8"))
    }
  }

  @Test func `Events before one that is too large are given, then the error`() async throws {
    try await withTestServer(handler: { _ in Self.stream("data: a\n\ndata: b\n\ndata: 12345678901\n\n") }) { server in
      let stream = makeManager(server).events(
        for: URLRequest(url: server.url("e")), options: Self.quick { $0.maximumEventSize = 10 })
      var seen: [String] = []
      let error = await Self.failure {
        for try await event in stream { seen.append(event.data) }
      }
      #expect(seen == ["a", "b"])
      #expect(error?.cause as? AFStreamError == .lineTooLong(limit: 10))
    }
  }

  @Test func `Cancelling ends the wait for an event, and the wait for a connection`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/silent"
        ? Self.stream("data: a\n\n:").with(.wait(Latch()), at: .responseBody(9)) : .status(503)
    }) { server in
      for path in ["silent", "refused"] {
        let manager = makeManager(server)
        let hasBegun = Locked(false)
        let reading = Task {
          for try await _ in manager.events(for: URLRequest(url: server.url(path))) { hasBegun.withLock { $0 = true } }
        }
        try await eventually { path == "silent" ? hasBegun.withLock { $0 } : server.requestCount >= 2 }
        reading.cancel()
        let error = await Self.failure { try await reading.value }
        #expect(error?.isCancelled == true)
        try await eventually { manager.tasks.isEmpty }
      }
    }
  }

  @Test func `Lines and JSON lines are read as they come`() async throws {
    struct Reading: Decodable, Equatable { var value: Int }
    try await withTestServer(handler: { request in
      switch request.path {
      case "/lines": .text("first\r\n\nlast")
      case "/json": .text("{\"value\": 1}\n\n {\"value\": 2}\r\n{\"secret\": 3}\n{\"value\": 4}")
      default: .text("short\n" + String(repeating: "x", count: 100))
      }
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      func stream(_ path: String) async throws -> AFByteStream {
        try await manager.stream(for: URLRequest(url: server.url(path)))
      }
      var lines: [String] = []
      for try await line in try await stream("lines").lines() { lines.append(line) }
      #expect(lines == ["first", "", "last"])

      var values = try await stream("json").jsonLines(as: Reading.self).makeAsyncIterator()
      let value3 = try await values.next()
      #expect(value3 == Reading(value: 1))
      let value4 = try await values.next()
      #expect(value4 == Reading(value: 2))
      let error = await Self.failure { _ = try await values.next() }
      #expect(error?.cause as? AFStreamError == .undecodableLine(number: 4, reason: "no value for value"))
      let value5 = try await values.next()
      #expect(value5 == Reading(value: 4))
      let value6 = try await values.next()
      #expect(value6 == nil)

      var long = try await stream("long").lines(maximumLength: 50).makeAsyncIterator()
      let value7 = try await long.next()
      #expect(value7 == "short")
      let tooLong = await Self.failure { _ = try await long.next() }
      #expect(tooLong?.cause as? AFStreamError == .lineTooLong(limit: 50))
      let value8 = try await long.next()
      #expect(value8 == nil)
    }
  }
}
