import AFSupport

/// The frames of one connection.
struct HTTP2Conversation {
  let connection: TestConnection
  let counter: StreamCounter
  let log: Recorder<TestHTTP2Server.Stream>
  let givesWindow: Bool
  let answer: @Sendable (TestHTTP2Server.Stream) -> TestHTTP2Server.Answer
  private var open: [UInt32: TestHTTP2Server.Stream] = [:]
  private var digests: [UInt32: TestDigest] = [:]

  init(
    connection: TestConnection, counter: StreamCounter, log: Recorder<TestHTTP2Server.Stream>, givesWindow: Bool,
    answer: @escaping @Sendable (TestHTTP2Server.Stream) -> TestHTTP2Server.Answer
  ) {
    self.connection = connection
    self.counter = counter
    self.log = log
    self.givesWindow = givesWindow
    self.answer = answer
  }

  mutating func serve(opening: [TestStep]?) throws {
    guard String(decoding: try connection.read(exactly: 24), as: UTF8.self) == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" else {
      throw ConnectionEnd.misuse("no HTTP/2 preface")
    }
    try connection.perform(opening ?? [.send(HTTP2Frame(kind: .settings).bytes)])
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
      try connection.send(HTTP2Frame.goAway(last: last, code: code))
      // What the client still sends is read, or the kernel would make a reset of the end and the client not see the frame.
      try connection.perform(.finishSending)
    case .steps(let steps, .head): try play(steps, stream)
    case .ok, .digest, .status, .resetAfterBody, .steps, .early:
      if frame.flags & HTTP2Frame.endStream != 0 { try end(stream) }
    }
  }

  private mutating func receive(_ frame: HTTP2Frame) throws {
    let count = UInt32(frame.payload.count)
    if count > 0, givesWindow {
      // The connection's window counts the bytes of refused streams too.
      try connection.send(HTTP2Frame(kind: .windowUpdate, payload: count.bigEndianBytes))
    }
    guard var stream = open[frame.stream] else { return }
    let before = stream.bodyCount
    stream.bodyCount += frame.payload.count
    let digest = digests[frame.stream] ?? TestDigest()
    digests[frame.stream] = digest
    frame.payload.withUnsafeBytes { digest.update($0) }
    open[frame.stream] = stream
    if case .steps(let steps, .body(let wanted)) = answer(stream), stream.bodyCount >= wanted {
      return try play(steps, stream)
    }
    if case .early(let steps, let wanted) = answer(stream), before < wanted, stream.bodyCount >= wanted {
      try connection.perform(steps)
    }
    if frame.flags & HTTP2Frame.endStream != 0 { return try end(stream) }
    if count > 0, givesWindow {
      try connection.send(HTTP2Frame(kind: .windowUpdate, stream: frame.stream, payload: count.bigEndianBytes))
    }
  }

  private mutating func end(_ stream: TestHTTP2Server.Stream) throws {
    switch answer(stream) {
    case .resetAfterBody(let code), .reset(let code): try reset(stream, code)
    case .goAway: break
    case .early:
      open[stream.identifier] = nil
      log.record(stream)
    case .status(let status):
      open[stream.identifier] = nil
      log.record(stream)
      try connection.send(
        HTTP2Frame.head(HPACK.block([(":status", "\(status)")]), stream: stream.identifier, endsStream: true))
    case .steps(let steps, _): try play(steps, stream)
    case .digest: try succeed(stream, (digests.removeValue(forKey: stream.identifier) ?? TestDigest()).finish())
    case .ok(let body): try succeed(stream, body)
    }
  }

  private mutating func succeed(_ stream: TestHTTP2Server.Stream, _ body: String) throws {
    open[stream.identifier] = nil
    log.record(stream)
    // `:status 200` is entry 8 of HPACK's static table.
    let head = HTTP2Frame(
      kind: .headers, flags: HTTP2Frame.endHeaders, stream: stream.identifier, payload: [0x88])
    let data = HTTP2Frame(
      kind: .data, flags: HTTP2Frame.endStream, stream: stream.identifier, payload: Array(body.utf8))
    try connection.send(head.bytes + data.bytes)
  }

  private mutating func play(_ steps: [TestStep], _ stream: TestHTTP2Server.Stream) throws {
    open[stream.identifier] = nil
    log.record(stream)
    try connection.perform(steps)
  }

  private mutating func reset(_ stream: TestHTTP2Server.Stream, _ code: UInt32) throws {
    open[stream.identifier] = nil
    log.record(stream)
    try connection.send(
      HTTP2Frame(kind: .resetStream, stream: stream.identifier, payload: code.bigEndianBytes))
  }
}
