import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// B92, F25: what a proxy says to CONNECT is its own, and never the server's answer.
@Suite struct ProxyRefusalTests {
  enum Answer: String, CaseIterable, Sendable {
    case forbidden, redirect, badGateway, unavailable, portal, garbage, nothing

    func response(_ other: String) -> TestResponse {
      switch self {
      case .forbidden: .text("<blocked>", status: 403)
      case .redirect: .redirect(302, to: other)
      case .badGateway: TestResponse(502)
      case .unavailable:
        {
          var response = TestResponse(503)
          response.closes = true
          return response
        }()
      case .portal: .text("log", status: 511)
      case .garbage: .raw("what is this\r\n\r\n")
      case .nothing: .raw("")
      }
    }

    var status: Int? {
      switch self {
      case .forbidden: 403
      case .redirect: 302
      case .badGateway: 502
      case .unavailable: 503
      case .portal: 511
      case .garbage, .nothing: nil
      }
    }
  }

  @Test(arguments: Answer.allCases)
  func `B92 F25 A tunnel that is refused is an error that names proxy and status`(answer: Answer) async throws {
    let authority = try TestAuthority.make()
    let q = try TestServer { _ in .text("q") }
    let refuses = Locked(true)
    var options = TestProxy.Options()
    options.answerToConnect = { _ in refuses.withLock { $0 } ? answer.response(q.url().absoluteString) : nil }
    let proxy = try TestProxy(options)
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .text("in") }
    let manager = AFHTTPSessionManager(
      baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = try .trusting(authority.certificate)
    manager.transportOptions.proxy = .init(url: proxy.url.absoluteString)
    let folder = try TemporaryDirectory()
    let calls: [() async throws -> Void] = [
      { _ = try await manager.get("a") },
      { _ = try await manager.post("a", parameters: ["k": "v"]) },
      {
        _ = try await manager.download(
          for: URLRequest(url: server.url("a", host: "localhost")), to: folder.file("file"))
      },
    ]
    for (number, call) in calls.enumerated() {
      let error = try await failure { try await call() }
      #expect(error.urlError?.code == .cannotConnectToHost)
      let refusal = error.urlError?.userInfo[NSUnderlyingErrorKey] as? AFProxyRefusalError
      #expect(refusal?.statusCode == answer.status)
      #expect(refusal?.proxy == proxy.url.absoluteString)
      #expect(error.response == nil)
      if let status = answer.status { #expect(error.localizedDescription.contains("\(status)")) }
      #expect(proxy.requests.filter { $0.method == "CONNECT" }.count == number + 1)
    }
    #expect(q.requests.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.file("file").path))
    refuses.withLock { $0 = false }
    let response = try await manager.get("a")
    #expect(response.data == Data("in".utf8))
    try server.stop()
    try proxy.stop()
    try q.stop()
  }

  @Test func `B92 A length in the answer that makes a tunnel is ignored`() async throws {
    let authority = try TestAuthority.make()
    let server = try TestServer(.init(tls: TestTLS(try authority.issue(names: ["localhost"])))) { _ in .text("in") }
    let proxy = try RawServer { connection in
      _ = try connection.read(through: "\r\n\r\n")
      let target = try TestConnection.connect(to: "127.0.0.1", port: server.port)
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
      try connection.relay(to: target)
    }
    let manager = AFHTTPSessionManager(
      baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = try .trusting(authority.certificate)
    manager.transportOptions.proxy = .init(url: "http://127.0.0.1:\(proxy.port)")
    let response = try await manager.get("a")
    #expect(response.data == Data("in".utf8))
    manager.invalidateSessionCancelingTasks(true, resetSession: false)
    try server.stop()
    try proxy.stop()
  }
}
