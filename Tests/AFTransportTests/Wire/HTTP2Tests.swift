import AFSupport
import AFTestSupport
import AFTransport
import Foundation
import Testing

@Suite struct HTTP2Tests {
  private func server(_ answer: @escaping @Sendable (TestHTTP2Server.Stream) -> TestHTTP2Server.Answer) throws
    -> TestHTTP2Server
  {
    try TestHTTP2Server(identity: try TestAuthority.make().issue(names: ["localhost"]), answer: answer)
  }

  private func request(_ method: String, _ server: TestHTTP2Server) -> TransferRequest {
    var request = TransferRequest(url: server.url(host: "localhost").absoluteString, method: method)
    request.options.isIdempotent = method == "GET"
    if method == "POST" { request.body = .data(Data("hello".utf8)) }
    return request
  }

  @Test(arguments: ["GET", "POST"]) func `HTTP/2 is spoken where the server does`(method: String) async throws {
    let server = try server { _ in .ok("fine") }
    let outcome = await Engine.forTests().run(request(method, server))
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("fine".utf8))
    #expect(server.streams.map(\.bodyCount) == [method == "POST" ? 5 : 0])
    try server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `B32: a stream that the server refused unprocessed is tried once more`(method: String) async throws {
    let server = try server { $0.number == 0 ? .reset(code: 7) : .ok("fine") }
    let outcome = await Engine.forTests().run(request(method, server))
    #expect(outcome.failure == nil)
    #expect(outcome.body == Data("fine".utf8))
    #expect(server.streams.count == 2)
    try server.stop()
  }

  @Test(arguments: ["GET", "POST"])
  func `B32: a server that refuses always is asked at most twice`(method: String) async throws {
    let server = try server { _ in .reset(code: 7) }
    #expect(await Engine.forTests().run(request(method, server)).failure != nil)
    #expect(server.streams.count <= 2)
    try server.stop()
  }

  @Test func `B32: another error code is not retried`() async throws {
    let server = try server { _ in .resetAfterBody(code: 2) }
    let failure = try #require(await Engine.forTests().run(request("POST", server)).failure)
    #expect(CurlErrorMapping.urlErrorCode(for: failure.curlCode) == .networkConnectionLost)
    #expect(server.streams.count == 1)
    try server.stop()
  }

  @Test func `once an origin speaks HTTP/2, many requests share its connection`() async throws {
    let server = try server { _ in .ok("fine") }
    let engine = Engine.forTests()
    #expect(await engine.run(request("GET", server)).failure == nil)
    let get = request("GET", server)
    await withTaskGroup(of: String?.self) { group in
      for _ in 0..<200 { group.addTask { await engine.run(get).failure.map { "\($0)" } } }
      for await failure in group { #expect(failure == nil) }
    }
    #expect(server.acceptCount == 1)
    try server.stop()
  }
}
