import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFTransport

@Suite struct EarlyAnswerTests {
  @Test(arguments: [true, false])
  func `B28: an answer before the body is sent is the result, whether or not the server reads on`(
    readsOn: Bool
  ) async throws {
    let engine = Engine.forTests()
    let done = Latch()
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      _ = try connection.read(exactly: 10 << 10)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      if readsOn {
        _ = try connection.read(exactly: (10 << 20) - (10 << 10))
      } else {
        try connection.wait(for: done)
      }
    }
    for _ in 0..<(readsOn ? 10 : 2) {
      let reader = CountingBody(count: 10 << 20)
      let probe = TransferProbe()
      var request = TransferRequest.post(server.url(), .reader(reader))
      request.options.idleTimeout = 10
      let outcome = await engine.run(request, probe: probe)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("ok".utf8))
      #expect(probe.completions == 1)
      #expect(reader.closes == 1)
      // A request that goes out while the server closes would be lost.
      if readsOn { try await eventually("closed") { server.connections.allSatisfy { !$0.isOpen } } }
    }
    done.open()
    try server.stop()
  }

  private static let okInChunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", okInChunks, "HTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n",
  ])
  func `F27: a complete 2xx does not end the body while the server reads on`(answer: String) async throws {
    let size = 30 << 20
    for isMeasured in [true, false] {
      let received = Recorder<Int>()
      var options = ListenerOptions()
      options.receiveBuffer = 64 << 10
      let server = try RawServer(options) { connection in
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        _ = try connection.read(exactly: 10 << 10)
        try connection.send(answer)
        var count = 10 << 10
        // Not at full speed, but without a pause that would be the end.
        try connection.wait(0.1)
        if isMeasured {
          count += try connection.read(exactly: size - count).count
        } else {
          while try connection.read(through: "\r\n").map({ $0 != Array("0\r\n".utf8) }) == true {
            count += 1
          }
        }
        received.record(count)
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
      }
      let engine = Engine.forTests()
      let probe = TransferProbe()
      let body = CountingBody(count: isMeasured ? size : 1 << 20, isMeasured: isMeasured)
      let outcome = await engine.run(.post(server.url(), .reader(body)), probe: probe)
      #expect(outcome.failure == nil)
      #expect(outcome.bytesSent == (isMeasured ? size : 1 << 20))
      #expect(probe.completions == 1 && body.closes == 1)
      if isMeasured {
        try await eventually("the whole body") { received.values == [size] }
        // The exchange is complete, so its connection serves on.
        #expect(await engine.run(.get(server.url())).body == Data("next".utf8))
        #expect(server.acceptCount == 1)
      }
      try server.stop()
    }
  }

  @Test(arguments: [
    okInChunks, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    okInChunks.replacingOccurrences(of: "\r\nT", with: "\r\nConnection: close\r\nT"),
    "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nok",
    okInChunks.replacingOccurrences(of: "200 OK", with: "500 Internal Server Error"),
    okInChunks.replacingOccurrences(of: "200 OK", with: "413 Content Too Large\r\nConnection: close"),
  ])
  func `F28, B84: a server that has answered and reads no more gets its answer delivered at once`(
    answer: String
  ) async throws {
    for finishes in [false, true] {
      let done = Latch()
      var options = ListenerOptions()
      options.receiveBuffer = 4096
      let server = try RawServer(options) { connection in
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        if connection.index > 0 { return try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext") }
        try connection.send(answer)
        if finishes, answer.contains("close") { connection.finishSending() }
        try connection.wait(for: done)
      }
      let engine = Engine.forTests()
      let probe = TransferProbe()
      let body = CountingBody(count: 30 << 20)
      var request = TransferRequest.post(server.url(), .reader(body))
      request.options.idleTimeout = 5
      let began = MonotonicTime.now
      let outcome = await engine.run(request, probe: probe)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("ok".utf8))
      #expect(
        probe.state.withLock { $0.completedAt } - began < UploadStall.limit + (ProcessSnapshot.isSanitized ? 5 : 2))
      #expect(body.closes == 1)
      #expect(await engine.run(.get(server.url())).body == Data("next".utf8))
      done.open()
      try server.stop()
    }
  }

  @Test(arguments: [true, false])
  func `B84: an early answer in a content coding is undone, whether or not the server reads on`(
    readsOn: Bool
  ) async throws {
    let packed = try #require(gzip(Data("early".utf8)))
    let size = 10 << 20
    for isChunked in [true, false] {
      let done = Latch()
      var options = ListenerOptions()
      options.receiveBuffer = readsOn ? 64 << 10 : 4096
      let received = Recorder<Int>()
      let server = try RawServer(options) { connection in
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(packed.count)"
        try connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\(framing)\r\n\r\n")
        if isChunked { try connection.send(String(packed.count, radix: 16) + "\r\n") }
        try connection.send(Array(packed))
        if isChunked { try connection.send("\r\n0\r\n\r\n") }
        guard readsOn else { return try connection.wait(for: done) }
        received.record(try connection.read(exactly: size).count)
      }
      let body = CountingBody(count: size)
      var request = TransferRequest.post(server.url(), .reader(body))
      request.options.idleTimeout = 5
      let outcome = await Engine.forTests().run(request)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("early".utf8))
      #expect(body.closes == 1)
      if readsOn { try await eventually("the whole body") { received.values == [size] } }
      done.open()
      try server.stop()
    }
  }

  struct EarlyCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var status = 200
    var endsStream = true
    /// RST_STREAM with NO_ERROR behind the answer: the server wants no more of the body (RFC 9113 §8.1).
    var isReset = false
    /// Whether the whole body must have arrived.
    var isSentWhole = true
  }

  @Test(arguments: [
    EarlyCase(testDescription: "200"),
    EarlyCase(testDescription: "200 and a reset without an error", isReset: true, isSentWhole: false),
    EarlyCase(testDescription: "413", status: 413, isSentWhole: false),
    EarlyCase(testDescription: "413 and a reset without an error", status: 413, isReset: true, isSentWhole: false),
  ])
  func `F27, B84: an early answer over HTTP/2 is the result, and a 2xx does not end the body`(
    item: EarlyCase
  ) async throws {
    let server = try TestHTTP2Server(identity: try TestAuthority.make().issue(names: ["localhost"])) { stream in
      guard stream.number == 0 else { return .ok("next") }
      let head = HTTP2Frame.head(HPACK.block([(":status", "\(item.status)")]), stream: stream.identifier)
      let answer = head + HTTP2Frame.data(Array("ok".utf8), stream: stream.identifier, endsStream: true)
      let end = item.isReset ? HTTP2Frame.reset(stream: stream.identifier, code: 0) : []
      return .early([.send(answer + end)], after: 1000)
    }
    let engine = Engine.forTests()
    // Slow enough that the answer overtakes it.
    let body = SteppedBody(count: 40_000, step: 1000, every: 0.01)
    var request = TransferRequest.post(server.url(host: "localhost"), .reader(body))
    request.options.idleTimeout = 5
    let probe = TransferProbe()
    let outcome = await engine.run(request, probe: probe)
    if item.isReset, Libcurl.losesAnswerBeforeReset {
      // Known, and never a success.
      #expect(outcome.failure != nil)
      return try server.stop()
    }
    #expect(outcome.failure == nil)
    #expect(probe.head?.statusCode == item.status)
    #expect(outcome.body == Data("ok".utf8))
    if item.isSentWhole { try await eventually("the whole body") { server.streams.map(\.bodyCount) == [40_000] } }
    #expect(await engine.run(.get(server.url(host: "localhost"))).body == Data("next".utf8))
    try server.stop()
  }

  @Test func `F28: a server that has answered and hangs up gets its answer delivered`() async throws {
    for isReset in [false, true] {
      let isSeen = Latch()
      let server = try RawServer { connection in
        guard try connection.read(through: "\r\n\r\n") != nil else { return }
        try connection.send(Self.okInChunks)
        try connection.wait(for: isSeen)
        if isReset { try connection.reset() } else { try connection.close() }
      }
      let probe = TransferProbe { _ in
        isSeen.open()
        return .memory
      }
      let body = CountingBody(count: 30 << 20)
      let outcome = await Engine.forTests().run(.post(server.url(), .reader(body)), probe: probe)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("ok".utf8))
      try server.stop()
    }
  }

  @Test func `an answer without a body, before the request's, is the result as well`() async throws {
    try await withTestServer(handler: { _ in TestResponse.status(204).ignoringBody() }) { server in
      let outcome = await Engine.forTests().run(.post(server.url(), .data(Data(count: 20 << 20))))
      #expect(outcome.failure == nil)
    }
  }
}

