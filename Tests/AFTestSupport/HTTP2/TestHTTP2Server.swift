import AFSupport
package import Foundation

/// A server that speaks just enough HTTP/2 to refuse it: it answers, resets, or says goodbye, stream by stream. It does not
/// decode headers; what a request asks is not its business.
package final class TestHTTP2Server: Sendable {
  package let raw: RawServer
  private let log = Recorder<Stream>()
  private let counter = StreamCounter()

  /// One request, as the frames tell it.
  package struct Stream: Sendable, Hashable {
    /// 0 for the first stream that the server has seen, on whatever connection.
    package var number: Int
    package var connection: Int
    package var identifier: UInt32
    /// Bytes of body that had come when the answer went out.
    package var bodyCount = 0
  }

  package enum Answer: Sendable {
    /// 200 with these bytes, once the request is complete.
    case ok(String)
    /// 200 with the SHA-256 of the request's body, once that is complete.
    case digest
    /// This status and no body, once the request is complete.
    case status(Int)
    /// RST_STREAM with this code (7 is REFUSED_STREAM, 2 INTERNAL_ERROR) as soon as the headers have come.
    case reset(code: UInt32)
    /// RST_STREAM with this code once the request is complete.
    case resetAfterBody(code: UInt32)
    /// GOAWAY that names this stream as the last one handled, as soon as the headers have come; the connection is closed.
    case goAway(last: UInt32, code: UInt32 = 0)
    /// These very steps, in place of an answer, when so much of the request has come. The stream is over then.
    case steps([TestStep], after: RequestPart = .end)
    /// These steps once so many bytes of the request's body have come; the rest of it is read all the same, and logged at its end.
    case early([TestStep], after: Int)
  }

  package enum RequestPart: Sendable, Hashable {
    case head
    /// So many bytes of its body.
    case body(Int)
    case end
  }

  /// With an identity it speaks TLS and agrees on `h2`; without one it takes prior knowledge over TCP.
  package convenience init(
    identity: TestIdentity? = nil, options: ListenerOptions = ListenerOptions(), givesWindow: Bool = true,
    file: String = #fileID, line: Int = #line,
    opening: @escaping @Sendable (_ index: Int) -> [TestStep]? = { _ in nil },
    answer: @escaping @Sendable (_ stream: Stream) -> Answer
  ) throws {
    try self.init(
      tls: identity.map { TestTLS($0) }, options: options, givesWindow: givesWindow, file: file, line: line,
      opening: opening, answer: answer)
  }

  /// With TLS it agrees on `h2`. `givesWindow`: whether what has been read may be sent again; if not, a body stops at the
  /// window's 65,535 bytes. `opening`: what the connection with this index hears in place of SETTINGS, nil for SETTINGS.
  package init(
    tls: TestTLS?, options: ListenerOptions = ListenerOptions(), givesWindow: Bool = true, file: String = #fileID,
    line: Int = #line, opening: @escaping @Sendable (_ index: Int) -> [TestStep]? = { _ in nil },
    answer: @escaping @Sendable (_ stream: Stream) -> Answer
  ) throws {
    var options = options
    options.tls = tls
    options.tls?.protocols = ["h2"]
    raw = try RawServer(options, file: file, line: line) { [log, counter] connection in
      var conversation = HTTP2Conversation(
        connection: connection, counter: counter, log: log, givesWindow: givesWindow, answer: answer)
      try conversation.serve(opening: opening(connection.index))
    }
  }

  package var port: UInt16 { raw.port }
  package func url(_ path: String = "", host: String? = nil) -> URL { raw.listener.url(path, host: host) }
  /// The streams so far, as they were when they were answered.
  package var streams: [Stream] { log.values }
  package var acceptCount: Int { raw.acceptCount }
  package func stop() throws { try raw.stop() }
}

/// Numbers the streams of all connections.
final class StreamCounter: Sendable {
  private let count = Locked(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
