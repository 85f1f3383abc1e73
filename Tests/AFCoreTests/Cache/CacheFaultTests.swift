import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// The cache when something goes wrong beside it.
@Suite struct CacheFaultTests {
  @Test("A damaged file counts as none", arguments: ["", "bplist00", "cut", "nonsense"])
  func damaged(_ contents: String) async throws {
    let (cache, numbers) = (try TestCache(disk: 8 << 20), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    #expect(try await cache.manager(server).text("a") == "1")
    try await eventually { try !cache.files.isEmpty }
    let file = try #require(try cache.files.first)
    let whole = try Data(contentsOf: file)
    try (contents == "cut" ? whole.prefix(whole.count / 2) : Data(contents.utf8)).write(to: file)
    let configuration = quietConfiguration()
    configuration.urlCache = URLCache(
      memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: cache.directory.file("cache").path)
    let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    #expect(try await manager.text("a") == "2")
    #expect(try await manager.text("a") == "2")
    try server.stop()
  }

  /// Foundation's cache stops the program when an entry that was stored twice is displaced.
  @Test func `Responses that are stored again and again and then displaced do no harm`() async throws {
    let (cache, numbers) = (try TestCache(memory: 40_000), Numbered())
    let server = try TestServer { _ in
      TestResponse.pattern(1500).with("Cache-Control", "max-age=60").with("X", "\(numbers)")
    }
    let manager = cache.manager(server, policy: .reloadIgnoringLocalCacheData)
    for round in 0..<4 {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for path in 0..<40 { group.addTask { _ = try await manager.text("\(path + round % 2)") } }
        try await group.waitForAll()
      }
    }
    try await eventually { cache.cache.currentMemoryUsage > 20_000 }
    #expect(cache.cache.currentMemoryUsage <= 40_000)
    try server.stop()
  }

