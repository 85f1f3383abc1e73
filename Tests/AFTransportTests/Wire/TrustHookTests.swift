import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct TrustHookTests {
  private struct No: Error {}

  /// A server whose connections end after each answer.
  private func server(_ version: TestTLS.Version = .tls13) throws -> TestServer {
    var tls = TestTLS(try TestAuthority.make().issueAuthority().issue(names: ["localhost"]))
    tls.maximumVersion = version
    return try TestServer(.init(tls: tls)) { _ in
      var answer = TestResponse.text("x")
      answer.closes = true
      return answer
    }
  }

  private func kind(_ outcome: TransferOutcome) -> String { outcome.failure.map { "\($0.kind)" } ?? "success" }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `a refused server gets no byte of a request`(version: TestTLS.Version) async throws {
    let server = try server(version)
    let engine = Engine.forTests(trust: { _ in .refuse(No()) })
    let outcome = await engine.run(.get(server.url(host: "localhost")))
    #expect(kind(outcome) == "trustRefused")
    #expect(outcome.failure?.underlying is No)
    #expect(outcome.failure?.peer?.chain.isEmpty == false)
    try await eventually("the connection has ended") { server.connections.allSatisfy { !$0.isOpen } }
    #expect(server.connections.allSatisfy { $0.bytesReceived == 0 })
    try? server.stop()
  }

  @Test func `an undecided answer ends the hop with the chain, and a second try may go through`() async throws {
    let server = try server()
    let known = Locked(false)
    let engine = Engine.forTests(trust: { _ in known.withLock { $0 } ? .accept : .ask })
    let first = await engine.run(.get(server.url(host: "localhost")))
    #expect(kind(first) == "trustUndecided")
    #expect(first.failure?.peer?.host == "localhost")
    known.withLock { $0 = true }
    #expect(await engine.run(.get(server.url(host: "localhost"))).failure == nil)
    try? server.stop()
  }

  @Test func `without an evaluator every TLS peer is refused`() async throws {
    let server = try server()
    let outcome = await Engine(configuration: EngineConfiguration()).run(.get(server.url(host: "localhost")))
    #expect(kind(outcome) == "trustRefused")
    #expect(server.requestCount == 0)
    try? server.stop()
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `pitfalls 21 and 45: a resumed session is judged again, by the chain that came with it, before a byte is sent`(
    version: TestTLS.Version
  ) async throws {
    let server = try server(version)
    let chains = Recorder<[Data]>()
    let refuses = Locked(false)
    let engine = Engine.forTests(trust: {
      chains.record($0.chain)
      return refuses.withLock { $0 } ? .refuse(No()) : .accept
    })
    // A session is made of the one before: the chain goes along.
    for _ in 0..<4 { #expect(await engine.run(.get(server.url(host: "localhost"))).failure == nil) }
    #expect(server.connections.compactMap { $0.tls?.isResumed } == [false, true, true, true])
    #expect(chains.count == 4)
    #expect(Set(chains.values).count == 1 && chains.values[0].count == 2)
    refuses.withLock { $0 = true }
    #expect(kind(await engine.run(.get(server.url(host: "localhost")))) == "trustRefused")
    #expect(server.requestCount == 4)
    try await eventually("the connection has ended") { server.connections.last.map { !$0.isOpen } ?? false }
    #expect(server.connections.count == 5)
    #expect(server.connections.last?.tls?.isResumed == true && server.connections.last?.bytesReceived == 0)
    try? server.stop()
  }

  @Test func `pitfall 21: no session outlives the configuration under which it was accepted`() async throws {
    let server = try server()
    let engine = Engine.forTests()
    #expect(await engine.run(.get(server.url(host: "localhost"))).failure == nil)
    var configuration = EngineConfiguration()
    configuration.evaluateTrust = { _ in .accept }
    engine.retire(newConfiguration: configuration)
    #expect(await engine.run(.get(server.url(host: "localhost"))).failure == nil)
    #expect(server.connections.compactMap { $0.tls?.isResumed } == [false, false])
    try? server.stop()
  }

  @Test func `settings of the policy reach the handshake, and their failure ends it before a byte is sent`()
    async throws
  {
    let server = try server()
    var configuration = EngineConfiguration()
    configuration.evaluateTrust = { _ in .accept }
    configuration.configureTLS = { _, host, port in
      host == "localhost" && port > 0 ? No() : nil
    }
    let outcome = await Engine(configuration: configuration).run(.get(server.url(host: "localhost")))
    #expect(kind(outcome) == "trustRefused")
    #expect(outcome.failure?.underlying is No)
    #expect(server.connections.allSatisfy { $0.bytesReceived == 0 })
    try? server.stop()
  }

  @Test func `a name in the URL is the name that is judged, and the one sent as SNI`() async throws {
    let server = try server()
    let hosts = Recorder<String>()
    let engine = Engine.forTests(trust: {
      hosts.record($0.host)
      return .accept
    })
    let request = TransferRequest.get(server.url(host: "Example.Test")) {
      $0.options.network.resolve = ["example.test:\(server.port):127.0.0.1"]
    }
    #expect(await engine.run(request).failure == nil)
    #expect(hosts.values == ["example.test"])
    #expect(server.connections.first?.tls?.serverName?.lowercased() == "example.test")
    try? server.stop()
  }
}
