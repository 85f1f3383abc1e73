import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct FlowTests {
  @Test func `B44: two hundred thousand chunks of one byte, as a stream and in memory`() async throws {
    let server = try RawServer { connection in
      while try connection.read(through: "\r\n\r\n") != nil {
        try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        try connection.send(String(repeating: "1\r\nx\r\n", count: 200_000) + "0\r\n\r\n")
      }
    }
    let engine = Engine.forTests()
    #expect(try await engine.read(server.url()).count == 200_000)
    #expect(await engine.run(.get(server.url())).body?.count == 200_000)
    try server.stop()
  }

  @Test func `suspending and resuming a download changes no byte`() async throws {
    let count: Int64 = 48 << 20
    try await withTestServer(handler: { _ in .pattern(count) }) { server in
      let probe = TransferProbe()
      let handle = Engine.forTests().launch(.get(server.url()), probe)
      for _ in 0..<30 {
        handle.setSuspended(true)
        try await Task.sleep(for: .milliseconds(2))
        handle.setSuspended(false)
        try await Task.sleep(for: .milliseconds(2))
      }
      let outcome = await probe.outcome()
      #expect(outcome.failure == nil)
      #expect(outcome.body.map(TestDigest.sha256) == TestPattern.sha256(count: count))
    }
  }

  @Test func `suspending and resuming an upload changes no byte`() async throws {
    let count = 48 << 20
    let body = TestPattern.data(count: count)
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let probe = TransferProbe()
      let handle = Engine.forTests().launch(.post(server.url(), .data(body)), probe)
      for _ in 0..<30 {
        handle.setSuspended(true)
        try await Task.sleep(for: .milliseconds(2))
        handle.setSuspended(false)
        try await Task.sleep(for: .milliseconds(2))
      }
      #expect(await probe.outcome().failure == nil)
      let request = try #require(server.requests.first)
      #expect(request.bodyCount == Int64(count))
      #expect(request.bodySHA256 == TestDigest.sha256(body))
    }
  }

  @Test func `a file sink writes what came, in order`() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("out").path
    let count: Int64 = 40_000_001
    try await withTestServer(handler: { _ in .pattern(count) }) { server in
      let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      let sink = FileSink(descriptor: descriptor, path: path)
      let probe = TransferProbe { _ in .sink(sink) }
      let handle = Engine.forTests().launch(.get(server.url()), probe)
      sink.connect(onRoom: { handle.resumeReceiving() }, onFailure: { _ in handle.cancel() })
      #expect(await probe.outcome().failure == nil)
      let written = await withCheckedContinuation { continuation in sink.finish { continuation.resume(returning: $0) } }
      let (length, digest) = (try written.get(), try TestDigest.sha256(ofFile: path))
      #expect(length == count)
      #expect(digest == TestPattern.sha256(count: count))
    }
  }

  @Test func `a file sink says when the disk is full`() async throws {
    try await withTestServer(handler: { _ in .pattern(8 << 20) }) { server in
      let sink = FileSink(descriptor: open("/dev/full", O_WRONLY | O_CLOEXEC), path: "/dev/full")
      let probe = TransferProbe { _ in .sink(sink) }
      let handle = Engine.forTests().launch(.get(server.url()), probe)
      sink.connect(onRoom: { handle.resumeReceiving() }, onFailure: { _ in handle.cancel() })
      _ = await probe.outcome()
      let written = await withCheckedContinuation { continuation in sink.finish { continuation.resume(returning: $0) } }
      #expect { try written.get() } throws: { ($0 as? POSIXFailure)?.code == ENOSPC }
    }
  }

  @Test func `a route decided later gets the whole body, also when there is none`() async throws {
    try await withTestServer(handler: { $0.path == "/empty" ? .status(204) : .pattern(3 << 20) }) { server in
      for (path, count) in [("full", Int64(3 << 20)), ("empty", 0)] {
        let probe = TransferProbe { _ in .undecided }
        let handle = Engine.forTests().launch(.get(server.url(path)), probe)
        try await eventually("the head") { probe.head != nil }
        #expect(probe.completions == 0)
        handle.route(.memory)
        let outcome = await probe.outcome()
        #expect(outcome.failure == nil)
        #expect(outcome.body.map(TestDigest.sha256) == TestPattern.sha256(count: count))
      }
    }
  }

  @Test func `a stalled body of one upload delays nobody else`() async throws {
    let engine = Engine.forTests(connectionsPerHost: 16)
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let url = server.url()
      let stalled = TransferProbe()
      let handle = engine.launch(.post(url, .reader(SilentBody())), stalled)
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<7 {
          group.addTask { await engine.run(.post(url, .data(Data(count: 8 << 20)))).failure == nil }
        }
        for _ in 0..<100 { group.addTask { await engine.run(.get(url)).failure == nil } }
        for try await succeeded in group { #expect(succeeded) }
      }
      // All the others are done, and the stalled one has not even timed out.
      #expect(stalled.completions == 0)
      handle.cancel()
      guard case .cancelled = await stalled.outcome().failure?.kind else {
        Issue.record("not cancelled")
        return
      }
    }
  }
}

/// A body that never comes.
private final class SilentBody: BodyReader {
  let contentLength: Int64? = 1000
  let isReplayable = false
  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {}
  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull { .wait(until: nil) }
  func rewind() throws { throw POSIXFailure(call: "rewind", code: ESPIPE) }
  func close() {}
}
