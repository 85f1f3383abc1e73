import AFCore
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Every `URLRequest.CachePolicy`, of request and session.
@Suite struct CachePolicyTests {
  private func server(_ numbers: Numbered, _ control: String = "max-age=60") throws -> TestServer {
    try TestServer { _ in numbers.next([("Cache-Control", control)]) }
  }

  @Test func `reloadIgnoringLocalCacheData asks the server, and keeps what it says`() async throws {
    let cache = try TestCache()
    let server = try server(Numbered())
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    #expect(try await manager.text("a", policy: .reloadIgnoringLocalCacheData) == "2")
    #expect(server.requests.last?.value("Cache-Control") == nil)
    #expect(try await manager.text("a") == "2")
    try server.stop()
  }

  @Test func `reloadIgnoringLocalAndRemoteCacheData says so to caches on the way, unless the caller says otherwise`()
    async throws
  {
    let cache = try TestCache()
    let server = try server(Numbered())
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    let policy = URLRequest.CachePolicy.reloadIgnoringLocalAndRemoteCacheData
    #expect(try await manager.text("a", policy: policy) == "2")
    #expect(server.requests.last?.value("Cache-Control") == "no-cache")
    #expect(server.requests.last?.value("Pragma") == "no-cache")
    _ = try await manager.text("a", policy: policy, headers: ["Cache-Control": "max-age=5"])
    #expect(server.requests.last?.value("Cache-Control") == "max-age=5")
    let uncached = cache.manager(server) { $0.urlCache = nil }
    _ = try await uncached.text("a", policy: policy)
    #expect(server.requests.last?.value("Cache-Control") == "no-cache", "without a cache of its own as well")
    try server.stop()
  }

  @Test func `returnCacheDataElseLoad takes what there is, however old, and keeps what it loads`() async throws {
    let cache = try TestCache()
    let server = try server(Numbered(), "max-age=0, must-revalidate")
    let manager = cache.manager(server)
    #expect(try await manager.text("a", policy: .returnCacheDataElseLoad) == "1")
    #expect(try await manager.text("a", policy: .returnCacheDataElseLoad) == "1")
    #expect(try await manager.text("a") == "2")
    #expect(try await manager.text("b") == "3")
    #expect(try await manager.text("b", policy: .returnCacheDataElseLoad) == "4", "nobody asked to keep it before")
    try server.stop()
  }

  @Test func `returnCacheDataDontLoad never touches the network`() async throws {
    let cache = try TestCache()
    let server = try server(Numbered())
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    let policy = URLRequest.CachePolicy.returnCacheDataDontLoad
    #expect(try await manager.text("a", policy: policy) == "1")
    for (path, headers, method) in [
      ("b", [:], "GET"), ("a", ["Range": "bytes=0-1"], "GET"), ("a", [:], "POST"), ("a", ["If-None-Match": "x"], "GET"),
    ] as [(String, [String: String], String)] {
      let error = try await failure {
        _ = try await manager.response(path, policy: policy, headers: headers, method: method)
      }
      #expect(error.urlError?.code == .resourceUnavailable)
      #expect(error.urlError?.failingURL == server.url(path))
    }
    let uncached = cache.manager(server) { $0.urlCache = nil }
    let error = try await failure { _ = try await uncached.text("a", policy: policy) }
    #expect(error.urlError?.code == .resourceUnavailable)
    #expect(server.requestCount == 1)
    #expect(server.acceptCount == 1)
    try server.stop()
  }

  @Test func `returnCacheDataDontLoad works with a server that is gone`() async throws {
    let cache = try TestCache()
    let server = try server(Numbered(), "max-age=60")
    let manager = cache.manager(server)
    _ = try await manager.text("a")
    try server.stop()
    #expect(try await manager.text("a", policy: .returnCacheDataDontLoad) == "1")
    #expect(try await manager.text("a") == "1")
  }

  @Test func `reloadRevalidatingCacheData asks whether what is fresh is still good`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { request in
      if request.value("If-None-Match") == "\"a\"" { return TestResponse(304, headers: [("ETag", "\"a\"")]) }
      let tag = request.path == "/a" ? ("ETag", "\"a\"") : ("X", "")
      return numbers.next([("Cache-Control", "max-age=60"), tag])
    }
    let manager = cache.manager(server)
    for path in ["a", "untagged"] { _ = try await manager.text(path) }
    #expect(try await manager.text("a", policy: .reloadRevalidatingCacheData) == "1")
    #expect(server.requests.last?.value("If-None-Match") == "\"a\"")
    #expect(server.requests.last?.value("Cache-Control") == "max-age=0")
    #expect(try await manager.text("untagged", policy: .reloadRevalidatingCacheData) == "3")
    #expect(server.requestCount == 4)
    try server.stop()
  }

  @Test func `The session's policy counts for requests that have none, and a request's own wins`() async throws {
    let cache = try TestCache()
    let server = try server(Numbered())
    let manager = cache.manager(server, policy: .reloadIgnoringLocalCacheData)
    #expect(try await manager.text("a") == "1")
    #expect(try await manager.text("a") == "2")
    #expect(try await manager.text("a", policy: .returnCacheDataElseLoad) == "2")
    let offline = cache.manager(server, policy: .returnCacheDataDontLoad)
    #expect(try await offline.text("a") == "2")
    #expect(try await offline.text("a", policy: .reloadIgnoringLocalCacheData) == "3")
    try server.stop()
  }

  @Test func `The request serializer's cachePolicy is the verbs'`() async throws {
    let cache = try TestCache()
    let server = try server(Numbered())
    let manager = cache.manager(server)
    _ = try await manager.get("a")
    manager.requestSerializer.cachePolicy = .reloadIgnoringLocalCacheData
    #expect(String(decoding: try await manager.get("a").data, as: UTF8.self) == "2")
    manager.requestSerializer.cachePolicy = .returnCacheDataDontLoad
    #expect(String(decoding: try await manager.get("a").data, as: UTF8.self) == "2")
    let error = try await failure { _ = try await manager.get("a", parameters: ["b": "c"]) }
    #expect(error.urlError?.code == .resourceUnavailable)
    try server.stop()
  }

  @Test func `A session whose own fields ask for parts has no cache`() async throws {
    let cache = try TestCache()
    let server = try server(Numbered())
    let manager = cache.manager(server) { $0.httpAdditionalHeaders = ["Range": "bytes=0-"] }
    _ = try await manager.text("a")
    #expect(try await manager.text("a") == "2")
    try server.stop()
  }

  @Test func `What is put into the cache by hand is found under every policy, within a second of a miss`() async throws
  {
    let cache = try TestCache()
    let server = try server(Numbered(), "no-store")
    try cache.put("by hand", server.url("a?b=c"), ["X": "y"])
    let manager = cache.manager(server)
    #expect(try await manager.text("a?b=c", policy: .returnCacheDataDontLoad) == "by hand")
    #expect(try await manager.text("a?b=d", policy: .returnCacheDataElseLoad) == "1")
    try cache.put("dated", server.url("dated"), ["Cache-Control": "max-age=60"])
    #expect(try await manager.text("dated") == "dated")
    #expect(server.requestCount == 1)
    #expect(try await manager.text("late") == "2")
    try cache.put("late", server.url("late"), ["Cache-Control": "max-age=60"])
    try await eventually { try await manager.text("late") == "late" }
    try server.stop()
  }
}