/// A body of zeros that comes step by step.
final class SteppedBody: BodyReader {
  let contentLength: Int64?
  let isReplayable = false
  private let count: Int
  private let step: Int
  private let interval: Double
  private let state = Locked((position: 0, due: MonotonicTime.now))

  init(count: Int, step: Int, every interval: Double) {
    self.count = count
    self.step = step
    self.interval = interval
    contentLength = Int64(count)
  }

  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    state.withLock { state in
      let taken = min(buffer.count, count - state.position, step)
      guard taken > 0 else { return .end }
      guard state.due <= .now else { return .wait(until: state.due) }
      state.due = .now + interval
      state.position += taken
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<taken]).initializeMemory(as: UInt8.self, repeating: 0)
      return .bytes(taken)
    }
  }

  func rewind() {}
  func close() {}
}

/// A body of zeros that counts how often it is closed.
final class CountingBody: BodyReader {
  let contentLength: Int64?
  let isReplayable = true
  private let count: Int
  private let state = Locked((position: 0, closes: 0))

  init(count: Int, isMeasured: Bool = true) {
    self.count = count
    contentLength = isMeasured ? Int64(count) : nil
  }

  var closes: Int { state.withLock { $0.closes } }

  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    let taken = state.withLock { state -> Int in
      let taken = min(buffer.count, count - state.position)
      state.position += taken
      return taken
    }
    UnsafeMutableRawBufferPointer(rebasing: buffer[..<taken]).initializeMemory(as: UInt8.self, repeating: 0)
    return taken > 0 ? .bytes(taken) : .end
  }

  func rewind() { state.withLock { $0.position = 0 } }
  func close() { state.withLock { $0.closes += 1 } }
}
