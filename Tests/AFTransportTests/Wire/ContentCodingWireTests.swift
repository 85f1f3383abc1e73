import AFSupport
import AFTestSupport
import CLinux
import Dispatch
import Foundation
import Testing

@testable import AFTransport

/// F32 to F34 and F43 over the wire.
@Suite struct ContentCodingWireTests {
  private static func answer(_ packed: Data, _ fields: String) -> String {
    "HTTP/1.1 200 OK\r\nContent-Length: \(packed.count)\r\n\(fields)\r\n"
  }

  private static func chunked(_ text: String) -> TestResponse {
    var response = TestResponse.text(text)
    response.framing = .chunked(size: 4)
    return response
  }

  @Test func `F32: two fields, and identity among them`() async throws {
    let plain = Data("Hello World!".utf8)
    let packed = try #require(gzip(plain).flatMap(gzip))
    let server = try RawServer { connection in
      _ = try connection.read(through: "\r\n\r\n")
      try connection.send(Self.answer(packed, "Content-Encoding: gzip\r\nContent-Encoding: identity, x-gzip\r\n"))
      try connection.send(Array(packed))
    }
    let outcome = await Engine.forTests().run(.get(server.url()))
    #expect(outcome.failure == nil)
    #expect(outcome.body == plain)
    try server.stop()
  }

  @Test func `F32: six codings are an error, and the connection's next request is served`() async throws {
    try await withTestServer(handler: { request in
      request.path.hasSuffix("bad")
        ? TestResponse.text("x").with("Content-Encoding", "gzip,gzip,gzip,gzip,gzip,gzip") : .text("good")
    }) { server in
      let engine = Engine.forTests()
      #expect(await engine.run(.get(server.url("bad"))).failure?.kind == .badContent)
      #expect(await engine.run(.get(server.url("good"))).body == Data("good".utf8))
    }
  }

  @Test func `a coding that is not understood is handed out as it is, for files too`() async throws {
    try await withTestServer(handler: { _ in TestResponse.text("x").with("Content-Encoding", "gzip, exi") }) { server in
      let probe = TransferProbe()
      let outcome = await Engine.forTests().run(.get(server.url()), probe: probe)
      #expect(outcome.body == Data("x".utf8))
      #expect(probe.head?.value("Content-Encoding") == "gzip, exi")
    }
  }

  @Test func `a coded body that is dropped is not decoded`() async throws {
    try await withTestServer(handler: { _ in TestResponse.text("not gzip").with("Content-Encoding", "gzip") }) {
      server in
      let probe = TransferProbe { _ in .discard }
      #expect(await Engine.forTests().run(.get(server.url()), probe: probe).failure == nil)
    }
  }

