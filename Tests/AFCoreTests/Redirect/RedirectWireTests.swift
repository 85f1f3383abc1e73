import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Programs that a user could write, over servers that redirect.
@Suite struct RedirectWireTests {
  private func manager(_ configuration: URLSessionConfiguration = quietConfiguration()) -> AFHTTPSessionManager {
    let manager = AFHTTPSessionManager(sessionConfiguration: configuration)
    manager.completionQueue = DispatchQueue(label: "test.completions")
    manager.responseSerializer = AFHTTPResponseSerializer()
    return manager
  }

  @Test func `F12 F92 The target goes out byte for byte`() async throws {
    let rows: [(location: [UInt8], target: String)] = [
      (Array("/a%20b c".utf8), "/a%20b%20c"), (Array("/x?sig=a%2Bb%2F&t=a|b".utf8), "/x?sig=a%2Bb%2F&t=a%7Cb"),
      (Array("/caf".utf8) + [0xE9], "/caf%E9"), (Array("/caf".utf8) + [0xC3, 0xA9], "/caf%C3%A9"),
      (Array(#"\x\..\y"#.utf8), "/y"), (Array("?a=b%".utf8), "/start?a=b%25"),
    ]
    for row in rows {
      let server = try RawServer { connection in
        guard let first = try connection.read(through: "\r\n\r\n") else { return }
        if String(decoding: first, as: UTF8.self).hasPrefix("GET /start HTTP") {
          let head = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\nLocation: "
          try connection.send(Array(head.utf8) + row.location + Array("\r\n\r\n".utf8))
        } else {
          let target = String(decoding: first, as: UTF8.self).split(separator: " ")[1]
          try connection.send(
            "HTTP/1.1 200 OK\r\nContent-Length: \(target.utf8.count)\r\nConnection: close\r\n\r\n\(target)")
        }
        try connection.close()
      }
      let response = try await manager().data(for: URLRequest(url: server.url("start")))
      #expect(String(decoding: response.data, as: UTF8.self) == row.target)
      #expect(response.response?.url?.absoluteString == server.url().absoluteString.dropLast() + row.target)
      try server.stop()
    }
  }

  @Test func `F13 B87 A caller's Host holds for the authority that it was given for`() async throws {
    let other = try TestServer { request in
      request.path == "/back" ? .redirect(307, to: request.query ?? "") : .text("other")
    }
    try await withTestServer(handler: { request in
      _ = try request.body()
      switch request.path {
      case "/relative": return .redirect(307, to: "/2")
      case "/other": return .redirect(307, to: other.url("x").absoluteString)
      case "/name": return .redirect(307, to: request.query ?? "")
      case "/round": return .redirect(307, to: other.url("back?\(request.query ?? "")").absoluteString)
      // Whoever comes with another name is sent to the right one.
      case "/loop" where request.value("Host")?.hasPrefix("localhost") != true:
        return .redirect(307, to: request.query ?? "")
      default: return .text("end")
      }
    }) { server in
      for isSessionWide in [false, true] {
        let configuration = quietConfiguration()
        if isSessionWide { configuration.httpAdditionalHeaders = ["Host": "virtual.example"] }
        let manager = manager(configuration)
        func host(_ path: String, of last: TestServer) async throws -> String? {
          var request = URLRequest(url: server.url(path))
          request.httpMethod = "POST"
          request.httpBody = Data("body".utf8)
          if !isSessionWide { request.setValue("virtual.example", forHTTPHeaderField: "Host") }
          _ = try await manager.data(for: request)
          #expect(last.requests.last?.bodyText == "body")
          return last.requests.last?.value("Host")
        }
        let local = "localhost:\(server.port)"
        let name = server.url("x", host: "localhost").absoluteString
        let end = server.url("end").absoluteString
        let loop = server.url("loop", host: "localhost").absoluteString
        let hosts = [
          try await host("relative", of: server), try await host("other", of: other),
          try await host("name?\(name)", of: server), try await host("round?\(end)", of: server),
          try await host("loop?\(loop)", of: server),
        ]
        #expect(
          hosts == ["virtual.example", "127.0.0.1:\(other.port)", local, "127.0.0.1:\(server.port)", local])
      }
    }
    try other.stop()
  }

  @Test func `F14 The endless body of a redirect is left`() async throws {
    for isSlow in [false, true] {
      let server = try RawServer { connection in
        guard let head = try connection.read(through: "\r\n\r\n") else { return }
        let request = String(decoding: head, as: UTF8.self)
        guard request.hasPrefix("GET /start") || request.contains("Authorization") == false else {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nend")
          try connection.close()
        }
        let isChallenge = !request.hasPrefix("GET /start")
        try connection.send(
          isChallenge
            ? "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\"\r\n\r\n"
            : "HTTP/1.1 302 Found\r\nLocation: /next\r\n\r\n")
        let block = String(repeating: "x", count: isSlow ? 1 : 16_384)
        for _ in 0..<1_000_000 {
          try connection.send(block)
          if isSlow { try connection.wait(0.1) }
        }
      }
      let manager = manager()
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        URLCredential(user: "u", password: "p", persistence: .none)
      }
      let response = try await manager.data(for: URLRequest(url: server.url("start")))
      #expect(String(decoding: response.data, as: UTF8.self) == "end")
      #expect(server.acceptCount == 3)
      try? server.stop()
    }
  }

