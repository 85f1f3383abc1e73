import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// What `URLProtocol` classes and `URLCache` subclasses have to do with the cache.
@Suite struct CacheStubTests {
  /// Answers with how often it was asked; with `?valid` it takes what was kept.
  private final class Stub: URLProtocol {
    static let loads = Recorder<String>()

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "cached.example" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      guard let url = request.url, let client else { return }
      let kept = cachedResponse.map { String(decoding: $0.data, as: UTF8.self) } ?? "nothing"
      Self.loads.record("\(url.path) \(kept)")
      if let cachedResponse, url.query == "valid" {
        client.urlProtocol(self, cachedResponseIsValid: cachedResponse)
        return
      }
      let policy: URLCache.StoragePolicy = url.path == "/never" ? .notAllowed : .allowed
      let fields = url.path == "/forbidden" ? ["Cache-Control": "no-store"] : [:]
      guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields) else {
        return
      }
      client.urlProtocol(self, didReceive: response, cacheStoragePolicy: policy)
      client.urlProtocol(self, didLoad: Data("made".utf8))
      client.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  @Test func `A stub is given what is kept, and decides; its storage policy is heeded`() async throws {
    let cache = try TestCache()
    let configuration = quietConfiguration()
    configuration.urlCache = cache.cache
    configuration.protocolClasses = [Stub.self]
    let manager = AFHTTPSessionManager(
      baseURL: URL(string: "http://cached.example"), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    for path in ["never", "never", "forbidden", "forbidden", "kept", "kept", "x?valid", "x?valid"] {
      #expect(try await manager.text(path) == "made")
    }
    _ = try await manager.text("kept", policy: .reloadIgnoringLocalCacheData)
    _ = try await manager.text("none", policy: .returnCacheDataDontLoad)
    #expect(
      Stub.loads.values == [
        "/never nothing", "/never nothing", "/forbidden nothing", "/forbidden nothing", "/kept nothing", "/kept made",
        "/x nothing", "/x made", "/kept nothing", "/none nothing",
      ])
  }

  /// A store of somebody's own.
  private final class Store: URLCache, @unchecked Sendable {
    // Unchecked because its superclass is; what it stores is behind a lock.
    let entries = Locked<[String: CachedURLResponse]>([:])
    let calls = Recorder<String>()

    init() { super.init(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil) }

    override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
      calls.record("find \(request.url?.relativePath ?? "")?\(request.url?.query ?? "")")
      return entries.withLock { $0[request.url?.absoluteString ?? ""] }
    }

    override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
      calls.record("store \(request.url?.relativePath ?? "")?\(request.url?.query ?? "")")
      entries.withLock { $0[request.url?.absoluteString ?? ""] = cachedResponse }
    }

    override func removeCachedResponse(for request: URLRequest) {
      calls.record("remove \(request.url?.relativePath ?? "")?\(request.url?.query ?? "")")
      _ = entries.withLock { $0.removeValue(forKey: request.url?.absoluteString ?? "") }
    }
  }

  @Test func `A subclass of URLCache is asked with the requests as they are`() async throws {
    let (store, numbers) = (Store(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let configuration = quietConfiguration()
    configuration.urlCache = store
    let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    #expect(try await manager.text("a?b=c") == "1")
    #expect(try await manager.text("a?b=c") == "1")
    _ = try await manager.response("a?b=c", method: "POST")
    #expect(try await manager.text("a?b=c") == "3")
    try await store.calls.wait(for: 6)
    #expect(
      store.calls.values == [
        "find /a?b=c", "store /a?b=c", "find /a?b=c", "remove /a?b=c", "find /a?b=c", "store /a?b=c",
      ])
    try server.stop()
  }
}
