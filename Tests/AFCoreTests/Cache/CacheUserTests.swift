import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// One program that acts for several users (F59), and URLs with several responses.
@Suite struct CacheUserTests {
  private static let fields: [(String, String, String, String)] = [
    ("Cookie", "s=A", "s=B", "private, max-age=60"), ("X-Api-Key", "A", "B", "private, max-age=60"),
    ("Cookie", "s=A", "s=B", "max-age=60"), ("X-Api-Key", "A", "B", "public, max-age=60"),
    ("Authorization", "Bearer A", "Bearer B", "public, max-age=60"), ("X-Whatever", "A", "B", "private, max-age=60"),
  ]

  @Test("F59: B never gets A's body, and each gets his own again", arguments: fields)
  func users(_ name: String, _ a: String, _ b: String, _ control: String) async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      .text(request.value(name) ?? "nobody").with("Cache-Control", control)
    }
    let manager = cache.manager(server)
    for _ in 0..<2 {
      for value in [a, b] { #expect(try await manager.text("a", headers: [name: value]) == value) }
      #expect(try await manager.text("a") == "nobody")
    }
    #expect(server.requestCount == 3, "each was asked for once")
    try server.stop()
  }

  @Test("F59: across managers with one URLCache, in session-wide fields too", arguments: fields)
  func managers(_ name: String, _ a: String, _ b: String, _ control: String) async throws {
    let cache = try TestCache(disk: 8 << 20)
    let server = try TestServer { request in
      .text(request.value(name) ?? "nobody").with("Cache-Control", control)
    }
    for _ in 0..<2 {
      for value in [a, b] {
        let manager = cache.manager(server) { $0.httpAdditionalHeaders = [name: value] }
        #expect(try await manager.text("a") == value)
      }
    }
    #expect(server.requestCount == 2)
    try server.stop()
  }

  @Test("The storage's cookies count where the response says that it is for one user, or varies on them")
  func storedCookies() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      let response = TestResponse.text(request.value("Cookie") ?? "none")
      switch request.path {
      case "/private": return response.with("Cache-Control", "private, max-age=60")
      case "/vary": return response.with("Cache-Control", "max-age=60").with("Vary", "Cookie")
      default: return response.with("Cache-Control", "max-age=60")
      }
    }
    func manager(_ value: String) throws -> AFHTTPSessionManager {
      let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
      let cookie = HTTPCookie(properties: [
        .name: "s", .value: value, .domain: server.url().host ?? "", .path: "/",
      ])
      storage.setCookie(try #require(cookie))
      return cache.manager(server) { $0.httpCookieStorage = storage }
    }
    let (one, two) = (try manager("A"), try manager("B"))
    for path in ["private", "vary"] {
      #expect(try await one.text(path) == "s=A")
      #expect(try await two.text(path) == "s=B")
    }
    #expect(try await one.text("shared") == "s=A")
    #expect(try await two.text("shared") == "s=A")
    try server.stop()
  }

  @Test func `Several responses of a URL are kept, confirmed and dropped together`() async throws {
    let (cache, numbers) = (try TestCache(disk: 8 << 20), Numbered())
    let server = try TestServer { request in
      if request.method == "POST" { return TestResponse(204) }
      if let tag = request.value("If-None-Match") { return TestResponse(304, headers: [("ETag", tag)]) }
      let language = request.value("Accept-Language") ?? ""
      let age = request.path == "/checked" ? "no-cache" : "max-age=60"
      return numbers.next([("Vary", "Accept-Language"), ("Cache-Control", age), ("ETag", "\"\(language)\"")])
    }
    let manager = cache.manager(server)
    let languages = ["de", "fr", "en"]
    for path in ["fresh", "checked"] {
      var first: [String] = []
      for language in languages { first.append(try await manager.text(path, headers: ["Accept-Language": language])) }
      #expect(Set(first).count == 3)
      for _ in 0..<2 {
        for (language, text) in zip(languages, first) {
          #expect(try await manager.text(path, headers: ["Accept-Language": language]) == text)
        }
      }
      _ = try await manager.response(path, method: "POST")
      for (language, text) in zip(languages, first) {
        #expect(try await manager.text(path, headers: ["Accept-Language": language]) != text)
      }
    }
    #expect(server.requests.filter { $0.path == "/fresh" }.count == 7)
    try server.stop()
  }

  @Test func `One response that is replaced leaves the others of its URL`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      let isGone = request.value("Accept-Language") == "de" && request.value("If-None-Match") != nil
      return numbers.next([
        ("Vary", "Accept-Language"), ("Cache-Control", isGone ? "no-store" : "max-age=60"), ("ETag", "\"a\""),
      ])
    }
    let manager = cache.manager(server)
    for language in ["de", "fr"] { _ = try await manager.text("a", headers: ["Accept-Language": language]) }
    let policy = URLRequest.CachePolicy.reloadRevalidatingCacheData
    #expect(try await manager.text("a", policy: policy, headers: ["Accept-Language": "de"]) == "3")
    #expect(try await manager.text("a", headers: ["Accept-Language": "fr"]) == "2")
    #expect(try await manager.text("a", headers: ["Accept-Language": "de"]) == "4")
    #expect(try await manager.text("a", headers: ["Accept-Language": "fr"]) == "2")
    try server.stop()
  }

  @Test func `Several responses of a URL outlive the program, also those that were read before one was added`()
    async throws
  {
    let (cache, numbers) = (try TestCache(disk: 8 << 20), Numbered())
    let server = try TestServer { request in
      if let tag = request.value("If-None-Match") { return TestResponse(304, headers: [("ETag", tag), ("X", "2")]) }
      return numbers.next([("Cache-Control", "max-age=86400"), ("ETag", "\"a\"")])
    }
    /// A manager as the next start of the program has it.
    func restarted() -> AFHTTPSessionManager {
      let configuration = quietConfiguration()
      configuration.urlCache = URLCache(
        memoryCapacity: 8 << 20, diskCapacity: 8 << 20, diskPath: cache.directory.file("cache").path)
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      return manager
    }
    let users = ["A", "B", "C"]
    for (index, user) in users.enumerated() {
      let manager = restarted()
      // What was kept by the programs before is read, taken into memory, and confirmed.
      for (number, earlier) in users.prefix(index).enumerated() {
        for _ in 0..<2 { #expect(try await manager.text("a", headers: ["Cookie": earlier]) == "\(number + 1)") }
      }
      if index == 1 {
        let policy = URLRequest.CachePolicy.reloadRevalidatingCacheData
        #expect(try await manager.text("a", policy: policy, headers: ["Cookie": "A"]) == "1")
      }
      #expect(try await manager.text("a", headers: ["Cookie": user]) == "\(index + 1)")
      try await eventually { try cache.files.count == index + 1 }
    }
    let last = restarted()
    for (number, user) in users.enumerated() {
      // The programs before may still be writing: what was confirmed is written anew.
      try await eventually("the response for \(user) is read") {
        let text = try? await last.text("a", policy: .returnCacheDataDontLoad, headers: ["Cookie": user])
        return text == "\(number + 1)"
      }
    }
    try server.stop()
  }

  @Test func `Many users at once each get their own`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      .text(request.value("Cookie") ?? "nobody").with("Cache-Control", "private, max-age=60")
    }
    let manager = cache.manager(server)
    for _ in 0..<3 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for user in 0..<50 {
          group.addTask {
            let text = try await manager.text("a", headers: ["Cookie": "s=\(user)"])
            #expect(text == "s=\(user)")
          }
        }
        try await group.waitForAll()
      }
    }
    try server.stop()
  }
}
