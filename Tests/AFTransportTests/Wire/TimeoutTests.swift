import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// Gives a little at a time, by its own clock.
private final class SlowBody: BodyReader {
  let contentLength: Int64?
  let isReplayable = false
  private let piece: Int
  private let pause: Double
  private let state: Locked<(left: Int, next: MonotonicTime)>

  init(count: Int, piece: Int, pause: Double) {
    contentLength = Int64(count)
    self.piece = piece
    self.pause = pause
    state = Locked((left: count, next: .now))
  }

  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    let now = MonotonicTime.now
    return state.withLock { state in
      if state.left == 0 { return .end }
      if now < state.next { return .wait(until: state.next) }
      let count = min(piece, min(buffer.count, state.left))
      state.left -= count
      state.next = now + pause
      return .bytes(count)
    }
  }

  func rewind() throws { throw POSIXFailure(call: "rewind", code: ESPIPE) }
  func close() {}
}

@Suite struct TimeoutTests {
  private func expectIdleTimeout(_ request: TransferRequest, _ limit: Double = 1) async -> TransferOutcome {
    let probe = TransferProbe()
    let start = MonotonicTime.now
    let outcome = await Engine.forTests().run(request, probe: probe)
    guard case .idleTimeout = outcome.failure?.kind else {
      Issue.record("ended with \(String(describing: outcome.failure))")
      return outcome
    }
    let elapsed = probe.state.withLock { $0.completedAt } - start
    #expect(elapsed >= limit * 0.99)
    // Generous: the server itself may have been slow to answer on a busy machine, and its bytes count.
    #expect(elapsed < limit + 10)
    return outcome
  }

  @Test func `B31: bytes that move keep the request alive, however long it takes`() async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let body = SlowBody(count: 30 * 2048, piece: 2048, pause: 0.1)
      let request = TransferRequest.post(server.url(), .reader(body)) { $0.options.idleTimeout = 1 }
      let start = MonotonicTime.now
      #expect(await Engine.forTests().run(request).failure == nil)
      #expect(MonotonicTime.now - start > 2)
    }
  }

  @Test func `a body that waits for a moment is pulled at that moment, not at the next look at the idle time`()
    async throws
  {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let body = SlowBody(count: 20 * 2048, piece: 2048, pause: 0.02)
      // A sixteenth of the idle time is longer than the whole may take.
      let request = TransferRequest.post(server.url(), .reader(body)) { $0.options.idleTimeout = 600 }
      let start = MonotonicTime.now
      #expect(await Engine.forTests().run(request).failure == nil)
      #expect(MonotonicTime.now - start < 30)
    }
  }

  @Test func `B31: silence after the request ends it`() async throws {
    try await withTestServer(handler: { _ in .none(.stall) }) { server in
      let request = TransferRequest.post(server.url(), .data(Data(count: 100_000))) { $0.options.idleTimeout = 1 }
      _ = await expectIdleTimeout(request)
    }
  }

  @Test func `B31: a server that never accepts ends it`() async throws {
    var options = ListenerOptions()
    options.accepts = false
    let server = try RawServer(options) { _ in }
    _ = await expectIdleTimeout(.get(server.url()) { $0.options.idleTimeout = 1 })
    try server.stop()
  }

  @Test func `B31: a server that reads slowly keeps the request alive though libcurl's buffer stays full`() async throws
  {
    var options = TestServer.Options()
    options.listener.receiveBuffer = 32 << 10
    options.listener.readPace = (bytes: 16 << 10, every: 0.01)
    try await withTestServer(options, handler: { _ in .text("ok") }) { server in
      let request = TransferRequest.post(server.url(), .data(Data(count: 6 << 20))) { $0.options.idleTimeout = 1 }
      #expect(await Engine.forTests().run(request).failure == nil)
    }
  }

  @Test func `a body that stalls in the midst ends it`() async throws {
    let body = TestPattern.data(count: 100_000)
    try await withTestServer(handler: { _ in
      TestResponse.data(body).with(.stall, at: .responseBody(50_000))
    }) { server in
      let outcome = await expectIdleTimeout(.get(server.url()) { $0.options.idleTimeout = 2 }, 2)
      #expect(outcome.body?.count == 50_000)
    }
  }

  @Test func `the total deadline counts though bytes move`() async throws {
    try await withTestServer(handler: { _ in
      TestResponse.pattern(1 << 20).with(.drip(bytes: 100, every: 0.02), at: .responseBody(0))
    }) { server in
      let outcome = await Engine.forTests().run(.get(server.url()) { $0.options.deadline = .now + 0.5 })
      guard case .totalTimeout = outcome.failure?.kind else {
        Issue.record("ended with \(String(describing: outcome.failure))")
        return
      }
    }
  }

  @Test func `a port nobody listens on, and a name that does not resolve, fail with their own codes`() async throws {
    let engine = Engine.forTests()
    let closed = try RawServer { _ in }
    let url = closed.url()
    try closed.stop()
    let refused = try #require(await engine.run(.get(url)).failure)
    #expect(CurlErrorMapping.urlErrorCode(for: refused.curlCode) == .cannotConnectToHost)
    #expect(refused.osError == ECONNREFUSED)
    let unknown = try #require(await engine.run(TransferRequest(url: "http://nobody.invalid/")).failure)
    #expect(CurlErrorMapping.urlErrorCode(for: unknown.curlCode) == .cannotFindHost)
    #expect(unknown.message.contains("nobody.invalid"))
  }
}
