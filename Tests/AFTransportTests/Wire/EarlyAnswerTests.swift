import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

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
        while try !connection.read().isEmpty {}
      } else {
        try connection.wait(for: done)
      }
    }
    for _ in 0..<20 {
      let reader = CountingBody(count: 10 << 20)
      let probe = TransferProbe()
      var request = TransferRequest.post(server.url(), .reader(reader))
      request.options.idleTimeout = 10
      let outcome = await engine.run(request, probe: probe)
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("ok".utf8))
      #expect(probe.completions == 1)
      #expect(reader.closes == 1)
    }
    done.open()
    try server.stop()
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

  init(count: Int) {
    self.count = count
    contentLength = Int64(count)
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
