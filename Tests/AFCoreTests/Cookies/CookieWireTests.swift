import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// A storage of its own, in memory.
private func makeStorage() throws -> HTTPCookieStorage {
  try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
}

private func makeManager(
  _ url: URL, _ storage: HTTPCookieStorage, policy: HTTPCookie.AcceptPolicy = .onlyFromMainDocumentDomain
) -> AFHTTPSessionManager {
  let configuration = quietConfiguration()
  configuration.httpCookieStorage = storage
  configuration.httpCookieAcceptPolicy = policy
  let manager = AFHTTPSessionManager(baseURL: url, sessionConfiguration: configuration)
  manager.responseSerializer = AFHTTPResponseSerializer()
  return manager
}

/// Answers `/set?FIELD` with the field that the query names, anything else with nothing.
private func setting(_ request: TestRequest) -> TestResponse {
  let fields = request.query?.removingPercentEncoding?.components(separatedBy: "|") ?? []
  return fields.reduce(.text("ok")) { $0.with("Set-Cookie", $1) }
}

extension AFHTTPSessionManager {
  fileprivate func set(_ path: String, _ fields: String...) async throws {
    let query = fields.joined(separator: "|").addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    _ = try await get("\(path)?\(query)")
  }
}

extension TestServer {
  fileprivate var lastCookie: String? { requests.last?.value("Cookie") }
}

/// Cookies end to end: what a server sets, what it gets back, what the app sees of it.
@Suite struct CookieWireTests {
  // MARK: What servers send

  @Test func `F01 A field that ends the process in Foundation's parser is a cookie like others`() async throws {
    let fields = ["😀😀😀=1", "=😀😀", "a=1; Expires=😀😀😀", "😀", "👨‍👩‍👧‍👦=👨‍👩‍👧‍👦; Path=/👨‍👩‍👧‍👦"]
    try await withTestServer(handler: { _ in
      fields.reduce(.text("ok")) { $0.with("Set-Cookie", $1) }
    }) { server in
      let manager = makeManager(server.url(), try makeStorage())
      for _ in 0..<2 { _ = try await manager.get("a") }
      #expect(server.lastCookie == "😀😀😀=1; 😀; a=1")
    }
  }

