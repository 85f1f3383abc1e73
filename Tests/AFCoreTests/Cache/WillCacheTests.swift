import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Who is asked before a response is kept.
@Suite struct WillCacheTests {
  /// Answers the question as the test wants.
  private final class Chooser: AFHTTPSessionManager, @unchecked Sendable {
    // Unchecked because its superclass is; what it stores is behind a lock.
    private let answer = Locked<(@Sendable (CachedURLResponse) -> CachedURLResponse?)?>(nil)
    let proposals = Recorder<CachedURLResponse>()

    func answer(_ answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?) {
      self.answer.withLock { $0 = answer }
    }

    override func urlSession(
      _ session: AFURLSession, dataTask: AFURLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
      completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
      proposals.record(proposedResponse)
      let answer = answer.withLock { $0 }
      completionHandler(answer.map { $0(proposedResponse) } ?? proposedResponse)
    }
  }

  private func chooser(_ server: TestServer, _ cache: TestCache) -> Chooser {
    let configuration = quietConfiguration()
    configuration.urlCache = cache.cache
    let manager = Chooser(baseURL: server.url(), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    return manager
  }

  @Test func `AF-X049: nil keeps nothing, not even what was kept before`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let manager = chooser(server, cache)
    _ = try await manager.text("a")
    #expect(try await manager.text("a") == "1")
    manager.answer { _ in nil }
    #expect(try await manager.text("a", policy: .reloadIgnoringLocalCacheData) == "2")
    try await eventually { !cache.holds(server.url("a")) }
    #expect(try await manager.text("a") == "3")
    #expect(manager.proposals.count == 3)
    try server.stop()
  }

  @Test func `The block is asked once, on the callback queue, with the whole response, before the task ends`()
    async throws
  {
    let cache = try TestCache()
    let server = try TestServer { _ in .text("body").with("Cache-Control", "max-age=60") }
    let manager = cache.manager(server)
    let events = Recorder<String>()
    let queue = try #require(manager.operationQueue.underlyingQueue)
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    manager.setDataTaskWillCacheResponseBlock { _, task, proposed in
      let isThere = DispatchQueue.getSpecific(key: key) == true
      let status = (proposed.response as? HTTPURLResponse)?.statusCode ?? 0
      events.record(
        "asked \(status) \(String(decoding: proposed.data, as: UTF8.self)) \(isThere) \(task.state == .running)")
      return proposed
    }
    manager.setTaskDidComplete { _, _, _ in events.record("complete") }
    #expect(try await manager.text("a") == "body")
    #expect(try await manager.text("a") == "body", "a kept response is not proposed again")
    try await eventually { events.count == 3 }
    #expect(events.values == ["asked 200 body true true", "complete", "complete"])
    try server.stop()
  }

  @Test func `What the block makes of the response is what is kept`() async throws {
    let (cache, numbers) = (try TestCache(), Numbered())
    let server = try TestServer { _ in numbers.next() }
    let manager = cache.manager(server)
    manager.setDataTaskWillCacheResponseBlock { _, _, proposed in
      guard let url = proposed.response.url,
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: nil, headerFields: ["Cache-Control": "max-age=60", "X-Made": "yes"])
      else { return proposed }
      return CachedURLResponse(
        response: response, data: Data("made".utf8), userInfo: ["mine": "kept"], storagePolicy: .allowed)
    }
    #expect(try await manager.text("a") == "1", "the caller gets what came")
    let kept = try await manager.response("a")
    #expect(String(decoding: kept.data, as: UTF8.self) == "made")
    #expect(kept.value(forHTTPHeaderField: "X-Made") == "yes")
    #expect(cache.cache.cachedResponse(for: URLRequest(url: server.url("a")))?.userInfo?["mine"] as? String == "kept")
    try server.stop()
  }

  @Test func `Storage policies are heeded`() async throws {
    let (cache, numbers) = (try TestCache(disk: 8 << 20), Numbered())
    let server = try TestServer { _ in numbers.next([("Cache-Control", "max-age=60")]) }
    let manager = cache.manager(server)
    manager.setDataTaskWillCacheResponseBlock { _, _, proposed in
      let isSecret = proposed.response.url?.path == "/secret"
      return CachedURLResponse(
        response: proposed.response, data: proposed.data, storagePolicy: isSecret ? .notAllowed : .allowedInMemoryOnly)
    }
    #expect(try await manager.text("secret") == "1")
    #expect(try await manager.text("secret") == "2")
    #expect(try await manager.text("memory") == "3")
    #expect(try await manager.text("memory") == "3")
    #expect(try cache.files.isEmpty)
    try server.stop()
  }

  @Test func `A response that must not be kept is not proposed`() async throws {
    let cache = try TestCache()
    let server = try TestServer { request in
      let control = request.path == "/no" ? "no-store" : "max-age=60"
      return .text("x").with("Cache-Control", control)
    }
    let manager = chooser(server, cache)
    _ = try await manager.text("no")
    _ = try await manager.response("a", method: "POST")
    let directory = try TemporaryDirectory()
    _ = try await manager.download("a", to: directory.file("1"))
    #expect(manager.proposals.count == 0)
    try server.stop()
  }

  @Test func `Cancelled while the block is asked, a task completes once`() async throws {
    let cache = try TestCache()
    let server = try TestServer { _ in .text("x").with("Cache-Control", "max-age=60") }
    let manager = cache.manager(server)
    let tasks = Locked<AFURLSessionDataTask?>(nil)
    manager.setDataTaskWillCacheResponseBlock { _, task, proposed in
      task.cancel()
      return proposed
    }
    let completions = Recorder<Completion>()
    let task = manager.dataTask(
      with: URLRequest(url: server.url("a")), uploadProgress: nil, downloadProgress: nil,
      completionHandler: completions.handler)
    tasks.withLock { $0 = task }
    task.resume()
    try await completions.wait(for: 1)
    // Whatever would come a second time has come when another task is through.
    manager.setDataTaskWillCacheResponseBlock(nil)
    #expect(try await manager.text("b") == "x")
    #expect(completions.count == 1)
    #expect(completions.first?.code == .cancelled)
    #expect(try await !manager.keeps("a"))
    try server.stop()
  }

  @Test func `Whoever does not answer has nothing kept, and the task ends well`() async throws {
    /// Never answers.
    final class Silent: AFHTTPSessionManager, @unchecked Sendable {
      // Unchecked because its superclass is; it stores nothing.
      override func urlSession(
        _ session: AFURLSession, dataTask: AFURLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
      ) {}
    }
    let cache = try TestCache()
    let server = try TestServer { _ in .text("x").with("Cache-Control", "max-age=60") }
    let configuration = quietConfiguration()
    configuration.urlCache = cache.cache
    configuration.timeoutIntervalForRequest = 0.3
    let manager = Silent(baseURL: server.url(), sessionConfiguration: configuration)
    manager.responseSerializer = AFHTTPResponseSerializer()
    #expect(try await manager.text("a") == "x")
    #expect(try await !manager.keeps("a"))
    try server.stop()
  }
}
