import AFTestSupport
import Foundation
import Testing

@Suite struct TestServerTLSTests {
  @Test func `speaks TLS and says what was agreed`() async throws {
    let identity = try TestAuthority.make().issue(names: ["localhost"])
    var tls = TestTLS(identity)
    tls.protocols = ["http/1.1"]
    let server = try TestServer(.init(tls: tls)) { _ in .pattern(3_000_000) }
    let client = try TestConnection.connect(port: server.port)
    try client.startTLS(serverName: "localhost", protocols: ["h2", "http/1.1"])
    try client.send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
    _ = try client.read(through: "\r\n\r\n")
    let body = try client.read(exactly: 3_000_000)
    #expect(TestDigest.sha256(body) == TestPattern.sha256(count: 3_000_000))
    let record = try #require(server.connections.first)
    #expect(record.tls?.version == "TLSv1.3")
    #expect(record.tls?.serverName == "localhost")
    #expect(record.tls?.agreedProtocol == "http/1.1")
    #expect(record.wireBytesSent > record.bytesSent)
    #expect(server.url("/x").scheme == "https")
    try server.stop()
  }

  @Test func `a refused handshake is on the record and no failure`() async throws {
    let authority = try TestAuthority.make()
    var tls = TestTLS(try authority.issue(names: ["localhost"]))
    tls.maximumVersion = .tls12
    tls.clientCertificate = .required(authorities: [authority.certificate])
    let server = try TestServer(.init(tls: tls)) { _ in .status(200) }
    let client = try TestConnection.connect(port: server.port)
    #expect(throws: ConnectionEnd.self) { try client.startTLS(serverName: "localhost") }
    try await eventually("a record of the refusal") {
      if case .tls = server.connections.first?.end { true } else { false }
    }
    #expect(server.requestCount == 0)
    try server.stop()
  }
}
