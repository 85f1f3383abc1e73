import AFCore
import AFSecurity
import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

/// The policy's verdict through proxies: on the tunnel's far end, and on a proxy that speaks TLS itself.
@Suite struct SecurityProxyTests {
  private let authority: TestAuthority
  private let identity: TestIdentity
  private let foreign: TestAuthority

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issue(names: ["localhost"])
    foreign = try TestAuthority.make()
  }

  @Test func `B15–B19 through a CONNECT proxy: refused servers receive nothing, changed policies are asked again`()
    async throws
  {
    let proxy = try TestProxy()
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let url = server.url("a", host: "localhost")
      let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [identity.certificate])
      #expect(await fetch(url, proxy.url, policy) == .success)
      policy.pinnedCertificates = [foreign.certificate]
      #expect(await fetch(url, proxy.url, policy) == .refused(.pinMismatch))
      #expect(await fetch(url, proxy.url, try .trusting(foreign)) == .refused(.untrustedChain))
      let elsewhere = try #require(URL(string: url.absoluteString.replacing("localhost", with: "127.0.0.1")))
      #expect(await fetch(elsewhere, proxy.url, try .trusting(authority)) == .refused(.hostMismatch))
      #expect(server.requestCount == 1)
      #expect(server.connections.filter { $0.bytesReceived > 0 }.count == 1)
    }
    #expect(proxy.requests.allSatisfy { $0.method == "CONNECT" })
    try proxy.stop()
  }

  @Test func `B15–B19 through a CONNECT proxy, over HTTP/2`() async throws {
    let proxy = try TestProxy()
    let server = try TestHTTP2Server(identity: identity) { _ in .ok("reached") }
    let url = server.url("a", host: "localhost")
    let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [identity.certificate])
    #expect(await fetch(url, proxy.url, policy) == .success)
    policy.pinnedCertificates = [foreign.certificate]
    #expect(await fetch(url, proxy.url, policy) == .refused(.pinMismatch))
    #expect(server.streams.count == 1)
    #expect(server.raw.connections.filter { $0.bytesReceived > 0 }.count == 1)
    try server.stop()
    try proxy.stop()
  }

  @Test func `a proxy that speaks TLS is judged like a server: a refused one learns not even the host`() async throws {
    let proxy = try TestProxy(TestProxy.Options(tls: TestTLS(try foreign.issue(names: ["localhost"]))))
    let proxyURL = proxy.server.url("", host: "localhost")
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let url = server.url("a", host: "localhost")
      #expect(await fetch(url, proxyURL, try .trusting(authority)) == .refused(.untrustedChain))
      #expect(proxy.requests.isEmpty && proxy.server.requestBytes == 0)
      let both = AFSecurityPolicy.anyOf([try .trusting(authority), try .trusting(foreign)])
      #expect(await fetch(url, proxyURL, both) == .success)
      #expect(server.requestCount == 1)
    }
    try proxy.stop()
  }

  @Test func `B19 a changed policy refuses the https proxy of plain http before a byte, on kept connections too`()
    async throws
  {
    let proxy = try TestProxy(TestProxy.Options(tls: TestTLS(identity)))
    let proxyURL = proxy.server.url("", host: "localhost")
    try await withTestServer(handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url(), policy)
      manager.transportOptions.proxy = .init(url: proxyURL.absoluteString)
      for _ in 0..<2 { #expect(await get(manager).status == 200) }
      let bytes = proxy.server.requestBytes
      policy.anchorCertificates = [try AFCertificate(derRepresentation: foreign.certificate)]
      for _ in 0..<2 { #expect(await get(manager).refusal == .untrustedChain) }
      #expect(proxy.server.requestBytes == bytes && server.requestCount == 2)
    }
    try proxy.stop()
  }

  @Test func `a host that is reached without the TLS proxy is judged by its own name`() async throws {
    let proxy = try TestProxy(TestProxy.Options(tls: TestTLS(try authority.issue(names: ["proxy.example"]))))
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url(host: "localhost"), try AFSecurityPolicy.trusting(authority))
      manager.transportOptions.proxy = .init(url: "https://proxy.example:\(proxy.port)", exceptions: ["localhost"])
      #expect(await get(manager).status == 200)
      #expect(proxy.server.acceptCount == 0)
    }
    try proxy.stop()
  }

  @Test func `a TLS proxy that the environment names is judged by the policy, for plain http too`() async {
    await #expect(processExitsWith: .success) {
      let foreign = try TestAuthority.make()
      let proxy = try TestProxy(TestProxy.Options(tls: TestTLS(try foreign.issue(names: ["localhost"]))))
      let server = try TestServer { _ in .text("reached") }
      setenv("http_proxy", "https://localhost:\(proxy.port)", 1)
      func fetch(_ policy: AFSecurityPolicy) async -> GetOutcome {
        let manager = makeManager(for: server.url(), policy)
        manager.transportOptions.usesEnvironmentProxies = true
        return await get(manager)
      }
      guard await fetch(try .trusting(try TestAuthority.make())).refusal == .untrustedChain else { exit(2) }
      guard proxy.server.requestBytes == 0, server.requestCount == 0 else { exit(3) }
      guard await fetch(try .trusting(foreign)).status == 200, proxy.requests.count == 1 else { exit(4) }
      try server.stop()
      try proxy.stop()
    }
  }

  private enum Outcome: Equatable {
    case success
    case refused(AFSecurityError.Code)
    case failed(String)
  }

  /// One GET through a proxy, on an engine of its own under the policy as it is now.
  private func fetch(_ url: URL, _ proxy: URL, _ policy: AFSecurityPolicy) async -> Outcome {
    let snapshot = policy.snapshot()
    var configuration = EngineConfiguration()
    configuration.evaluateTrust = { peer in
      do {
        try snapshot.evaluate(chain: peer.chain, host: peer.host, stapledOCSPResponse: peer.stapledOCSPResponse)
        return .accept
      } catch {
        return .refuse(error)
      }
    }
    var request = TransferRequest(url: url.absoluteString)
    request.options.proxy = .proxy(url: proxy.absoluteString, user: nil, password: nil)
    let engine = Engine(configuration: configuration)
    let outcome = await withCheckedContinuation { continuation in
      engine.start(request, handler: OneTransfer(continuation))
    }
    engine.shutDown(cancelling: true)
    guard let failure = outcome.failure else { return .success }
    guard let error = failure.underlying as? AFSecurityError else { return .failed(failure.message) }
    return .refused(error.code)
  }
}

/// Waits for the end of one transfer.
private final class OneTransfer: TransferHandler {
  private let continuation: CheckedContinuation<TransferOutcome, Never>

  init(_ continuation: CheckedContinuation<TransferOutcome, Never>) { self.continuation = continuation }

  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute { .memory }
  func transfer(_ transfer: TransferHandle, didSend total: Int64, expected: Int64?) {}
  func transfer(_ transfer: TransferHandle, didReceive total: Int64, expected: Int64?) {}
  func transfer(_ transfer: TransferHandle, didComplete outcome: TransferOutcome) -> TransferSequel? {
    return { [continuation] in continuation.resume(returning: outcome) }
  }
}
