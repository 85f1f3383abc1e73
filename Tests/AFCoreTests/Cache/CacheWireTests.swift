import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// The cache's rules over the wire: what reviews found wrong (F55 to F60).
@Suite struct CacheWireTests {
  private static let stales: [[(String, String)]] = [
    [("Cache-Control", "max-age=60"), ("Age", "7200, 0")],
    [("Cache-Control", "max-age=60"), ("Age", "7200"), ("Age", "0")],
    [("Cache-Control", "max-age=60"), ("Age", "99999999999999999999")], [("Expires", "Thu, 18 Aug 2050 02:01:18 UTC")],
    [("Expires", "Thu 18 Aug 2050 02:01:18 GMT")], [("Expires", "Thu, 18-Aug-2050 02:01:18 GMT")], [("Expires", "0")],
  ]

  @Test("F55, F57: what is stale is not served as fresh", arguments: stales) func stale(_ fields: [(String, String)])
    async throws
  {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next(fields) }
    let manager = cache.manager(server)
    for number in 1...2 { #expect(try await manager.text("a") == "\(number)") }
    try server.stop()
  }

  @Test func `F56: a response from the cache carries its age, and one that was just confirmed does not`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      if request.value("If-None-Match") != nil { return TestResponse(304, headers: [("ETag", "\"a\"")]) }
      let response = TestResponse.text("x").with("ETag", "\"a\"").with("Age", "30")
      return response.with("Cache-Control", request.path == "/fresh" ? "max-age=90" : "no-cache")
    }
    let manager = cache.manager(server)
    func age(_ path: String) async throws -> Int? {
      try await manager.response(path).value(forHTTPHeaderField: "Age").flatMap { Int($0) }
    }
    #expect(try await age("fresh") == 30, "the server's own")
    let served = try #require(try await age("fresh"))
    #expect((30...40).contains(served))
    _ = try await age("checked")
    #expect(try await age("checked") == nil)
    try server.stop()
  }

  @Test("F58: stale-if-error holds without a validator, as the response or the request says", arguments: [false, true])
  func errors(_ isRequests: Bool) async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let isBroken = Locked(false)
    let server = try TestServer { request in
      if isBroken.withLock({ $0 }) {
        return request.path == "/status"
          ? .text("trouble", status: 503) : TestResponse(200).with(.reset, at: .responseHead(0))
      }
      return numbers.next(
        [
          (
            "Cache-Control",
            isRequests ? "max-age=0, stale-while-revalidate=0, private" : "max-age=0, stale-if-error=60"
          ), ("ETag", "\"a\""),
        ].prefix(isRequests ? 2 : 1).map { $0 })
    }
    let manager = cache.manager(server)
    for path in ["status", "reset"] { _ = try await manager.text(path) }
    isBroken.withLock { $0 = true }
    let headers = isRequests ? ["Cache-Control": "stale-if-error=60"] : [:]
    let kept = try await manager.response("status", headers: headers)
    #expect(String(decoding: kept.data, as: UTF8.self) == "1")
    #expect(kept.value(forHTTPHeaderField: "Age") != nil)
    #expect(try await manager.text("reset", headers: headers) == "2")
    #expect(try await manager.response("status", headers: ["Cache-Control": "no-cache"]).statusCode == 503)
    #expect(try await manager.response("status", policy: .reloadRevalidatingCacheData).statusCode == 503)
    try server.stop()
  }

  @Test func `F58: stale-while-revalidate serves what is stale, asks once, and calls nobody`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let latch = Latch()
    let server = try TestServer { _ in
      let response = numbers.next([("Cache-Control", "max-age=0, stale-while-revalidate=60"), ("ETag", "\"a\"")])
      guard case .bytes(let body) = response.body, body != Array("1".utf8) else { return response }
      return response.with(.wait(latch), at: .responseHead(0))
    }
    let manager = cache.manager(server)
    #expect(try await manager.text("a") == "1")
    let calls = Recorder<String>()
    manager.setTaskDidComplete { _, _, _ in calls.record("complete") }
    manager.setTaskDidFinishCollectingMetricsBlock { _, _, _ in calls.record("metrics") }
    manager.setDataTaskDidReceiveDataBlock { _, _, _ in calls.record("data") }
    manager.setDataTaskDidReceiveResponseBlock { _, _, _ in
      calls.record("response")
      return .allow
    }
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<50 { group.addTask { try await manager.text("a") } }
      for try await text in group { #expect(text == "1") }
    }
    try await eventually { server.requestCount == 2 }
    #expect(server.requests.last?.value("If-None-Match") == "\"a\"")
    #expect(manager.tasks.isEmpty, "the app does not see the task that asks")
    #expect(try await manager.text("a") == "1")
    #expect(server.requestCount == 2, "it is being asked already")
    latch.open()
    // Usually "2"; a look that came between the first answer and its storing has the server asked once more.
    try await eventually { try await manager.text("a") != "1" }
    // The last calls may still be under way: as many of each, and none for the tasks that ask beside.
    try await eventually {
      let counts = Dictionary(grouping: calls.values, by: { $0 }).mapValues(\.count)
      let complete = counts["complete", default: 0]
      return complete >= 52 && counts["metrics"] == complete && counts["response"] == complete
    }
    try server.stop()
  }

  @Test("What asks beside the tasks ends with the session", arguments: [false, true]) func ending(_ isCancelling: Bool)
    async throws
  {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in
      let response = numbers.next([("Cache-Control", "max-age=0, stale-while-revalidate=60")])
      guard case .bytes(let body) = response.body, body != Array("1".utf8) else { return response }
      return response.with(.stall, at: .responseHead(0))
    }
    let manager = cache.manager(server)
    for _ in 0..<2 { #expect(try await manager.text("a") == "1") }
    try await eventually { server.requestCount == 2 }
    let ended = Recorder<Bool>()
    manager.setSessionDidBecomeInvalidBlock { _, _ in ended.record(true) }
    manager.invalidateSessionCancelingTasks(isCancelling, resetSession: false)
    try await ended.wait(for: 1)
    // The claim goes with the task, right after the session: another manager asks again, and only once.
    let other = cache.manager(server)
    try await eventually("another manager asks") {
      let text = try await other.text("a")
      #expect(text == "1")
      return server.requestCount == 3
    }
    #expect(try await other.text("a") == "1")
    #expect(server.requestCount == 3)
    other.invalidateSessionCancelingTasks(true, resetSession: false)
    try server.stop()
  }

  @Test func `F58: only-if-cached is answered from the cache, or with 504, and never goes out`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let manager = cache.manager(server)
    let headers = ["Cache-Control": "only-if-cached"]
    let refused = try await manager.response("a", headers: headers)
    #expect(refused.statusCode == 504)
    #expect(refused.data.isEmpty)
    _ = try await manager.text("a")
    #expect(try await manager.text("a", headers: headers) == "1")
    #expect(try await manager.response("a", headers: headers.merging(["Range": "bytes=0-0"]) { $1 }).statusCode == 504)
    #expect(try await manager.response("a", headers: headers, method: "POST").statusCode == 504)
    #expect(server.requestCount == 1)
    let wide = cache.manager(server) { $0.httpAdditionalHeaders = headers }
    #expect(try await wide.response("b").statusCode == 504)
    let uncached = cache.manager(server) { $0.urlCache = nil }
    #expect(try await uncached.text("a", headers: headers) == "2", "it is for caches on the way then")
    try server.stop()
  }

  @Test func `F58: reloadRevalidatingCacheData tells caches on the way, also where nothing is kept`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60, immutable"), ("ETag", "\"a\"")]) }
    let policy = URLRequest.CachePolicy.reloadRevalidatingCacheData
    for manager in [cache.manager(server), cache.manager(server) { $0.urlCache = nil }] {
      _ = try await manager.text("a\(server.requestCount)", policy: policy)
      #expect(server.requests.last?.value("Cache-Control") == "max-age=0")
      #expect(server.requests.last?.value("If-None-Match") == nil)
    }
    #expect(try await cache.manager(server).text("a0", policy: policy) == "1", "it is immutable (RFC 8246)")
    #expect(server.requestCount == 2)
    try server.stop()
  }

  @Test func `F60: of 25 responses at once none is lost where the disk is all there is`() async throws {
    let cache = try TestCache(memory: 0, disk: 64 << 20)
    let server = try TestServer { request in .text(request.path).with("Cache-Control", "max-age=60") }
    let manager = cache.manager(server)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<25 { group.addTask { _ = try await manager.text("\(number)") } }
      try await group.waitForAll()
    }
    for number in 0..<25 {
      #expect(try await manager.text("\(number)", policy: .returnCacheDataDontLoad) == "/\(number)")
    }
    try await eventually { try cache.files.count == 25 }
    #expect(server.requestCount == 25)
    try server.stop()
  }

  @Test("A request under way when its URL was changed does not bring the old state back", arguments: [200, 304])
  func underWay(_ status: Int) async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let latch = Latch()
    let server = try TestServer { request in
      if request.method == "POST" { return TestResponse(204) }
      if request.value("X-Slow") != nil {
        let answer =
          status == 304
          ? TestResponse(304, headers: [("ETag", "\"a\""), ("Cache-Control", "max-age=60")])
          : numbers.next([("Cache-Control", "max-age=60"), ("ETag", "\"a\"")])
        return answer.with(.wait(latch), at: .responseHead(0))
      }
      return numbers.next([("Cache-Control", "max-age=60"), ("ETag", "\"a\"")])
    }
    let manager = cache.manager(server)
    #expect(try await manager.text("a") == "1")
    async let old = manager.text("a", headers: ["X-Slow": "1", "Cache-Control": "no-cache"])
    try await eventually { server.requestCount == 2 }
    _ = try await manager.response("a", method: "POST")
    latch.open()
    #expect(try await old == (status == 304 ? "1" : "2"), "the caller gets what came")
    #expect(try await manager.text("a") == (status == 304 ? "2" : "3"), "and it is not kept")
    try server.stop()
  }

  @Test func `A HEAD brings the fields of what is kept up to date, or drops it`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      let tag = request.method == "HEAD" && request.path == "/changed" ? "\"b\"" : "\"a\""
      let fields = [("ETag", tag), ("Cache-Control", "max-age=60"), ("X-Method", request.method)]
      guard request.method == "HEAD" else { return numbers.next(fields) }
      return TestResponse(200, headers: fields, body: .bytes([UInt8(ascii: "x")]))
    }
    let manager = cache.manager(server)
    for path in ["same", "changed"] { _ = try await manager.text(path) }
    for path in ["same", "changed"] { _ = try await manager.response(path, method: "HEAD") }
    let kept = try await manager.response("same")
    #expect(String(decoding: kept.data, as: UTF8.self) == "1")
    #expect(kept.value(forHTTPHeaderField: "X-Method") == "HEAD")
    #expect(try await manager.text("changed") == "3")
    try server.stop()
  }

  @Test func `Directives among the session's own fields count like those of a request`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let silent = cache.manager(server) { $0.httpAdditionalHeaders = ["Cache-Control": "no-store"] }
    #expect(try await silent.text("a") == "1")
    let plain = cache.manager(server)
    #expect(try await plain.text("a") == "2", "the first was not kept")
    let careful = cache.manager(server) { $0.httpAdditionalHeaders = ["pragma": "no-cache"] }
    #expect(try await careful.text("a") == "3")
    #expect(try await careful.text("a", headers: ["Cache-Control": "max-age=60"]) == "3")
    try server.stop()
  }

  @Test func `Fields that need asking are left out, and the rest is used`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in
      numbers.next([("Cache-Control", "max-age=60, no-cache=\"X-Once\""), ("X-Once", "1"), ("X-Always", "2")])
    }
    let manager = cache.manager(server)
    #expect(try await manager.response("a").value(forHTTPHeaderField: "X-Once") == "1")
    let kept = try await manager.response("a")
    #expect(kept.value(forHTTPHeaderField: "X-Once") == nil)
    #expect(kept.value(forHTTPHeaderField: "X-Always") == "2")
    #expect(server.requestCount == 1)
    try server.stop()
  }
}
