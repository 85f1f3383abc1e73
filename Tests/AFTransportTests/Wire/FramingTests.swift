import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// A body without a length.
private final class UnmeasuredBody: BodyReader {
  let contentLength: Int64? = nil
  let isReplayable = true
  private let bytes: [UInt8]
  private let position = Locked(0)

  init(_ text: String) { bytes = Array(text.utf8) }

  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    let start = position.withLock { $0 }
    guard start < bytes.count else { return .end }
    buffer[0] = bytes[start]
    position.withLock { $0 += 1 }
    return .bytes(1)
  }

  func rewind() { position.withLock { $0 = 0 } }
  func close() {}
}

@Suite struct FramingTests {
  @Test(arguments: ["PUT", "POST", "PATCH"])
  func `B27: a method that means to carry a body says that it is empty`(method: String) async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let request = TransferRequest(url: server.url().absoluteString, method: method)
      #expect(await Engine.forTests().run(request).failure == nil)
      let seen = try #require(server.requests.first)
      #expect(seen.values("Content-Length") == ["0"])
      #expect(seen.value("Transfer-Encoding") == nil)
      #expect(seen.value("Content-Type") == nil)
    }
  }

  @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS"])
  func `B27: the others have no framing field`(method: String) async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let request = TransferRequest(url: server.url().absoluteString, method: method)
      let outcome = await Engine.forTests().run(request)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data((method == "HEAD" ? "" : "ok").utf8))
      let seen = try #require(server.requests.first)
      #expect(seen.method == method)
      #expect(seen.value("Content-Length") == nil)
      #expect(seen.value("Transfer-Encoding") == nil)
    }
  }

  @Test(arguments: [("Content-Length", "5"), ("Content-Length", "7"), ("Transfer-Encoding", "chunked")])
  func `B27: the caller's framing fields are replaced by the true one`(name: String, value: String) async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let bodies: [TransferRequest.Body] = [.data(Data("hello".utf8)), .reader(UnmeasuredBody("hello"))]
      for body in bodies {
        let request = TransferRequest.post(server.url(), body) { $0.headers = [.init(name, value), .init("X-A", "1")] }
        #expect(await Engine.forTests().run(request).failure == nil)
      }
      #expect(server.requests.map { $0.values("Content-Length") } == [["5"], []])
      #expect(server.requests.map { $0.values("Transfer-Encoding") } == [[], ["chunked"]])
      #expect(server.requests.map(\.bodyText) == ["hello", "hello"])
    }
  }

  @Test(arguments: [
    ("X", "a\r\nX-Injected: yes"), ("X", "a\nb"), ("X", "a\rb"), ("X", "a\0b"), ("X", "a\r\n b"), ("X Y", "v"),
    ("X:", "v"), ("", "v"), ("X\r\nZ", "v"),
  ])
  func `B20: fields that would end a line early are refused before a connection is made`(
    name: String, value: String
  ) async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let outcome = await Engine.forTests().run(.get(server.url()) { $0.headers = [.init(name, value)] })
      guard case .badRequest = outcome.failure?.kind else {
        Issue.record("not refused")
        return
      }
      #expect(server.acceptCount == 0)
      #expect(outcome.failure?.message.contains("Injected") == false)
    }
  }

  @Test func `B20: over HTTP/2 and through a CONNECT proxy nothing is connected either`() async throws {
    let proxy = try TestProxy()
    let server = try TestHTTP2Server(identity: try TestAuthority.make().issue(names: ["localhost"])) { _ in .ok("x") }
    for route in [ProxyRoute.direct, .proxy(url: proxy.url.absoluteString, user: nil, password: nil)] {
      let outcome = await Engine.forTests().run(
        .get(server.url(host: "localhost")) {
          $0.headers = [.init("X", "a\r\nX-Injected: yes")]
          $0.options.proxy = route
        })
      #expect(outcome.failure.map { "\($0.kind)" } == "badRequest")
    }
    #expect(server.acceptCount == 0 && proxy.requests.isEmpty)
    try server.stop()
    try proxy.stop()
  }

  @Test func `B20: a method that is no token is refused`() async throws {
    let request = TransferRequest(url: "http://127.0.0.1:9/", method: "GET /x HTTP/1.1\r\nA: b")
    guard case .badRequest = await Engine.forTests().run(request).failure?.kind else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `an empty value is sent as such, and a value outside ASCII as its UTF-8`() async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let request = TransferRequest.get(server.url()) {
        $0.headers = [.init("X-Empty", ""), .init("X-E", "caf\u{E9}")]
      }
      #expect(await Engine.forTests().run(request).failure == nil)
      #expect(server.requests.first?.values("X-Empty") == [""])
      #expect(server.requests.first?.value("X-E") == "caf\u{E9}")
    }
  }
}
