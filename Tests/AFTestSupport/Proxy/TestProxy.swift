package import Foundation

/// An HTTP proxy: tunnels for CONNECT, and forwards requests whose target is a whole URL. Records what it is asked.
package final class TestProxy: Sendable {
  package let server: TestServer

  package struct Options: Sendable {
    package var server: TestServer.Options
    /// Asked for with 407 (Basic) unless nil.
    package var credentials: (user: String, password: String)?
    /// Answers a request that is not authorized: the 407, or nil to let it through. On the connection's thread.
    package var challenge: (@Sendable (RequestHead) -> TestResponse?)?
    package var upstream: Upstream = loopbackUpstream
    /// Answers a CONNECT in the place of the proxy where it returns something.
    package var answerToConnect: (@Sendable (RequestHead) -> TestResponse?)?

    package init(tls: TestTLS? = nil) {
      server = TestServer.Options(tls: tls)
    }
  }

  package init(_ options: Options = Options(), file: String = #fileID, line: Int = #line) throws {
    server = try TestServer(options.server, file: file, line: line) { request in
      try Self.answer(request, options)
    }
  }

  package var port: UInt16 { server.port }
  package var url: URL { server.url() }
  /// What it was asked, challenges included.
  package var requests: [RecordedRequest] { server.requests }
  package func stop() throws { try server.stop() }

  private static func answer(_ request: TestRequest, _ options: Options) throws -> TestResponse {
    if let (user, password) = options.credentials {
      let expected = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
      guard request.value("Proxy-Authorization") == expected else {
        return TestResponse(407).with("Proxy-Authenticate", "Basic realm=\"proxy\"")
      }
    }
    if let answer = options.challenge?(request.head) { return answer }
    guard request.method == "CONNECT" else { return try forward(request, options) }
    if let answer = options.answerToConnect?(request.head) { return answer }
    guard let components = URLComponents(string: "//\(request.target)"), let host = components.host,
      let port = components.port
    else { return TestResponse(400) }
    guard let target = connect(host, port, options) else { return TestResponse(502) }
    try request.connection.send("HTTP/1.1 200 Connection established\r\n\r\n")
    try request.connection.relay(to: target)
    throw ConnectionEnd.finished
  }

  /// One request, one upstream connection, the answer verbatim.
  private static func forward(_ request: TestRequest, _ options: Options) throws -> TestResponse {
    guard let components = URLComponents(string: request.target), components.scheme == "http",
      let host = components.host
    else { return TestResponse(400) }
    guard let target = connect(host, components.port ?? 80, options) else { return TestResponse(502) }
    defer { target.end(.finished) }
    var path = components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
    if let query = components.percentEncodedQuery { path += "?\(query)" }
    let body = try request.body()
    let dropped = ["proxy-authorization", "proxy-connection", "connection", "transfer-encoding", "content-length"]
    let headers = request.head.headers.filter { !dropped.contains($0.name.lowercased()) }
    var head = "\(request.method) \(path) HTTP/1.1\r\n" + headers.map { "\($0.name): \($0.value)\r\n" }.joined()
    if request.head.isChunked || request.head.contentLength != nil { head += "Content-Length: \(body.count)\r\n" }
    try target.send(head + "Connection: close\r\n\r\n")
    try target.send(body)
    var answer: [UInt8] = []
    while case let bytes = try target.read(), !bytes.isEmpty { answer += bytes }
    return .raw(answer)
  }

  private static func connect(_ host: String, _ port: Int, _ options: Options) -> TestConnection? {
    let name = host.trimmingCharacters(in: ["[", "]"])
    guard let port = UInt16(exactly: port), let place = options.upstream(name, port) else { return nil }
    return try? TestConnection.connect(to: place.host, port: place.port)
  }
}
