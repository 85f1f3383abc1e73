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
