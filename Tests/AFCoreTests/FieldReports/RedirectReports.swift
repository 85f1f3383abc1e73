import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Field reports about redirects and what follows them.
@Suite struct RedirectReports {
  @Test(arguments: [300, 301, 302, 303, 304, 307, 308], ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
  func `B39 Method and body after each kind of redirect`(status: Int, method: String) async throws {
    try await withTestServer(handler: { request in
      _ = try request.body()
      guard request.path == "/start" else { return .text("end") }
      let body: TestResponse.Body = status == 304 || method == "HEAD" ? .none : .bytes(Array("moved".utf8))
      return TestResponse(status, headers: [("Location", "/end")], body: body)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.responseSerializer.acceptableStatusCodes = nil
      var request = URLRequest(url: server.url("start"))
      request.httpMethod = method
      let hasBody = method == "POST" || method == "PUT" || method == "PATCH"
      if hasBody {
        request.httpBody = Data("body".utf8)
        request.setValue("text/x-mine", forHTTPHeaderField: "Content-Type")
      }
      let response = try await manager.data(for: request)
      guard status != 300, status != 304 else {
        #expect(response.statusCode == status)
        #expect(server.requests.count == 1)
        return
      }
      #expect(server.requests.count == 2)
      let second = try #require(server.requests.last)
      let becomesGet = status == 303 ? method != "HEAD" : status < 303 && method == "POST"
      #expect(second.method == (becomesGet ? "GET" : method))
      let keepsBody = hasBody && !becomesGet
      #expect(second.bodyText == (keepsBody ? "body" : ""))
      #expect(second.value("Content-Type") == (keepsBody ? "text/x-mine" : nil))
      #expect(second.value("Content-Length") == (keepsBody ? "4" : nil))
    }
  }

  @Test func `B39 A loop ends at the limit`() async throws {
    try await withTestServer(handler: { _ in .redirect(to: "/again") }) { server in
      let error = try await failure { _ = try await makeManager(server).get("again") }
      #expect(error.urlError?.code == .httpTooManyRedirects)
      #expect(server.requests.count == 21)
    }
  }

  @Test func `B40 Credentials do not follow to another origin, and do not come back`() async throws {
    let other = try TestServer { request in
      request.path == "/back" ? .redirect(307, to: request.query ?? "") : .text("other")
    }
    try await withTestServer(handler: { request in
      switch request.path {
      case "/same": .redirect(to: "/end")
      case "/other": .redirect(to: other.url("x").absoluteString)
      case "/slashes": .redirect(to: "//localhost:\(other.port)/x")
      case "/round": .redirect(307, to: other.url("back?\(request.query ?? "")").absoluteString)
      default: .text("end")
      }
    }) { server in
      let configuration = quietConfiguration()
      configuration.httpAdditionalHeaders = ["Authorization": "Bearer default"]
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      let headers = ["Cookie": "s=1", "X-Keep": "y"]
      for (path, isSame) in [("same", true), ("other", false), ("slashes", false)] {
        _ = try await manager.get(path, headers: headers)
        let last = try #require((isSame ? server : other).requests.last)
        #expect(last.value("Authorization") == (isSame ? "Bearer default" : nil))
        #expect(last.value("Cookie") == (isSame ? "s=1" : nil))
        #expect(last.value("X-Keep") == "y")
      }
      _ = try await manager.get("round?\(server.url("end").absoluteString)", headers: headers)
      let back = try #require(server.requests.last)
      #expect(back.path == "/end")
      #expect(back.value("Authorization") == nil)
      #expect(back.value("Cookie") == nil)
      #expect(back.value("X-Keep") == "y")
    }
    try other.stop()
  }

  @Test func `B41 Where a Location points`() async throws {
    let other = try TestServer { _ in .text("other") }
    let target = Recorder<String>()
    try await withTestServer(handler: { request in
      guard request.path == "/a/b", request.query == "x=1" else { return .text("end") }
      guard let location = target.last else { return .status(302) }
      return TestResponse(302, headers: [("location", location)])
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.responseSerializer.acceptableStatusCodes = nil
      let cases = [
        ("/next", "/next"), ("c", "/a/c"), ("?y=2", "/a/b?y=2"), ("../up", "/up"),
        (server.url("abs").absoluteString, "/abs"),
      ]
      for (location, expected) in cases {
        target.record(location)
        let response = try await manager.get("a/b?x=1#f")
        #expect(response.statusCode == 200)
        #expect(server.requests.last?.target == expected)
        #expect(response.request?.url?.fragment == "f")
      }
      target.record("//127.0.0.1:\(other.port)/z")
      _ = try await manager.get("a/b?x=1")
      #expect(other.requests.last?.target == "/z")
      for location in ["", "mailto:a@b", "http://"] {
        target.record(location)
        let final = try await manager.get("a/b?x=1")
        #expect(final.statusCode == 302)
      }
    }
    try other.stop()
  }

  @Test(arguments: [
    ("/next", "/next"), ("c", "/points/c"), ("../up", "/up"), ("?y=2", "/points/here?y=2"), ("//localhost:9/z", nil),
  ])
  func `B41 Where a Location points, over HTTP/2`(location: String, expected: String?) async throws {
    let base = try RealServers.nginxTLS
    let manager = AFHTTPSessionManager(baseURL: base, sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.responseSerializer.acceptableStatusCodes = nil
    let policy = AFSecurityPolicy(pinningMode: .none)
    policy.anchorCertificates = try AFCertificate.certificates(
      contentsOf: URL(fileURLWithPath: RealServers.authority))
    manager.securityPolicy = policy
    let protocols = Recorder<[String?]>()
    manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
      protocols.record((metrics?.transactionMetrics ?? []).map(\.networkProtocolName))
    }
    guard let expected else {
      // Nobody is there; that it was asked is what counts.
      let error = try await failure { _ = try await manager.get("points/here?to=\(location)") }
      #expect(error.urlError?.failingURL?.absoluteString == "https:" + location)
      return
    }
    let response = try await manager.get("points/here?to=\(location)#f")
    let origin = base.absoluteString.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
    #expect(response.request?.url?.absoluteString == "\(origin)\(expected)#f")
    #expect(protocols.last == ["h2", "h2"])
  }

  @Test func `B43 Cookies of a redirect count for the next hop`() async throws {
    try await withTestServer(handler: { request in
      switch request.path {
      case "/set":
        TestResponse(
          302,
          headers: [
            ("Location", "/next"), ("Set-Cookie", "r=1; Path=/"), ("Set-Cookie", "e=; PATH=/; HttpOnly"),
            ("Set-Cookie", #"f="q:1"; max-age=60; path=/"#),
            ("Set-Cookie", "old=1; Path=/; Expires=Wed, 01 Jan 2020 12:30:00 GMT"),
            ("Set-Cookie", "elsewhere=1; Domain=example.org; Path=/"),
          ])
      default: .text("end")
      }
    }) { server in
      let configuration = quietConfiguration()
      let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: UUID().uuidString)
      configuration.httpCookieStorage = storage
      configuration.httpCookieAcceptPolicy = .always
      configuration.httpShouldSetCookies = true
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      _ = try await manager.get("set")
      let cookie = try #require(server.requests.last?.value("Cookie"))
      #expect(server.requests.last?.values("Cookie").count == 1)
      #expect(cookie.components(separatedBy: "; ").sorted() == ["e=", #"f="q:1""#, "r=1"])
      manager.requestSerializer.httpShouldHandleCookies = false
      _ = try await manager.get("none")
      #expect(server.requests.last?.value("Cookie") == nil)
      storage.removeCookies(since: .distantPast)
    }
  }
}
