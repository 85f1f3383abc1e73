import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Trailer fields (RFC 9110 §6.5): shown, and of no effect.
@Suite struct TrailerTests {
  private static func response(_ trailers: [(name: String, value: String)]) -> TestResponse {
    var response = TestResponse.json("{}")
    response.framing = .chunked(size: 1, trailers: trailers)
    return response
  }

  private static let some = [
    ("X-Sum", "abc"), ("Server-Timing", "db;dur=53"), ("server-timing", "app;dur=1"), ("Content-Type", "text/evil"),
    ("Set-Cookie", "a=b"), ("Content-Length", "99"),
  ]

  @Test func `the fields behind a body can be read, and change nothing`() async throws {
    try await withTestServer(handler: { _ in Self.response(Self.some) }) { server in
      let manager = makeManager(server)
      let response = try await manager.get("x")
      #expect(response.value(forHTTPTrailerField: "x-sum") == "abc")
      #expect(response.value(forHTTPTrailerField: "X-None") == nil)
      #expect(response.trailers["Server-Timing"] == "db;dur=53, app;dur=1")
      #expect(response.trailers.count == 5)
      #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/json")
      #expect(response.value(forHTTPHeaderField: "X-Sum") == nil)
      #expect(response.response?.value(forHTTPHeaderField: "X-Sum") == nil)
    }
  }

  @Test func `a task has them once it is over, and a response without any has none`() async throws {
    try await withTestServer(handler: { Self.response($0.path.hasSuffix("none") ? [] : Self.some) }) { server in
      let manager = makeManager(server)
      let ends = Recorder<[String: String]>()
      let task = manager.get("x", success: { task, _ in ends.record(task.trailers) }, failure: nil)
      let endsFirst = try await ends.wait(for: 1)[0]
      #expect(endsFirst["X-Sum"] == "abc")
      #expect(task?.trailers["X-Sum"] == "abc")
      let none = try await manager.get("none")
      #expect(none.trailers.isEmpty)
    }
  }

  @Test func `too many of them are a typed error`() async throws {
    let many = (0..<4000).map { ("X-\($0)", String(repeating: "a", count: 100)) }
    try await withTestServer(handler: { _ in Self.response(many).ignoringBody() }) { server in
      let manager = makeManager(server)
      let error = try await failure { _ = try await manager.get("x") }
      #expect(error.urlError?.code == .dataLengthExceedsMaximum)
    }
  }
}
