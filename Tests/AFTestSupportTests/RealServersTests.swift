import AFTestSupport
import Foundation
import Testing

/// That the real servers are there and are set up as other tests expect.
@Suite struct RealServersTests {
  private func get(_ url: URL, _ path: String, headers: String = "") throws -> String {
    let port = try #require(url.port)
    let client = try TestConnection.connect(port: UInt16(port))
    if url.scheme == "https" { try client.startTLS(serverName: "localhost") }
    try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(headers)\r\n")
    var answer: [UInt8] = []
    while case let bytes = try client.read(), !bytes.isEmpty { answer += bytes }
    return String(decoding: answer, as: UTF8.self)
  }

  @Test func `nginx answers with and without TLS`() throws {
    #expect(try get(RealServers.nginx, "/json").contains(#""server": "nginx""#))
    #expect(try get(RealServers.nginxTLS, "/json").contains(#""server": "nginx""#))
    #expect(try get(RealServers.nginx, "/files/1k.bin", headers: "Range: bytes=0-9\r\n").contains(" 206 "))
    #expect(try get(RealServers.nginx, "/auth/1k.bin").contains(" 401 "))
    #expect(try get(RealServers.nginxClientCertificate, "/").contains(" 400 "))
    #expect(try get(RealServers.nginxGoAway, "/").contains("request 1"))
  }

  @Test func `httpbin answers by itself and behind nginx`() throws {
    #expect(try get(RealServers.httpbin, "/get?a=b").contains(#""a": "b""#))
    #expect(try get(RealServers.nginxTLS, "/httpbin/get?a=b").contains(#""a": "b""#))
  }
}
