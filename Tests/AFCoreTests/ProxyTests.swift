import AFCore
import AFSecurity
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite struct ProxyTests {
  private func manager(_ dictionary: [AnyHashable: Any]) -> AFHTTPSessionManager {
    let configuration = quietConfiguration()
    configuration.connectionProxyDictionary = dictionary
    let manager = AFHTTPSessionManager(sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    return manager
  }

  @Test func `The proxies of the configuration are used, one for each scheme, except for the exceptions`() async throws
  {
    let authority = try TestAuthority.make()
    let secure = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .text("secure") }
    let proxy = try TestProxy()
    try await withTestServer(handler: { _ in .text("plain") }) { server in
      let port = Int(proxy.port)
      let manager = manager([
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port, "HTTPSEnable": true, "HTTPSProxy": "127.0.0.1",
        "HTTPSPort": port,
      ])
      manager.securityPolicy = try .trusting(authority.certificate)
      let plain = try await manager.get(server.url("a").absoluteString)
      #expect(plain.data == Data("plain".utf8))
      let tunnelled = try await manager.get(secure.url("b", host: "localhost").absoluteString)
      #expect(tunnelled.data == Data("secure".utf8))
      #expect(proxy.requests.map(\.method) == ["GET", "CONNECT"])
      let direct = self.manager([
        "HTTPEnable": 1, "HTTPProxy": "127.0.0.1", "HTTPPort": port, "ExceptionsList": ["127.0.0.1"],
      ])
      _ = try await direct.get(server.url("c").absoluteString)
      #expect(proxy.requests.count == 2)
      let disabled = self.manager(["HTTPEnable": 0, "HTTPProxy": "127.0.0.1", "HTTPPort": port])
      _ = try await disabled.get(server.url("d").absoluteString)
      #expect(proxy.requests.count == 2)
    }
    try proxy.stop()
    try secure.stop()
  }

  @Test func `A proxy may want credentials; without them its 407 is the result`() async throws {
    var options = TestProxy.Options()
    options.credentials = ("me", "secret")
    let proxy = try TestProxy(options)
    try await withTestServer(handler: { _ in .text("plain") }) { server in
      let manager = AFHTTPSessionManager(sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.transportOptions.proxy = .init(url: proxy.url.absoluteString, user: "me", password: "secret")
      _ = try await manager.get(server.url("a").absoluteString)
      let other = AFHTTPSessionManager(sessionConfiguration: quietConfiguration())
      other.responseSerializer = AFHTTPResponseSerializer()
      other.transportOptions.proxy = .init(url: proxy.url.absoluteString)
      let refused = try await failure { _ = try await other.get(server.url("b").absoluteString) }
      #expect(refused.statusCode == 407)
      #expect(server.requests.map(\.path) == ["/a"])
    }
    try proxy.stop()
  }

  @Test func `A SOCKS proxy resolves the names`() async throws {
    let proxy = try TestSOCKSProxy()
    try await withTestServer(handler: { _ in .text("plain") }) { server in
      let manager = manager(["SOCKSEnable": 1, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port)])
      _ = try await manager.get(server.url("a", host: "localhost").absoluteString)
      #expect(proxy.requests == [.init(host: "localhost", port: server.port, isName: true)])
    }
    try proxy.stop()
  }

  @Test func `Names can be given addresses`() async throws {
    try await withTestServer(handler: { .text($0.value("Host") ?? "") }) { server in
      let manager = AFHTTPSessionManager(sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.transportOptions.resolvedAddresses = ["a.example:\(server.port)": "127.0.0.1"]
      let response = try await manager.get("http://a.example:\(server.port)/")
      #expect(String(decoding: response.data, as: UTF8.self) == "a.example:\(server.port)")
    }
  }
}
