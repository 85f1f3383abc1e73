import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct StreamLimitTests {
  private static func settings(_ streams: UInt32) -> [UInt8] {
    // SETTINGS_MAX_CONCURRENT_STREAMS
    HTTP2Frame(kind: .settings, payload: [0, 3] + withUnsafeBytes(of: streams.bigEndian) { Array($0) }).bytes
  }

  private static func answer(_ stream: TestHTTP2Server.Stream, after seconds: Double) -> [TestStep] {
    let frames =
      HTTP2Frame.head([0x88], stream: stream.identifier)
      + HTTP2Frame.data(Array("ok".utf8), stream: stream.identifier, endsStream: true)
    return [.effect(.delay(seconds)), .send(frames)]
  }

  @Test(arguments: [1, 4] as [UInt32], [1, 2, 6])
  func `F35, B95: what goes beyond the server's limit waits, and the number of connections holds`(
    limit: UInt32, connections: Int
  ) async throws {
    let server = try TestHTTP2Server(
      identity: try TestAuthority.make().issue(names: ["localhost"]),
      opening: { _ in [.send(Self.settings(limit))] }
    ) { stream in .steps(Self.answer(stream, after: 0.02)) }
    let engine = Engine.forTests(connectionsPerHost: connections)
    let url = server.url(host: "localhost")
    #expect(await engine.run(.get(url)).body == Data("ok".utf8))
    let probes = (0..<40).map { _ in TransferProbe() }
    for probe in probes { _ = engine.launch(.get(url) { $0.options.idleTimeout = 5 }, probe) }
    for probe in probes {
      let outcome = await probe.outcome()
      #expect(outcome.failure == nil)
      #expect(outcome.body == Data("ok".utf8))
    }
    #expect(server.acceptCount <= connections)
    try server.stop()
  }

  @Test func `B95: a limit that falls and rises in mid-flight lets all of them through`() async throws {
    let server = try TestHTTP2Server(
      identity: try TestAuthority.make().issue(names: ["localhost"]),
      opening: { _ in [.send(Self.settings(100))] }
    ) { stream in
      let change =
        stream.number == 5 ? [TestStep.send(Self.settings(1))] : stream.number == 20 ? [.send(Self.settings(100))] : []
      return .steps(change + Self.answer(stream, after: 0.01))
    }
    let engine = Engine.forTests(connectionsPerHost: 2)
    let url = server.url(host: "localhost")
    #expect(await engine.run(.get(url)).failure == nil)
    for _ in 0..<2 {
      let probes = (0..<20).map { _ in TransferProbe() }
      for probe in probes { _ = engine.launch(.get(url) { $0.options.idleTimeout = 5 }, probe) }
      for probe in probes { #expect(await probe.outcome().failure == nil) }
    }
    #expect(server.acceptCount <= 2)
    try server.stop()
  }

  @Test func `F36: once one head has told that streams are shared, a seventh request need not wait for an end`()
    async throws
  {
    // Six answers that have begun and do not end; the seventh is whole.
    let server = try TestHTTP2Server(identity: try TestAuthority.make().issue(names: ["localhost"])) { stream in
      stream.number < 6 ? .steps([.send(HTTP2Frame.head([0x88], stream: stream.identifier))]) : .ok("seventh")
    }
    let engine = Engine.forTests(connectionsPerHost: 6)
    let url = server.url(host: "localhost")
    let probes = (0..<6).map { _ in TransferProbe() }
    let handles = probes.map { engine.launch(.get(url), $0) }
    try await eventually("six heads") { probes.allSatisfy { $0.head != nil } }
    #expect(await engine.run(.get(url) { $0.options.idleTimeout = 5 }).body == Data("seventh".utf8))
    #expect(probes.allSatisfy { $0.completions == 0 } && server.acceptCount == 1)
    for handle in handles { handle.cancel() }
    for probe in probes { _ = await probe.outcome() }
    try server.stop()
  }
}
