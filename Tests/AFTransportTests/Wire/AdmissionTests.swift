import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import AFTransport

@Suite struct AdmissionTests {
  /// Answers at once, but for "/held", whose answer waits for the latch.
  private func server(_ gate: Latch, _ paths: Recorder<String> = Recorder()) throws -> RawServer {
    try RawServer { connection in
      while let head = try connection.read(through: "\r\n\r\n") {
        let path = String(decoding: head, as: UTF8.self).split(separator: " ")[1]
        paths.record(String(path))
        if path == "/held" { try connection.wait(for: gate) }
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
  }

  @Test
  func `F38, B98: waiting for a place counts against the request's timeout, from the last time a place became free`()
    async throws
  {
    let gate = Latch()
    let engine = Engine.forTests(connectionsPerHost: 1)
    let server = try server(gate)
    let held = TransferProbe()
    _ = engine.launch(.get(server.url("held")), held)
    let began = MonotonicTime.now
    let late = TransferProbe()
    _ = engine.launch(.get(server.url("late")) { $0.options.idleTimeout = 0.5 }, late)
    let never = TransferProbe()
    _ = engine.launch(.get(server.url("never")) { $0.options.idleTimeout = 0 }, never)
    let outcome = await late.outcome()
    #expect(outcome.failure?.kind == .idleTimeout)
    #expect(outcome.failure?.message.contains("no connection to 127.0.0.1 became free") == true)
    let waited = late.state.withLock { $0.completedAt } - began
    #expect(waited > 0.45 && waited < 5)
    #expect(held.completions == 0 && never.completions == 0)
    gate.open()
    #expect(await held.outcome().failure == nil)
    #expect(await never.outcome().failure == nil)
    try server.stop()
  }

  @Test func `F38: a line that moves is waited in for as long as it takes`() async throws {
    let engine = Engine.forTests(connectionsPerHost: 1)
    let server = try RawServer { connection in
      while try connection.read(through: "\r\n\r\n") != nil {
        try connection.wait(0.1)
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
      }
    }
    // Together they take two seconds, each of them far less than its timeout.
    let probes = (0..<20).map { _ in TransferProbe() }
    for probe in probes { _ = engine.launch(.get(server.url()) { $0.options.idleTimeout = 1.5 }, probe) }
    for probe in probes { #expect(await probe.outcome().failure == nil) }
    #expect(server.acceptCount == 1)
    try server.stop()
  }

  @Test func `F39: nothing is sent while suspended, neither from the line nor from a place`() async throws {
    let gate = Latch()
    let engine = Engine.forTests(connectionsPerHost: 1)
    let paths = Recorder<String>()
    let server = try server(gate, paths)
    let held = TransferProbe()
    _ = engine.launch(.get(server.url("held")), held)
    try await eventually { paths.values == ["/held"] }
    // The engine's thread waits while the others are launched and suspended: it finds both at once.
    let other = try self.server(gate, paths)
    let (blocked, goOn) = (Recorder<Bool>(), DispatchSemaphore(value: 0))
    let blocker = TransferProbe { _ in
      blocked.record(true)
      goOn.wait()
      return .memory
    }
    _ = engine.launch(.get(other.url("block")), blocker)
    try await eventually { blocked.count == 1 }
    // One that waits for a place, one that goes to a free origin, one that is cancelled while suspended.
    let first = TransferProbe()
    let firstHandle = engine.launch(.get(server.url("first")), first)
    firstHandle.setSuspended(true)
    let second = TransferProbe()
    let secondHandle = engine.launch(.get(other.url("second")), second)
    secondHandle.setSuspended(true)
    let third = TransferProbe()
    let thirdHandle = engine.launch(.get(server.url("third")), third)
    thirdHandle.setSuspended(true)
    thirdHandle.cancel()
    goOn.signal()
    #expect(await blocker.outcome().failure == nil)
    #expect(await third.outcome().failure?.kind == .cancelled)
    gate.open()
    #expect(await held.outcome().failure == nil)
    // The place is free, and goes to the one that is not suspended.
    #expect(await engine.run(.get(server.url("after"))).failure == nil)
    #expect(await engine.run(.get(other.url("after"))).failure == nil)
    #expect(paths.values.sorted() == ["/after", "/after", "/block", "/held"])
    #expect(first.completions == 0 && second.completions == 0)
    firstHandle.setSuspended(false)
    secondHandle.setSuspended(false)
    #expect(await first.outcome().body == Data("ok".utf8))
    #expect(await second.outcome().body == Data("ok".utf8))
    #expect(paths.values.count { $0 == "/first" } == 1 && paths.values.count { $0 == "/second" } == 1)
    for server in [server, other] { try server.stop() }
  }

  @Test func `F39: what is suspended has no idle timeout, keeps its total one, and holds up no shut-down`() async throws
  {
    let gate = Latch()
    let engine = Engine.forTests(connectionsPerHost: 1)
    let paths = Recorder<String>()
    let server = try server(gate, paths)
    _ = engine.launch(.get(server.url("held")), TransferProbe())
    try await eventually { paths.count == 1 }
    let patient = TransferProbe()
    engine.start(.get(server.url()) { $0.options.idleTimeout = 0.1 }, handler: patient).setSuspended(true)
    let hasty = TransferProbe()
    let request = TransferRequest.get(server.url()) { $0.options.deadline = .now + 0.3 }
    engine.start(request, handler: hasty).setSuspended(true)
    #expect(await hasty.outcome().failure?.kind == .totalTimeout)
    #expect(patient.completions == 0)
    engine.shutDown(cancelling: true)
    #expect(await patient.outcome().failure?.kind == .cancelled)
    gate.open()
    try server.stop()
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, -1, 2, .signalingNaN])
  func `F44: a priority that is none is brought into its bounds`(priority: Float) async throws {
    let gate = Latch()
    let engine = Engine.forTests(connectionsPerHost: 1)
    let paths = Recorder<String>()
    let server = try server(gate, paths)
    let held = TransferProbe()
    _ = engine.launch(.get(server.url("held")), held)
    let probes = (0..<3).map { _ in TransferProbe() }
    for probe in probes {
      let handle = engine.launch(.get(server.url()) { $0.options.priority = priority }, probe)
      handle.setPriority(priority)
    }
    gate.open()
    for probe in probes { #expect(await probe.outcome().failure == nil) }
    try server.stop()
  }

  @Test(arguments: [0, -1, .nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude] as [Double], [true, false])
  func `F41: a timeout that is none means never, and never a connect timeout of a millisecond`(
    timeout: Double, isConnect: Bool
  ) async throws {
    try await withTestServer(handler: { _ in TestResponse.text("ok").with(.delay(0.05), at: .responseHead(0)) }) {
      server in
      let outcome = await Engine.forTests().run(
        .get(server.url()) {
          if isConnect { $0.options.connectTimeout = timeout } else { $0.options.idleTimeout = timeout }
        })
      if timeout == .leastNonzeroMagnitude, !isConnect {
        #expect(outcome.failure != nil)
      } else if timeout != .leastNonzeroMagnitude {
        #expect(outcome.body == Data("ok".utf8))
      }
    }
  }

  @Test func `F42: without a thread a request ends with an error at once, and the next asks for one again`()
    async throws
  {
    let threads = Recorder<Bool>()
    var configuration = EngineConfiguration()
    configuration.startThread = { body in
      threads.record(true)
      return threads.count > 2 && EngineThread.start(body)
    }
    let engine = Engine(configuration: configuration)
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      for _ in 0..<2 {
        let probe = TransferProbe()
        let outcome = await engine.run(.get(server.url()), probe: probe)
        #expect(outcome.failure?.kind == .noThread)
        #expect(probe.completions == 1)
      }
      #expect(await engine.run(.get(server.url())).body == Data("ok".utf8))
      #expect(threads.count == 3)
    }
  }
}