  @Test func `F08 Control characters are refused when they come, and an archived one blocks no host`() async throws {
    let fields = ["a=1\rb", "b\u{1}=2", "c=\u{7F}", "d=4; Path=/\u{B}", "e=\t5", "f=6"]
    let server = try RawServer { connection in
      while (try? connection.read(through: "\r\n\r\n")) != nil {
        let lines = fields.map { "Set-Cookie: \($0)\r\n" }.joined()
        try connection.send("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 2\r\n\r\nok")
      }
    }
    let storage = try makeStorage()
    for (name, value) in [("x", "1\r\ny: z"), ("x\u{0}", "1"), ("y", "1;z=2"), ("z", "\u{0}")] {
      storage.setCookie(
        try #require(HTTPCookie(properties: [.name: name, .value: value, .domain: "127.0.0.1", .path: "/"])))
    }
    let manager = makeManager(server.url(), storage)
    for _ in 0..<2 { _ = try await manager.get("a") }
    // The engine makes a space of a bare CR (RFC 9112 §2.2) before it comes here.
    #expect(storage.cookies?.count == 7)
    let kept = storage.cookies?.filter { ["a", "b\u{1}", "c", "d", "e", "f"].contains($0.name) }
    #expect(kept?.map(\.value).sorted() == ["1 b", "5", "6"])
    try server.stop()
  }

  @Test func `B85 Cookies go where their attributes allow`() async throws {
    try await withTestServer(handler: setting) { server in
      let manager = makeManager(server.url(), try makeStorage())
      func sent(_ path: String) async throws -> String? {
        _ = try await manager.get(path)
        return server.lastCookie
      }
      try await manager.set("a/b/c", "deep=1", "adm=1; Path=/admin")
      #expect(try await sent("admin") == "adm=1")
      #expect(try await sent("admin/x") == "adm=1")
      #expect(try await sent("administrator") == nil)
      #expect(try await sent("a/b/x") == "deep=1")
      #expect(try await sent("z") == nil)
      try await manager.set("", "sid=abc; Path=/")
      #expect(try await sent("z") == "sid=abc")
      try await manager.set("", "sid=; Max-Age=0; Path=/")
      #expect(try await sent("z") == nil)
      try await manager.set("", "old=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
      #expect(try await sent("z") == "old=1")
      try await manager.set("", "old=; Max-Age=0", "k=root; Path=/", "k=app; Path=/app")
      #expect(try await sent("app") == "k=app; k=root")
      try await manager.set("", "k=; Path=/; Max-Age=0", "foo=bar, baz=qux")
      #expect(try await sent("z") == "foo=bar, baz=qux")
    }
  }

  @Test func `F02 B85 A Secure cookie is not sent over http, nor overwritten, nor does a redirect carry it there`()
    async throws
  {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    let plain = try TestServer(handler: setting)
    let target = plain.url("end", host: "localhost").absoluteString
    let secure = try TestServer(.init(tls: TestTLS(identity))) { request in
      request.path == "/go"
        ? TestResponse.redirect(to: target).with("Set-Cookie", "hop=1; Secure; Path=/").with(
          "Set-Cookie", "open=1; Path=/")
        : setting(request)
    }
    let manager = makeManager(secure.url("", host: "localhost"), try makeStorage())
    manager.securityPolicy = try .trusting(authority)
    try await manager.set("", "sec=1; Secure; Path=/", "__Host-h=1; Secure; Path=/", "__Host-x=1; Path=/")
    _ = try await manager.get("a")
    #expect(secure.lastCookie == "sec=1; __Host-h=1")
    _ = try await manager.get("go")
    #expect(plain.lastCookie == "open=1")
    try await manager.set(plain.url("", host: "localhost").absoluteString, "sec=2; Path=/", "new=1; Secure")
    _ = try await manager.get("a")
    #expect(secure.lastCookie == "sec=1; __Host-h=1; hop=1; open=1")
    try plain.stop()
    try secure.stop()
  }

  @Test func `F11 No cookie for a public suffix, and none for another host`() async throws {
    try await withTestServer(handler: setting) { server in
      let storage = try makeStorage()
      let manager = makeManager(server.url("", host: "localhost"), storage)
      try await manager.set(
        "", "a=1; Domain=org", "b=1; Domain=example.org", "c=1; Domain=127.0.0.1", "d=1; Domain=localhost")
      _ = try await manager.get("x")
      #expect(server.lastCookie == "d=1")
      #expect(storage.cookies?.map(\.domain) == ["localhost"])
    }
  }

  // MARK: What the app sees and says

  @Test func `What a server sets is in the storage when the completion runs`() async throws {
    try await withTestServer(handler: setting) { server in
      let storage = try makeStorage()
      let manager = makeManager(server.url(), storage)
      try await manager.set("x/y", "a=1; HttpOnly", "b=2; Path=/; Max-Age=60; SameSite=Lax")
      let cookies = try #require(storage.cookies).sorted { $0.name < $1.name }
      #expect(
        cookies.map { "\($0.name)=\($0.value) \($0.domain) \($0.path)" } == ["a=1 127.0.0.1 /x", "b=2 127.0.0.1 /"])
      #expect(cookies.map(\.isHTTPOnly) == [true, false])
      #expect(cookies.map(\.isSessionOnly) == [true, false])
      let expiry = try #require(cookies.last?.expiresDate?.timeIntervalSinceNow)
      #expect(expiry > 30 && expiry <= 60)
      try await manager.set("x/y", "a=; Max-Age=0", "b=3; Path=/")
      #expect(storage.cookies?.map { "\($0.name)=\($0.value)" } == ["b=3"])
    }
  }

  @Test func `What the app puts into the storage is sent, what it deletes is not`() async throws {
    try await withTestServer(handler: setting) { server in
      let storage = try makeStorage()
      func put(_ name: String, _ properties: [HTTPCookiePropertyKey: Any] = [:]) throws -> HTTPCookie {
        let all: [HTTPCookiePropertyKey: Any] = [.name: name, .value: "1", .domain: "127.0.0.1", .path: "/"]
        let cookie = try #require(HTTPCookie(properties: all.merging(properties) { $1 }))
        storage.setCookie(cookie)
        return cookie
      }
      _ = try put("before")
      let manager = makeManager(server.url(), storage)
      _ = try await manager.get("x")
      #expect(server.lastCookie == "before=1")
      let during = try put("during")
      _ = try put("deep", [.path: "/deep"])
      _ = try put("secure", [.secure: "TRUE"])
      _ = try put("other", [.domain: "localhost"])
      _ = try put("dead", [.expires: Date(timeIntervalSinceNow: -1)])
      _ = try await manager.get("x")
      #expect(server.lastCookie == "before=1; during=1")
      storage.deleteCookie(during)
      _ = try put("before", [.value: "2"])
      _ = try await manager.get("x")
      #expect(server.lastCookie == "before=2")
      try await manager.set("", "before=3; Path=/", "own=1; Path=/")
      _ = try await manager.get("x")
      #expect(server.lastCookie == "before=3; own=1")
      for cookie in storage.cookies ?? [] where cookie.name == "own" { storage.deleteCookie(cookie) }
      _ = try await manager.get("x")
      #expect(server.lastCookie == "before=3")
      storage.removeCookies(since: .distantPast)
      _ = try await manager.get("x")
      #expect(server.lastCookie == nil)
    }
  }

  @Test func `Two sessions of one storage know the same cookies`() async throws {
    try await withTestServer(handler: setting) { server in
      let storage = try makeStorage()
      let (one, two) = (makeManager(server.url(), storage), makeManager(server.url(), storage))
      try await one.set("", "a=1; Path=/")
      _ = try await two.get("x")
      #expect(server.lastCookie == "a=1")
      try await two.set("", "a=; Max-Age=0; Path=/")
      _ = try await one.get("x")
      #expect(server.lastCookie == nil)
    }
  }

  @Test func `A Cookie field of the caller's is the only one`() async throws {
    try await withTestServer(handler: setting) { server in
      let storage = try makeStorage()
      let manager = makeManager(server.url(), storage)
      try await manager.set("", "a=1; Path=/")
      _ = try await manager.get("x", headers: ["cookie": "mine=1"])
      #expect(server.requests.last?.values("Cookie") == ["mine=1"])
      let configuration = quietConfiguration()
      configuration.httpCookieStorage = storage
      configuration.httpAdditionalHeaders = ["Cookie": "always=1"]
      let other = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      other.responseSerializer = AFHTTPResponseSerializer()
      _ = try await other.get("x")
      #expect(server.requests.last?.values("Cookie") == ["always=1"])
    }
  }

  // MARK: Policies

  @Test func `The policy never, of the session or of the storage, keeps servers' cookies out`() async throws {
    try await withTestServer(handler: setting) { server in
      for isStorages in [false, true] {
        let storage = try makeStorage()
        let cookie = try #require(
          HTTPCookie(properties: [.name: "own", .value: "1", .domain: "127.0.0.1", .path: "/"]))
        storage.setCookie(cookie)
        if isStorages { storage.cookieAcceptPolicy = .never }
        let manager = makeManager(server.url(), storage, policy: isStorages ? .always : .never)
        try await manager.set("", "a=1; Path=/")
        _ = try await manager.get("x")
        #expect(server.lastCookie == "own=1")
        #expect(storage.cookies?.map(\.name) == ["own"])
      }
    }
  }

  @Test(arguments: [
    ("http://127.0.0.1/page", true), ("http://example.org/", false), ("file:///page", false), (nil, true),
  ])
  func `Cookies count only from the site of the main document`(document: String?, isKept: Bool) async throws {
    try await withTestServer(handler: setting) { server in
      for policy in [HTTPCookie.AcceptPolicy.onlyFromMainDocumentDomain, .always] {
        let storage = try makeStorage()
        let manager = makeManager(server.url(), storage, policy: policy)
        var request = URLRequest(url: server.url("x?a%3D1"))
        request.mainDocumentURL = document.flatMap(URL.init)
        _ = try await manager.data(for: request)
        #expect((storage.cookies?.isEmpty == false) == (isKept || policy == .always))
      }
    }
  }
}