  @Test func `F16 Dot segments of a request stay, those of a redirect go`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/start/x" ? .redirect(to: "a/../b/./c") : .text(request.target)
    }) { server in
      let asGiven = try await manager().data(for: URLRequest(url: server.url("a/../b/./c/%2e%2e/d")))
      #expect(String(decoding: asGiven.data, as: UTF8.self) == "/a/../b/./c/%2e%2e/d")
      let redirected = try await manager().data(for: URLRequest(url: server.url("start/x")))
      #expect(String(decoding: redirected.data, as: UTF8.self) == "/start/b/c")
    }
  }

  @Test func `F99 A redirect from a pinned https to http is refused, unless it is allowed`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["127.0.0.1"])
    let plain = try TestServer { _ in .text("in clear") }
    let secure = try TestServer(.init(tls: TestTLS(identity))) { _ in .redirect(to: plain.url("x").absoluteString) }
    for (isPinned, isAllowed, hasBlock) in [
      (true, false, false), (true, false, true), (true, true, false), (false, false, false),
    ] {
      let manager = AFHTTPSessionManager(baseURL: secure.url(), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.securityPolicy = try .trusting(authority.certificate, pinning: isPinned ? .certificate : .none)
      if isAllowed { manager.transportOptions.followsRedirectsFromPinnedToHTTP = true }
      if hasBlock { manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, request in request } }
      if isPinned, !isAllowed {
        let error = try await failure { _ = try await manager.get("x") }
        #expect(error.urlError?.code == .appTransportSecurityRequiresSecureConnection)
        #expect(plain.requests.isEmpty)
      } else {
        let response = try await manager.get("x")
        #expect(String(decoding: response.data, as: UTF8.self) == "in clear")
      }
      if isAllowed || !isPinned { #expect(!plain.requests.isEmpty) }
    }
    try secure.stop()
    try plain.stop()
  }

  @Test func `F93 A task that sends nothing has metrics without transactions, once`() async throws {
    try await withTestServer(handler: { _ in .text("x") }) { server in
      let manager = manager()
      let seen = Recorder<(count: Int, redirects: Int)>()
      let done = Recorder<Completion>()
      let cancelled = manager.dataTask(
        with: URLRequest(url: server.url("x")), uploadProgress: nil, downloadProgress: nil,
        completionHandler: done.handler)
      // The block counts although the task was made before it.
      manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
        seen.record((metrics?.transactionMetrics.count ?? -1, metrics?.redirectCount ?? -1))
      }
      cancelled.cancel()
      try await done.wait(for: 1)
      #expect(done.last?.code == .cancelled)
      #expect(seen.values.map(\.count) == [0])
      for url in ["ftp://x/", "http://a b/", "x"] {
        guard let url = URL(string: url) else { continue }
        let before = done.count
        manager.dataTask(
          with: URLRequest(url: url), uploadProgress: nil, downloadProgress: nil, completionHandler: done.handler
        ).resume()
        try await done.wait(for: before + 1)
        #expect(done.last?.error != nil)
        #expect(seen.count == done.count)
      }
      #expect(seen.values.allSatisfy { $0.count == 0 && $0.redirects == 0 })
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    arguments: [
      ("folder/file.zip", nil, "file.zip"), ("folder/a%20b.txt?x=1", nil, "a b.txt"), ("", nil, "127.0.0.1"),
      ("folder/", nil, "folder"), ("x/..%2F..%2Fetc%2Fpasswd", nil, "passwd"), ("x/%2Ebashrc", nil, "bashrc"),
      ("page", #"attachment; filename="../../.ssh/authorized_keys""#, "authorized_keys"),
      ("page", #"attachment; filename=".profile""#, "profile"), ("page", #"attachment; filename="...""#, "page"),
      ("page", "attachment; filename*=UTF-8''%E2%80%AEgpj.exe", "gpj.exe"),
      ("page", "attachment; filename=\"a\\\\b\"", "b"), ("page", "attachment; filename*=UTF-8''%1b%5b2Jx", "[2Jx"),
      (
        "page", "attachment; filename=\"" + String(repeating: "x", count: 300) + ".zip\"",
        String(repeating: "x", count: 251) + ".zip"
      ),
    ] as [(String, String?, String)])
  func `F54 A response suggests the name of the URL's path, made safe`(
    path: String, disposition: String?, expected: String
  ) async throws {
    try await withTestServer(handler: { _ in
      let response = TestResponse.text("x")
      return disposition.map { response.with("Content-Disposition", $0) } ?? response
    }) { server in
      let response = try await manager().data(for: URLRequest(url: server.url(path)))
      #expect(response.response?.suggestedFilename == expected)
      let copy = response.response?.copy() as? HTTPURLResponse
      #expect(copy?.suggestedFilename == expected)
    }
  }
}
