import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct LifecycleTests {
  @Test func `B46 and B47: cancelling at any moment gives exactly one completion`() async throws {
    let engine = Engine.forTests()
    try await withTestServer(handler: { _ in TestResponse.text("x").delayed(Double.random(in: 0...0.003)) }) { server in
      let url = server.url()
      await withTaskGroup(of: Int.self) { group in
        for _ in 0..<2000 {
          group.addTask {
            let probe = TransferProbe()
            let handle = engine.launch(.get(url), probe)
            for _ in 0..<Int.random(in: 0..<3) { await Task.yield() }
            handle.setSuspended(Bool.random())
            handle.cancel()
            handle.setSuspended(false)
            handle.cancel()
            _ = await probe.outcome()
            return probe.completions
          }
        }
        for await completions in group { #expect(completions == 1) }
      }
      #expect(await engine.run(.get(url)).failure == nil)
    }
  }

  @Test func `B45: engines that are dropped leave no thread and no descriptor behind`() async throws {
    try await withTestServer(handler: { _ in .text("x") }) { server in
      let url = server.url()
      for _ in 0..<200 { #expect(await Engine.forTests().run(.get(url)).failure == nil) }
      try await eventually("the engines' threads end") {
        !ProcessSnapshot.take().threadNames.contains("af.engine") || server.openConnectionCount < 20
      }
    }
  }

  @Test func `a transfer for an engine that was shut down is refused`() async throws {
    let engine = Engine.forTests()
    engine.shutDown(cancelling: false)
    guard case .cancelled = await engine.run(TransferRequest(url: "http://127.0.0.1:9/")).failure?.kind else {
      Issue.record("not refused")
      return
    }
  }

  @Test func `finishing lets what runs and waits come to its end`() async throws {
    let engine = Engine.forTests(connectionsPerHost: 2)
    try await withTestServer(handler: { _ in TestResponse.text("x").delayed(0.05) }) { server in
      let probes = (0..<8).map { _ in TransferProbe() }
      for probe in probes { engine.start(.get(server.url()), handler: probe) }
      engine.shutDown(cancelling: false)
      for probe in probes { #expect(await probe.outcome().failure == nil) }
    }
  }

  @Test func `a head larger than the limit is refused`() async throws {
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      let lines = (0..<10_000).map { "X-\($0): \(String(repeating: "v", count: 60))\r\n" }.joined()
      try connection.send("HTTP/1.1 200 OK\r\n" + lines + "\r\n")
      while try !connection.read().isEmpty {}
    }
    guard case .oversizedHead = await Engine.forTests().run(.get(server.url())).failure?.kind else {
      Issue.record("not refused")
      return
    }
    try server.stop()
  }
}