  @Test(arguments: [10, 11])
  func `F34: a body of 11 bytes and a limit for memory`(limit: Int64) async throws {
    try await withTestServer(handler: { request in
      request.path.hasSuffix("chunked") ? Self.chunked("Hello World") : .text("Hello World")
    }) { server in
      for path in ["plain", "chunked"] {
        var request = TransferRequest.get(server.url(path))
        request.options.bodyLimits.memory = limit
        let outcome = await Engine.forTests().run(request)
        #expect(outcome.failure?.kind == (limit < 11 ? .oversizedBody : nil))
        if limit >= 11 { #expect(outcome.body == Data("Hello World".utf8)) }
        // A sink has its own measure.
        let sink = CountingSink()
        let probe = TransferProbe { _ in .sink(sink) }
        #expect(await Engine.forTests().run(request, probe: probe).failure == nil)
        #expect(sink.count == 11)
      }
    }
  }

  @Test func `F34: a gzip bomb ends at the limit for memory`() async throws {
    let packed = try #require(gzip(Data(count: 32 << 20)))
    try await withTestServer(handler: { _ in .data(packed).with("Content-Encoding", "gzip") }) { server in
      var request = TransferRequest.get(server.url())
      request.options.bodyLimits.memory = 1 << 20
      let outcome = await Engine.forTests().run(request)
      #expect(outcome.failure?.kind == .oversizedBody)
      #expect((outcome.body?.count ?? 0) <= 1 << 20)
    }
  }

  @Test func `F34: the end of a small message waits for room like everything else`() async throws {
    let plain = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 / 4096) })
    let packed = try #require(gzip(plain))
    // libcurl has it all before the first byte is asked for.
    #expect(packed.count < 16 << 10)
    try await withTestServer(handler: { _ in .data(packed).with("Content-Encoding", "gzip") }) { server in
      let sink = CountingSink(takes: 256 << 10)
      let probe = TransferProbe { _ in .sink(sink) }
      let handle = Engine.forTests().launch(.get(server.url()), probe)
      try await eventually("the sink is full") { sink.isFull }
      while !sink.isComplete(plain.count) {
        #expect(sink.most <= 256 << 10 + 64 << 10)
        #expect(probe.completions == 0)
        sink.empty()
        handle.resumeReceiving()
        try await eventually("more, or the end") { sink.isFull || sink.isComplete(plain.count) }
      }
      handle.resumeReceiving()
      #expect(await probe.outcome().failure == nil)
      #expect(sink.bytes == plain)
    }
  }

  @Test func `F34: the end of a suspended message waits, and cancelling it is an end`() async throws {
    let packed = try #require(gzip(Data(count: 4 << 20)))
    try await withTestServer(handler: { _ in .data(packed).with("Content-Encoding", "gzip") }) { server in
      let sink = CountingSink(takes: 256 << 10)
      let probe = TransferProbe { _ in .sink(sink) }
      let handle = Engine.forTests().launch(.get(server.url()), probe)
      try await eventually("the sink is full") { sink.isFull }
      handle.setSuspended(true)
      let before = sink.count
      sink.empty()
      handle.resumeReceiving()
      handle.setSuspended(false)
      try await eventually("it goes on where it was") { sink.count > before }
      handle.cancel()
      #expect(await probe.outcome().failure?.kind == .cancelled)
      #expect(probe.completions == 1)
    }
  }

  @Test func `one small message that inflates to much lets the loop do something else meanwhile`() async throws {
    let packed = try #require(gzip(Data(count: 64 << 20)))
    try await withTestServer(handler: { _ in .data(packed).with("Content-Encoding", "gzip") }) { server in
      let handle = Locked<TransferHandle?>(nil)
      // A command that is given with the first bytes is carried out before many more are decoded: libcurl hands over 16 KiB at
      // a time, which are 16 MiB decoded.
      let sink = CountingSink(keeps: false) { handle.withLock { $0 }?.cancel() }
      let probe = TransferProbe { _ in .undecided }
      let started = Engine.forTests().launch(.get(server.url()), probe)
      handle.withLock { $0 = started }
      try await eventually("the head") { probe.head != nil }
      started.route(.sink(sink))
      #expect(await probe.outcome().failure?.kind == .cancelled)
      #expect(sink.count < 6 << 20)
    }
  }

  @Test func `F43: where memory ends, the hop fails, and the next one is served`() async {
    await #expect(processExitsWith: .success) {
      guard !ProcessSnapshot.isSanitized else { return }
      let server = try TestServer { request in request.path.hasSuffix("small") ? .text("x") : .pattern(1 << 30) }
      let engine = Engine.forTests()
      _ = await engine.run(.get(server.url("small")))
      // The body stops at half of it; the other half is for the threads and tables of everything else, which end the process where
      // they get none.
      try require(FailingMemory.limitAddressSpace(more: 1000 << 20), "the limit")
      let outcome = await engine.run(.get(server.url("large")))
      try require(outcome.failure?.kind == .noMemory, "\(String(describing: outcome.failure))")
      try require(await engine.run(.get(server.url("small"))).body == Data("x".utf8), "the next request")
      try server.stop()
    }
  }
}

/// Takes bytes until it has had enough, like a sink whose reader is slow.
final class CountingSink: BodySink {
  private let takes: Int
  private let keeps: Bool
  private let state = Locked((bytes: Data(), waiting: 0, most: 0, count: 0))

  private let onBytes: @Sendable () -> Void

  init(takes: Int = .max, keeps: Bool = true, onBytes: @escaping @Sendable () -> Void = {}) {
    self.takes = takes
    self.keeps = keeps
    self.onBytes = onBytes
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    onBytes()
    return state.withLock { state in
      if keeps { state.bytes.append(contentsOf: bytes) }
      state.count += bytes.count
      state.waiting += bytes.count
      state.most = max(state.most, state.waiting)
      return state.waiting < takes
    }
  }

  func empty() { state.withLock { $0.waiting = 0 } }
  func isComplete(_ total: Int) -> Bool { count >= total }
  var isFull: Bool { state.withLock { $0.waiting >= takes } }
  var most: Int { state.withLock { $0.most } }
  var count: Int { state.withLock { $0.count } }
  var bytes: Data { state.withLock { $0.bytes } }
}