  @Test(
    "A connection lost while the server is asked is an error, unless the kept response may stand in",
    arguments: [
      ("no-cache", false), ("max-age=0, stale-if-error=60", true),
      ("max-age=0, stale-if-error=60, must-revalidate", false),
    ])
  func lost(_ control: String, _ standsIn: Bool) async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      if request.value("If-None-Match") != nil { return TestResponse(304).with(.reset, at: .responseHead(0)) }
      return .text("kept").with("ETag", "\"a\"").with("Cache-Control", control).closing()
    }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    if standsIn {
      #expect(try await manager.text("a") == "kept")
    } else {
      let error = try await failure { _ = try await manager.text("a") }
      #expect(error.urlError?.code == .networkConnectionLost)
    }
    #expect(try await manager.text("a", policy: .returnCacheDataDontLoad) == "kept", "it is still there")
    try server.stop()
  }

  @Test func `A server in trouble is stood in for where the kept response says so`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      if request.value("If-None-Match") != nil { return .text("trouble", status: 503) }
      let more = request.path == "/tolerant" ? ", stale-if-error=60" : ""
      return .text("kept").with("ETag", "\"a\"").with("Cache-Control", "max-age=0\(more)")
    }
    let manager = cache.manager(server)
    for path in ["tolerant", "strict"] { _ = try await manager.text(path) }
    #expect(try await manager.text("tolerant") == "kept")
    #expect(try await manager.response("strict").statusCode == 503)
    #expect(try await manager.text("strict", policy: .returnCacheDataElseLoad) == "kept")
    try server.stop()
  }

  @Test func `A body that breaks off is not kept`() async throws {
    let cache = try TestCache()
    let server = try TestServer { _ in
      TestResponse.pattern(10_000).with("Cache-Control", "max-age=60").with(.close, at: .responseBody(5000))
    }
    let manager = cache.manager(server)
    _ = try await failure { _ = try await manager.text("a") }
    let error = try await failure { _ = try await manager.text("a", policy: .returnCacheDataDontLoad) }
    #expect(error.urlError?.code == .resourceUnavailable)
    try server.stop()
  }

  @Test func `A 304 that nobody asked for is the caller's`() async throws {
    let cache = try TestCache()
    let server = try TestServer { _ in TestResponse(304, headers: [("ETag", "\"a\"")]) }
    let response = try await cache.manager(server).response("a")
    #expect(response.statusCode == 304)
    #expect(response.data.isEmpty)
    try server.stop()
  }

  @Test func `A 304 about another response than ours is asked again without a condition`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      if request.value("If-None-Match") != nil { return TestResponse(304, headers: [("ETag", "\"other\"")]) }
      return numbers.next([("ETag", "\"ours\""), ("Cache-Control", "no-cache")])
    }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    #expect(try await manager.text("a") == "2")
    #expect(server.requests.map { $0.value("If-None-Match") } == [nil, "\"ours\"", nil])
    try server.stop()
  }

  @Test func `A 304 is answered with what was kept when it was asked, though it has been dropped meanwhile`()
    async throws
  {
    let cache = try TestCache()
    let server = try TestServer { request in
      guard request.value("If-None-Match") != nil else {
        return .text("kept").with("ETag", "\"a\"").with("Cache-Control", "no-cache")
      }
      cache.cache.removeAllCachedResponses()
      return TestResponse(304, headers: [("ETag", "\"a\"")])
    }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    #expect(try await manager.text("a") == "kept")
    try server.stop()
  }

  @Test func `What is removed from the URLCache is asked for again`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    _ = try await manager.text("b?c")
    #expect(try await manager.text("b?c") == "2")
    cache.cache.removeAllCachedResponses()
    #expect(try await manager.text("a") == "3")
    #expect(try await manager.text("b?c") == "4")
    try server.stop()
  }

  @Test func `Many tasks for one URL at once all get it, and later ones from the cache`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      if request.value("If-None-Match") != nil { return TestResponse(304, headers: [("ETag", "\"a\"")]) }
      return .text("body").with("ETag", "\"a\"").with("Cache-Control", request.path == "/a" ? "max-age=60" : "no-cache")
    }
    let manager = cache.manager(server)
    for path in ["a", "checked"] {
      for _ in 0..<2 {
        try await withThrowingTaskGroup(of: String.self) { group in
          for _ in 0..<32 { group.addTask { try await manager.text(path) } }
          for try await text in group { #expect(text == "body") }
        }
      }
    }
    #expect(server.requests.filter { $0.path == "/a" }.count <= 32, "none of the second half went out")
    try server.stop()
  }

  @Test func `Cancelled while the cache is asked, a task completes once`() async throws {
    let cache = try TestCache()
    let server = try TestServer { _ in .text("x").with("Cache-Control", "max-age=60") }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    let completions = Recorder<Completion>()
    let count = 200
    for index in 0..<count {
      let task = manager.dataTask(
        with: URLRequest(url: server.url("a")), uploadProgress: nil, downloadProgress: nil,
        completionHandler: completions.handler)
      task.resume()
      if index % 3 == 1 { task.suspend() }
      if index % 3 != 2 { task.cancel() }
    }
    try await completions.wait(for: count)
    #expect(try await manager.text("a") == "x")
    #expect(completions.count == count)
    #expect(completions.values.allSatisfy { $0.error == nil || $0.code == .cancelled })
    #expect(completions.values.filter { $0.error == nil }.count >= count / 3)
    try server.stop()
  }

  @Test func `A task suspended while the cache is asked goes on when it is resumed`() async throws {
    let cache = try TestCache()
    let server = try TestServer { _ in .text("x").with("Cache-Control", "max-age=60") }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    for _ in 0..<50 {
      let completions = Recorder<Completion>()
      let task = manager.dataTask(
        with: URLRequest(url: server.url("a")), uploadProgress: nil, downloadProgress: nil,
        completionHandler: completions.handler)
      task.resume()
      task.suspend()
      task.resume()
      try await completions.wait(for: 1)
      #expect(completions.first?.error == nil)
    }
    #expect(server.requestCount == 1)
    try server.stop()
  }

  @Test func `A redirect met while the server is asked is followed, and nothing old is given`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      if request.path == "/new" { return .text("new") }
      if request.value("If-None-Match") != nil { return .redirect(301, to: "/new") }
      return .text("old").with("ETag", "\"a\"").with("Cache-Control", "no-cache")
    }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    #expect(try await manager.text("a") == "new")
    #expect(server.requests.last?.value("If-None-Match") == nil)
    let error = try await failure { _ = try await manager.text("a", policy: .returnCacheDataDontLoad) }
    #expect(error.urlError?.code == .resourceUnavailable)
    try server.stop()
  }

  @Test func `A redirect to a kept response is answered from the cache`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      request.path == "/to" ? .redirect(302, to: "/a#x") : numbers.next([("Cache-Control", "max-age=60")])
    }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    let response = try await manager.response("to")
    #expect(String(decoding: response.data, as: UTF8.self) == "1")
    #expect(response.request?.url?.path == "/a")
    #expect(server.requests.map(\.path) == ["/a", "/to"])
    try server.stop()
  }

  @Test func `What a challenge opened is kept for the same credentials alone`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      guard request.value("Authorization") != nil else {
        return TestResponse(401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
      }
      return .text("secret").with("Cache-Control", "max-age=60")
    }
    let manager = cache.manager(server)
    manager.setAuthenticationChallengeHandler { _, _, _, _ in
      URLCredential(user: "u", password: "p", persistence: .none)
    }
    #expect(try await manager.text("a") == "secret")
    // The session knows the credentials by now.
    #expect(try await manager.text("a", policy: .returnCacheDataDontLoad) == "secret")
    let other = cache.manager(server)
    let error = try await failure { _ = try await other.text("a", policy: .returnCacheDataDontLoad) }
    #expect(error.urlError?.code == .resourceUnavailable)
    #expect(try await manager.text("a") == "secret")
    #expect(server.requests.map { $0.value("Authorization") == nil } == [true, false])
    try server.stop()
  }

  @Test func `What Digest opened is not kept`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      guard request.value("Authorization")?.hasPrefix("Digest") == true else {
        return TestResponse(401, headers: [("WWW-Authenticate", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\"")])
      }
      return .text("secret").with("Cache-Control", "max-age=60")
    }
    let manager = cache.manager(server)
    manager.setAuthenticationChallengeHandler { _, _, _, _ in
      URLCredential(user: "u", password: "p", persistence: .none)
    }
    #expect(try await manager.text("a") == "secret")
    #expect(try await !manager.keeps("a"))
    try server.stop()
  }

  @Test func `What one bearer token got is not given to the next`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    for (token, body) in [("one", "1"), ("one", "1"), ("two", "2")] {
      let manager = cache.manager(server)
      manager.bearerAuthentication = AFBearerAuthentication(token: .init(token)) { _ in .init(token) }
      #expect(try await manager.text("a") == body)
    }
    try server.stop()
  }
}

extension TestResponse {
  /// The same, and the connection with it is over.
  fileprivate func closing() -> TestResponse {
    var copy = self
    copy.closes = true
    return copy
  }
}
