import AFTestSupport
import Foundation
import Testing

@Suite struct TestProxyTests {
  @Test func `tunnels, and asks for credentials first`() async throws {
    var options = TestProxy.Options()
    options.credentials = ("me", "secret")
    let proxy = try TestProxy(options)
    try await withTestServer(handler: { _ in .text("through") }) { server in
      let client = try TestConnection.connect(port: proxy.port)
      let target = "CONNECT example.test:\(server.port) HTTP/1.1\r\nHost: example.test\r\n"
      try client.send(target + "\r\n")
      #expect(try client.read(through: "\r\n\r\n")?.starts(with: "HTTP/1.1 407".utf8) == true)
      try client.send(target + "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n")
      #expect(try client.read(through: "\r\n\r\n")?.starts(with: "HTTP/1.1 200".utf8) == true)
      try client.send("GET / HTTP/1.1\r\n\r\n")
      _ = try client.read(through: "through")
      #expect(server.requestCount == 1)
    }
    #expect(proxy.requests.map(\.method) == ["CONNECT", "CONNECT"])
    try proxy.stop()
  }

  @Test func `forwards whole URLs in origin form`() async throws {
    let proxy = try TestProxy()
    try await withTestServer(handler: { try .echo($0) }) { server in
      let client = try TestConnection.connect(port: proxy.port)
      try client.send(
        "POST http://example.test:\(server.port)/p?q=1 HTTP/1.1\r\nHost: example.test\r\nContent-Length: 2\r\n\r\nhi")
      _ = try client.read(through: "\r\n\r\n")
      _ = try client.read(through: "}")
      #expect(server.requests.first?.target == "/p?q=1")
      #expect(server.requests.first?.bodyText == "hi")
    }
    try proxy.stop()
  }

  @Test func `SOCKS5 with a name and a password`() async throws {
    var options = TestSOCKSProxy.Options()
    options.credentials = ("u", "p")
    let proxy = try TestSOCKSProxy(options)
    try await withTestServer(handler: { _ in .text("through") }) { server in
      let client = try TestConnection.connect(port: proxy.port)
      try client.send([5, 1, 2])
      #expect(try client.read(exactly: 2) == [5, 2])
      try client.send([1, 1, 0x75, 1, 0x70])
      #expect(try client.read(exactly: 2) == [1, 0])
      let name = Array("example.test".utf8)
      try client.send(
        [5, 1, 0, 3, UInt8(name.count)] + name + [UInt8(server.port >> 8), UInt8(truncatingIfNeeded: server.port)])
      #expect(try client.read(exactly: 10)[1] == 0)
      try client.send("GET / HTTP/1.1\r\n\r\n")
      _ = try client.read(through: "through")
      let expected = TestSOCKSProxy.Request(
        host: "example.test", port: server.port, isName: true, user: "u", password: "p")
      #expect(proxy.requests == [expected])
    }
    try proxy.stop()
  }
}
