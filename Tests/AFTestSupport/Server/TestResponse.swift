import Foundation

/// What a test server answers. A value: take one of the ready ones and change it.
package struct TestResponse: Sendable {
  package var status: Int
  /// The reason phrase; the usual one unless set.
  package var reason: String?
  package var version = "HTTP/1.1"
  /// In this order, before the framing header.
  package var headers: [(name: String, value: String)]
  package var body: Body
  package var framing = Framing.contentLength
  /// Closes the connection afterwards, and says so.
  package var closes = false
  package var requestBody = RequestBody.readFirst
  package var faults: [Fault] = []

  package init(_ status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .none) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  package enum Body: Sendable {
    case none
    case bytes([UInt8])
    /// `count` bytes of the file from `offset`, or all from there, as they are at the time of the answer.
    case file(String, offset: Int64 = 0, count: Int64? = nil)
    /// `count` bytes of ``TestPattern`` from `offset`.
    case pattern(offset: Int64, count: Int64)
    /// Whatever the closure writes, piece by piece; chunked unless the framing says otherwise.
    case stream(@Sendable (BodyWriter) throws -> Void)
    /// These bytes in place of a whole response, head included.
    case raw([UInt8])
  }

  package enum Framing: Sendable {
    case contentLength
    /// Chunks of at most so many bytes; a `.stream` body makes one chunk per write.
    case chunked(size: Int, trailers: [(name: String, value: String)] = [])
    /// No framing header: the end of the connection ends the body.
    case untilClose
    /// This Content-Length, whatever the body is.
    case declared(Int64)
  }

  /// What becomes of a request body that the handler has not read itself.
  package enum RequestBody: Sendable {
    case readFirst
    /// Answers first and reads it then.
    case readAfterwards
    /// Answers without it, says that nothing more will be sent, and throws away whatever still comes. With `.close`,
    /// `.reset` or `.stall` at `.responseEnd` it stays on the wire instead.
    case ignore
  }

  /// An effect and its moment.
  package struct Fault: Sendable {
    package var moment: Moment
    package var effect: TestEffect
  }

  package enum Moment: Sendable, Hashable {
    /// After so many bytes of the request's body; 0 is right after its head.
    case requestBody(Int64)
    /// After so many bytes of the response's head; 0 is before the first.
    case responseHead(Int64)
    /// After so many bytes of the response's body.
    case responseBody(Int64)
    /// After the whole response.
    case responseEnd
  }

  /// The same answer with something going wrong, or slowly, at a moment.
  package func with(_ effect: TestEffect, at moment: Moment) -> TestResponse {
    var copy = self
    copy.faults.append(Fault(moment: moment, effect: effect))
    return copy
  }

  /// The same answer with one more header.
  package func with(_ name: String, _ value: String) -> TestResponse {
    var copy = self
    copy.headers.append((name, value))
    return copy
  }

  /// The same answer without waiting for the request's body; see ``RequestBody/ignore``.
  package func ignoringBody() -> TestResponse {
    var copy = self
    copy.requestBody = .ignore
    return copy
  }

  /// The same answer after so many seconds.
  package func delayed(_ seconds: Double) -> TestResponse { with(.delay(seconds), at: .responseHead(0)) }
}

// MARK: - Ready ones

extension TestResponse {
  package static func text(_ text: String, status: Int = 200) -> TestResponse {
    TestResponse(
      status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
  }

  package static func json(_ text: String, status: Int = 200) -> TestResponse {
    TestResponse(status, headers: [("Content-Type", "application/json")], body: .bytes(Array(text.utf8)))
  }

  package static func data(
    _ bytes: some Sequence<UInt8>, type: String = "application/octet-stream", status: Int = 200
  ) -> TestResponse {
    TestResponse(status, headers: [("Content-Type", type)], body: .bytes(Array(bytes)))
  }

  package static func file(_ path: String, type: String = "application/octet-stream") -> TestResponse {
    TestResponse(headers: [("Content-Type", type)], body: .file(path))
  }

  /// The first `count` bytes of ``TestPattern``.
  package static func pattern(_ count: Int64) -> TestResponse {
    TestResponse(
      headers: [("Content-Type", "application/octet-stream")], body: .pattern(offset: 0, count: count))
  }

  package static func stream(
    type: String = "application/octet-stream", _ write: @escaping @Sendable (BodyWriter) throws -> Void
  ) -> TestResponse {
    TestResponse(headers: [("Content-Type", type)], body: .stream(write))
  }

  package static func redirect(_ status: Int = 302, to location: String) -> TestResponse {
    TestResponse(status, headers: [("Location", location)])
  }

  package static func status(_ status: Int) -> TestResponse { TestResponse(status) }

  /// These bytes, verbatim, in place of a response; the connection is closed after them unless `keepsAlive`.
  package static func raw(_ bytes: String, keepsAlive: Bool = false) -> TestResponse {
    .raw(Array(bytes.utf8), keepsAlive: keepsAlive)
  }

  package static func raw(_ bytes: [UInt8], keepsAlive: Bool = false) -> TestResponse {
    var response = TestResponse(body: .raw(bytes))
    response.closes = !keepsAlive
    return response
  }

  /// No answer: the effect, once the request has been read in full.
  package static func none(_ effect: TestEffect) -> TestResponse {
    TestResponse().with(effect, at: .responseHead(0))
  }

  /// A JSON object that says what arrived: `method`, `target`, `headers` (names in lower case), `body` (as text).
  package static func echo(_ request: TestRequest) throws -> TestResponse {
    let headers = Dictionary(request.head.headers.map { ($0.name.lowercased(), $0.value) }) { "\($0), \($1)" }
    let object: [String: Any] = [
      "method": request.head.method, "target": request.head.target, "headers": headers,
      "body": String(decoding: try request.body(), as: UTF8.self),
    ]
    let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
    return TestResponse(headers: [("Content-Type", "application/json")], body: .bytes(Array(data)))
  }
}
