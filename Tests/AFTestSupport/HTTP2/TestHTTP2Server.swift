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
    /// This status and no body, once the request is complete.
    case status(Int)
    /// RST_STREAM with this code (7 is REFUSED_STREAM, 2 INTERNAL_ERROR) as soon as the headers have come.
    case reset(code: UInt32)
    /// RST_STREAM with this code once the request is complete.
    case resetAfterBody(code: UInt32)
    /// GOAWAY that names this stream as the last one handled, as soon as the headers have come; the connection is closed.
    case goAway(last: UInt32, code: UInt32 = 0)
  }

  /// With an identity it speaks TLS and agrees on `h2`; without one it takes prior knowledge over TCP.
  package convenience init(
    identity: TestIdentity? = nil, file: String = #fileID, line: Int = #line,
    answer: @escaping @Sendable (_ stream: Stream) -> Answer
  ) throws {
    try self.init(tls: identity.map { TestTLS($0) }, file: file, line: line, answer: answer)
  }

  /// With TLS it agrees on `h2`.
  package init(
    tls: TestTLS?, file: String = #fileID, line: Int = #line,
    answer: @escaping @Sendable (_ stream: Stream) -> Answer
  ) throws {
    var options = ListenerOptions(tls: tls)
    options.tls?.protocols = ["h2"]
    raw = try RawServer(options, file: file, line: line) { [log, counter] connection in
      var conversation = HTTP2Conversation(connection: connection, counter: counter, log: log, answer: answer)
      try conversation.serve()
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
private final class StreamCounter: Sendable {
  private let count = Locked(0)

  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

/// The frames of one connection.
private struct HTTP2Conversation {
  let connection: TestConnection
  let counter: StreamCounter
  let log: Recorder<TestHTTP2Server.Stream>
  let answer: @Sendable (TestHTTP2Server.Stream) -> TestHTTP2Server.Answer
  var open: [UInt32: TestHTTP2Server.Stream] = [:]

  init(
    connection: TestConnection, counter: StreamCounter, log: Recorder<TestHTTP2Server.Stream>,
    answer: @escaping @Sendable (TestHTTP2Server.Stream) -> TestHTTP2Server.Answer
  ) {
    self.connection = connection
    self.counter = counter
    self.log = log
    self.answer = answer
  }

  mutating func serve() throws {
    guard String(decoding: try connection.read(exactly: 24), as: UTF8.self) == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" else {
      throw ConnectionEnd.misuse("no HTTP/2 preface")
    }
    try connection.send(HTTP2Frame(kind: .settings))
    while let frame = try connection.readFrame() {
      switch frame.kind {
      case .settings where frame.flags & HTTP2Frame.acknowledge == 0:
        try connection.send(HTTP2Frame(kind: .settings, flags: HTTP2Frame.acknowledge))
      case .ping where frame.flags & HTTP2Frame.acknowledge == 0:
        try connection.send(HTTP2Frame(kind: .ping, flags: HTTP2Frame.acknowledge, payload: frame.payload))
      case .headers: try begin(frame)
      case .data: try receive(frame)
      case .resetStream: open[frame.stream] = nil
      case .goAway: return
      default: break
      }
    }
  }

  private mutating func begin(_ frame: HTTP2Frame) throws {
    // Trailers come as headers of a stream that is open already.
    let stream =
      open[frame.stream]
      ?? TestHTTP2Server.Stream(number: counter.next(), connection: connection.index, identifier: frame.stream)
    open[frame.stream] = stream
    switch answer(stream) {
    case .reset(let code): try reset(stream, code)
    case .goAway(let last, let code):
      log.record(stream)
      try connection.send(HTTP2Frame(kind: .goAway, payload: last.bigEndianBytes + code.bigEndianBytes))
      try connection.close()
    case .ok, .status, .resetAfterBody:
      if frame.flags & HTTP2Frame.endStream != 0 { try end(stream) }
    }
  }

  private mutating func receive(_ frame: HTTP2Frame) throws {
    let count = UInt32(frame.payload.count)
    if count > 0 {
      // The connection's window counts the bytes of refused streams too.
      try connection.send(HTTP2Frame(kind: .windowUpdate, payload: count.bigEndianBytes))
    }
    guard var stream = open[frame.stream] else { return }
    stream.bodyCount += frame.payload.count
    open[frame.stream] = stream
    if frame.flags & HTTP2Frame.endStream != 0 { return try end(stream) }
    if count > 0 {
      try connection.send(HTTP2Frame(kind: .windowUpdate, stream: frame.stream, payload: count.bigEndianBytes))
    }
  }

  private mutating func end(_ stream: TestHTTP2Server.Stream) throws {
    switch answer(stream) {
    case .resetAfterBody(let code), .reset(let code): try reset(stream, code)
    case .goAway: break
    case .status(let status):
      open[stream.identifier] = nil
      log.record(stream)
      // A literal with the indexed name `:status`, which is entry 8 of HPACK's static table, not to be remembered.
      let digits = Array(String(status).utf8)
      let head = HTTP2Frame(
        kind: .headers, flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream, stream: stream.identifier,
        payload: [0x08, UInt8(digits.count)] + digits)
      try connection.send(head)
    case .ok(let body):
      open[stream.identifier] = nil
      log.record(stream)
      // `:status 200` is entry 8 of HPACK's static table.
      let head = HTTP2Frame(
        kind: .headers, flags: HTTP2Frame.endHeaders, stream: stream.identifier, payload: [0x88])
      let data = HTTP2Frame(
        kind: .data, flags: HTTP2Frame.endStream, stream: stream.identifier, payload: Array(body.utf8))
      try connection.send(head.bytes + data.bytes)
    }
  }

  private mutating func reset(_ stream: TestHTTP2Server.Stream, _ code: UInt32) throws {
    open[stream.identifier] = nil
    log.record(stream)
    try connection.send(
      HTTP2Frame(kind: .resetStream, stream: stream.identifier, payload: code.bigEndianBytes))
  }
}
