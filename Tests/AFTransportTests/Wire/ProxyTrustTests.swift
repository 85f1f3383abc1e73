import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// Proxies that speak TLS themselves.
@Suite struct ProxyTrustTests {
  private struct No: Error {}

  private struct Judged: Equatable {
    var isProxy: Bool
    var port: Int
  }

  private let authority: TestAuthority

  init() throws {
    authority = try TestAuthority.make()
  }

  /// A proxy whose connections end after each answer.
  private func proxy(_ version: TestTLS.Version, _ change: (inout TestProxy.Options) -> Void = { _ in }) throws
    -> TestProxy
  {
    var tls = TestTLS(try authority.issue(names: ["localhost"]))
    tls.maximumVersion = version
    var options = TestProxy.Options(tls: tls)
    options.server.requestsPerConnection = 1
    change(&options)
    return try TestProxy(options)
  }

  private func request(_ server: TestServer, through proxy: TestProxy, user: String? = nil) -> TransferRequest {
    .get(server.url(host: "localhost")) {
      $0.options.proxy = .proxy(
        url: proxy.server.url(host: "localhost").absoluteString, user: user, password: user)
    }
  }

  private func bytes(_ proxy: TestProxy) -> Int64 { proxy.server.connections.reduce(0) { $0 + $1.bytesReceived } }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `pitfall 21: a proxy that carries plain http is judged at every handshake, and told nothing once it is refused`(
    version: TestTLS.Version
  ) async throws {
    let proxy = try proxy(version)
    let server = try TestServer { _ in .text("x") }
    let judged = Recorder<Judged>()
    let refuses = Locked(false)
    let engine = Engine.forTests(trust: {
      judged.record(Judged(isProxy: $0.isProxy, port: $0.port))
      return refuses.withLock { $0 } ? .refuse(No()) : .accept
    })
    for _ in 0..<3 { #expect(await engine.run(request(server, through: proxy)).failure == nil) }
    #expect(judged.values == Array(repeating: Judged(isProxy: true, port: Int(proxy.port)), count: 3))
    #expect(proxy.server.connections.compactMap { $0.tls?.isResumed } == [false, false, false])
    let before = bytes(proxy)
    refuses.withLock { $0 = true }
    let refused = await engine.run(request(server, through: proxy))
    #expect(refused.failure?.underlying is No)
    #expect(server.requestCount == 3 && bytes(proxy) == before)
    try server.stop()
    try proxy.stop()
  }

  @Test func `a kept connection to a proxy was judged, once, for all that it carries`() async throws {
    let proxy = try proxy(.tls13) { $0.server.requestsPerConnection = .max }
    let server = try TestServer { _ in .text("x") }
    let judged = Recorder<Judged>()
    let engine = Engine.forTests(trust: {
      judged.record(Judged(isProxy: $0.isProxy, port: $0.port))
      return .accept
    })
    for _ in 0..<3 { #expect(await engine.run(request(server, through: proxy)).failure == nil) }
    #expect(judged.count == proxy.server.acceptCount)
    try server.stop()
    try proxy.stop()
  }

  @Test(arguments: [TestTLS.Version.tls12, .tls13])
  func `a tunnel through such a proxy: both are judged, each as who it is`(version: TestTLS.Version) async throws {
    let proxy = try proxy(version)
    var options = TestServer.Options(tls: TestTLS(try authority.issue(names: ["localhost"])))
    options.requestsPerConnection = 1
    let server = try TestServer(options) { _ in .text("x") }
    let judged = Recorder<Judged>()
    let engine = Engine.forTests(trust: {
      judged.record(Judged(isProxy: $0.isProxy, port: $0.port))
      return .accept
    })
    for _ in 0..<2 { #expect(await engine.run(request(server, through: proxy)).failure == nil) }
    let once = [Judged(isProxy: true, port: Int(proxy.port)), Judged(isProxy: false, port: Int(server.port))]
    #expect(judged.values == once + once)
    #expect(proxy.server.connections.allSatisfy { $0.tls?.isResumed == false })
    try server.stop()
    try proxy.stop()
  }

  @Test func `a proxy that asks for credentials and hangs up is still the proxy when it is called again`() async throws
  {
    let proxy = try proxy(.tls13) { options in
      options.answerToConnect = { head in
        guard head.value("Proxy-Authorization") == nil else { return nil }
        var answer = TestResponse(407).with("Proxy-Authenticate", "Basic realm=\"proxy\"")
        answer.closes = true
        return answer
      }
    }
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .text("x") }
    let judged = Recorder<Judged>()
    let engine = Engine.forTests(trust: {
      judged.record(Judged(isProxy: $0.isProxy, port: $0.port))
      return .accept
    })
    let outcome = await engine.run(request(server, through: proxy, user: "u"))
    #expect(outcome.failure == nil, "\(String(describing: outcome.failure))")
    let (theProxy, theServer) = (
      Judged(isProxy: true, port: Int(proxy.port)), Judged(isProxy: false, port: Int(server.port))
    )
    #expect(judged.values == [theProxy, theProxy, theServer])
    try server.stop()
    try proxy.stop()
  }

  @Test func `47: a proxy that asks always, and hangs up each time, is an error with its question`() async throws {
    let proxy = try proxy(.tls13) { options in
      options.answerToConnect = { _ in
        var answer = TestResponse(407).with("Proxy-Authenticate", "Basic realm=\"proxy\"")
        answer.closes = true
        return answer
      }
    }
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .text("x") }
    for user in ["u", nil] {
      let failure = await Engine.forTests().run(request(server, through: proxy, user: user)).failure
      #expect(failure?.kind == .proxyAuthentication, "\(String(describing: failure))")
      #expect(failure?.proxyHead?.statusCode == 407)
    }
    #expect(proxy.server.acceptCount <= 4)
    #expect(server.acceptCount == 0)
    try server.stop()
    try proxy.stop()
  }
}
