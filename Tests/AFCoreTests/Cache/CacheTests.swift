import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// The cache as users meet it.
@Suite struct CacheTests {
  @Test func `A fresh response is not asked for again, and one that is stale is`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      numbers.next([("Cache-Control", request.path == "/fresh" ? "max-age=60" : "max-age=0")])
    }
    let manager = cache.manager(server)
    #expect(try await manager.text("fresh") == "1")
    #expect(try await manager.text("fresh") == "1")
    #expect(try await manager.text("fresh#part") == "1")
    #expect(try await manager.text("stale") == "2")
    #expect(try await manager.text("stale") == "3")
    #expect(cache.holds(server.url("fresh")))
    #expect(try await !manager.keeps("stale"), "it could never be of use")
    try server.stop()
  }

  @Test func `A 304 brings the kept body as a 200, with the new fields`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      guard request.value("If-None-Match") == "\"v1\"" else {
        return .text("body").with("ETag", "\"v1\"").with("Cache-Control", "max-age=0").with("X-Turn", "1")
      }
      return TestResponse(304, headers: [("ETag", "\"v1\""), ("X-Turn", "2"), ("Cache-Control", "max-age=60")])
    }
    let manager = cache.manager(server)
    #expect(try await manager.text("a") == "body")
    let second = try await manager.response("a")
    #expect(String(decoding: second.data, as: UTF8.self) == "body")
    #expect(second.statusCode == 200)
    #expect(second.value(forHTTPHeaderField: "X-Turn") == "2")
    #expect(second.value(forHTTPHeaderField: "Content-Type") == "text/plain; charset=utf-8")
    #expect(second.request?.value(forHTTPHeaderField: "If-None-Match") == nil, "the condition is not the caller's")
    #expect(try await manager.text("a") == "body")
    #expect(server.requestCount == 2, "the 304 made it fresh again")
    try server.stop()
  }

  @Test func `A response with Last-Modified is asked for with If-Modified-Since, and replaced when it has changed`()
    async throws
  {
    let (cache, numbers) = (try TestCache(), Numbered())
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let server = try TestServer { _ in numbers.next([("Last-Modified", date), ("Cache-Control", "no-cache")]) }
    let manager = cache.manager(server)
    #expect(try await manager.text("a") == "1")
    #expect(try await manager.text("a") == "2")
    #expect(server.requests.last?.value("If-Modified-Since") == date)
    #expect(try await manager.text("a", policy: .returnCacheDataDontLoad) == "2")
    try server.stop()
  }

  @Test func `A tenth of its age at the time is guessed for a response without a lifetime`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")]) }
    let manager = cache.manager(server)
    #expect(try await manager.text("a") == "1")
    #expect(try await manager.text("a") == "1")
    try server.stop()
  }

  @Test(
    "What must not be kept is not",
    arguments: [
      ("Cache-Control", "no-store, max-age=60", "GET", 200), ("Vary", "*", "GET", 200), ("X", "", "POST", 200),
      ("X", "", "HEAD", 200), ("X", "", "GET", 302), ("X", "", "GET", 206),
    ])
  func notKept(_ field: String, _ value: String, _ method: String, _ status: Int) async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in
      var response = numbers.next([("ETag", "\"a\""), (field, value)], status: status)
      if field == "X" { response = response.with("Cache-Control", "max-age=60") }
      return response
    }
    let manager = cache.manager(server)
    _ = try await manager.response("a", method: method)
    _ = try await manager.response("a", method: method)
    #expect(server.requestCount == 2)
    #expect(try await !manager.keeps("a"))
    try server.stop()
  }

  @Test func `A request may forbid keeping, and demand a fresh answer`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let manager = cache.manager(server)
    #expect(try await manager.text("a", headers: ["Cache-Control": "no-store"]) == "1")
    #expect(try await manager.text("a") == "2")
    #expect(try await manager.text("a", headers: ["Cache-Control": "no-cache"]) == "3")
    #expect(try await manager.text("a", headers: ["Cache-Control": "max-age=0"]) == "4")
    #expect(try await manager.text("a") == "4")
    try server.stop()
  }

  @Test func `A response that varies answers only the requests that it varies for`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Vary", "Accept-Language"), ("Cache-Control", "max-age=60")]) }
    let manager = cache.manager(server)
    #expect(try await manager.text("a", headers: ["Accept-Language": "de"]) == "1")
    #expect(try await manager.text("a", headers: ["accept-language": "de"]) == "1")
    #expect(try await manager.text("a", headers: ["Accept-Language": "fr"]) == "2")
    #expect(try await manager.text("a", headers: ["Accept-Language": "fr"]) == "2")
    try server.stop()
  }

  @Test func `What one Authorization got is not given to another`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "private, max-age=60")]) }
    let manager = cache.manager(server)
    #expect(try await manager.text("a", headers: ["Authorization": "Bearer one"]) == "1")
    #expect(try await manager.text("a", headers: ["Authorization": "Bearer one"]) == "1")
    #expect(try await manager.text("a", headers: ["Authorization": "Bearer two"]) == "2")
    #expect(try await manager.text("a") == "3")
    // Once it has been served, it is there to be looked at.
    #expect(try await manager.text("a") == "3")
    let info = try #require(cache.cache.cachedResponse(for: URLRequest(url: server.url("a")))).userInfo ?? [:]
    #expect(!"\(info)".contains("Bearer"))
    try server.stop()
  }

  @Test func `URLs that Foundation's cache confuses are told apart`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in .text(request.target).with("Cache-Control", "max-age=60") }
    let manager = cache.manager(server)
    let paths = ["p?page=1", "p?page=2", "p", "p/", "a%2Fb", "a/b", "p?"]
    for _ in 0..<2 { for path in paths { #expect(try await manager.text(path) == "/" + path) } }
    #expect(server.requestCount == paths.count)
    try server.stop()
  }

  @Test(
    "A change drops what was kept for its URL, and for those that its response names",
    arguments: ["POST", "PUT", "DELETE", "PATCH"])
  func invalidation(_ method: String) async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      if request.method == "GET" { return numbers.next([("Cache-Control", "max-age=60")]) }
      let status = request.path == "/refused" ? 409 : 201
      return TestResponse(status, headers: [("Location", "/named"), ("Content-Location", "http://other.example/far")])
    }
    let manager = cache.manager(server)
    for path in ["a", "named", "refused", "far"] { _ = try await manager.text(path) }
    _ = try await manager.response("refused", method: method)
    #expect(try await manager.text("named") == "2", "a refused change changes nothing")
    _ = try await manager.response("a", method: method)
    #expect(try await manager.text("a") == "5")
    #expect(try await manager.text("named") == "6")
    #expect(try await manager.text("refused") == "3")
    #expect(try await manager.text("far") == "4", "another origin's URL is not ours to drop")
    try server.stop()
  }

  @Test func `A caller's own condition or range gets its own answer`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      if request.value("If-None-Match") == "\"mine\"" { return TestResponse(304) }
      return .text("body").with("ETag", "\"v1\"").with("Cache-Control", "max-age=60")
    }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    let own = try await manager.response("a", headers: ["If-None-Match": "\"mine\""])
    #expect(own.statusCode == 304)
    #expect(own.data.isEmpty)
    _ = try await manager.text("a", headers: ["Range": "bytes=0-1"])
    #expect(server.requestCount == 3)
    try server.stop()
  }

  @Test func `Bodies over a twentieth of the cache are not kept`() async throws {
    let cache = try TestCache(memory: 20_000)
    let server = try TestServer { request in
      TestResponse.pattern(request.path == "/large" ? 1001 : 1000).with("Cache-Control", "max-age=60")
    }
    let manager = cache.manager(server)
    for path in ["large", "large", "small", "small"] { _ = try await manager.text(path) }
    #expect(server.requests.map(\.path) == ["/large", "/large", "/small"])
    try server.stop()
  }

  @Test("What has become too large to be kept takes what was kept before away", arguments: [false, true])
  func outgrown(_ isAsked: Bool) async throws {
    let cache = try TestCache(memory: 20_000)
    let sizes = Locked<[Int64]>([1000, 1001, 1000])
    let server = try TestServer { _ in
      TestResponse.pattern(sizes.withLock { $0.removeFirst() }).with("Cache-Control", "max-age=60")
    }
    let manager = cache.manager(server)
    if isAsked { manager.setDataTaskWillCacheResponseBlock { _, _, proposed in proposed } }
    _ = try await manager.text("a")
    #expect(try await manager.response("a", policy: .reloadIgnoringLocalCacheData).data.count == 1001)
    #expect(try await manager.response("a").data.count == 1000)
    #expect(server.requestCount == 3)
    try server.stop()
  }

  @Test func `Downloads and streams take what is kept, and keep nothing`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let manager = cache.manager(server)
    let directory = try TemporaryDirectory()
    _ = try await manager.download("a", to: directory.file("1"))
    for try await _ in try await manager.stream(for: URLRequest(url: server.url("a"))).chunks {}
    #expect(try await !manager.keeps("a"))
    #expect(try await manager.text("a") == "3")
    _ = try await manager.download("a", to: directory.file("2"))
    #expect(try String(contentsOf: directory.file("2"), encoding: .utf8) == "3")
    var streamed = Data()
    for try await chunk in try await manager.stream(for: URLRequest(url: server.url("a"))).chunks { streamed += chunk }
    #expect(String(decoding: streamed, as: UTF8.self) == "3")
    try server.stop()
  }

  @Test func `Two managers with one URLCache share what it keeps, on the disk beyond their lives`() async throws {
    let (cache, numbers) = (try TestCache(disk: 8 << 20), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60"), ("Vary", "Accept")]) }
    #expect(try await cache.manager(server).text("a?b") == "1")
    #expect(try await cache.manager(server).text("a?b") == "1")
    let directory = cache.directory.file("cache")
    try await eventually { try !cache.files.isEmpty }
    let configuration = quietConfiguration()
    configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.path)
    let later = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
    later.responseSerializer = AFHTTPResponseSerializer()
    for _ in 0..<3 { #expect(try await later.text("a?b") == "1") }
    #expect(server.requestCount == 1)
    // Its name alone would be too long for a file.
    let long = String(repeating: "long", count: 100)
    #expect(try await later.text(long) == "2")
    try await eventually { try cache.files.count == 2 }
    try server.stop()
  }

  @Test func `A cache without a disk part does not read another's`() async throws {
    let (cache, numbers) = (try TestCache(disk: 8 << 20), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    #expect(try await cache.manager(server).text("a") == "1")
    let path = cache.directory.file("cache").path
    try await eventually { try !cache.files.isEmpty }
    let configuration = quietConfiguration()
    configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: path)
    let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    #expect(try await manager.text("a", policy: .returnCacheDataElseLoad) == "2")
    try server.stop()
  }

  @Test func `Cookies of a kept response are not stored again`() async throws {
    let cache = try TestCache()
    let server = try TestServer { _ in .text("x").with("Set-Cookie", "a=1").with("Cache-Control", "max-age=60") }
    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    let manager = cache.manager(server) { $0.httpCookieStorage = storage }
    _ = try await manager.text("a")
    #expect(storage.cookies?.map(\.name) == ["a"])
    for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
    let kept = try await manager.response("a")
    #expect(kept.value(forHTTPHeaderField: "Set-Cookie") != nil)
    #expect(storage.cookies?.isEmpty == true)
    #expect(server.requestCount == 1)
    try server.stop()
  }

  @Test func `A redirect is not kept, and its target is`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      if request.path == "/old" { return .redirect(308, to: "/new").with("Cache-Control", "max-age=60") }
      return numbers.next([("Cache-Control", "max-age=60")])
    }
    let manager = cache.manager(server)
    for _ in 0..<2 { #expect(try await manager.text("old") == "1") }
    #expect(server.requests.map(\.path) == ["/old", "/new", "/old"])
    try server.stop()
  }

  @Test func `Metrics say where a response came from`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      if request.value("If-None-Match") != nil { return TestResponse(304, headers: [("ETag", "\"a\"")]) }
      return .text("x").with("ETag", "\"a\"").with(
        "Cache-Control", request.path == "/fresh" ? "max-age=60" : "no-cache")
    }
    let manager = cache.manager(server)
    let types = Recorder<[URLSessionTaskMetrics.ResourceFetchType]>()
    manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
      types.record(metrics?.transactionMetrics.map(\.resourceFetchType) ?? [])
    }
    for path in ["fresh", "fresh", "checked", "checked"] { _ = try await manager.text(path) }
    try await eventually { types.count == 4 }
    #expect(types.values == [[.networkLoad], [.localCache], [.networkLoad], [.networkLoad, .localCache]])
    try server.stop()
  }

  @Test func `Blocks, progress and the closure calls see a kept response like any other`() async throws {
    let cache = try TestCache()
    let server = try TestServer { _ in .text("0123456789").with("Cache-Control", "max-age=60") }
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    let (responses, chunks, progress) = (Recorder<Int>(), Recorder<Data>(), Recorder<Int64>())
    manager.setDataTaskDidReceiveResponseBlock { _, _, response in
      responses.record((response as? HTTPURLResponse)?.statusCode ?? 0)
      return .allow
    }
    manager.setDataTaskDidReceiveDataBlock { _, _, data in chunks.record(data) }
    let results = Recorder<String>()
    manager.get(
      "a", parameters: nil, headers: nil,
      progress: { progress.record($0.completedUnitCount * 100 / max(1, $0.totalUnitCount)) },
      success: { _, object in results.record(String(decoding: object as? Data ?? Data(), as: UTF8.self)) },
      failure: { _, error in results.record("\(error)") })
    try await eventually { results.count == 1 }
    #expect(results.values == ["0123456789"])
    #expect(responses.values == [200])
    #expect(chunks.values.reduce(Data(), +) == Data("0123456789".utf8))
    #expect(progress.values.last == 100)
    #expect(server.requestCount == 1)
    try server.stop()
  }
}
