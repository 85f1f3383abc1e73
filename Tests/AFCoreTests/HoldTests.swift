import AFCore
import AFReachability
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite("Holding requests", .enabled(if: TestNamespace.isAvailable, "needs private network namespaces"))
struct HoldTests {
  /// A client in one network, a server in another, and a link between them that is down at first.
  private struct Scene {
    let client: TestNamespace
    let server: TestServer
    let manager: AFURLSessionManager

    init(holds: Bool = true, cache: URLCache? = nil) async throws {
      client = try TestNamespace()
      let far = try TestNamespace()
      try await client.ip(
        "link set lo up", "link add v0 type veth peer name v0p", "link set v0p netns \(far.threadNumber())"
      )
      try await far.ip("link set lo up", "addr add 192.0.2.1/24 dev v0p", "link set v0p up")
      server = try await far.run {
        var options = TestServer.Options()
        options.listener.host = "192.0.2.1"
        return try TestServer(options) { request in try .echo(request) }
      }
      let monitor = NetworkMonitor()
      // The monitor's thread is made here, and so sees the client's network.
      let reachability = AFNetworkReachabilityManager(target: .general, callbackQueue: .global(), monitor: monitor)
      try await client.run { reachability.startMonitoring() }
      try await eventually { reachability.networkReachabilityStatus == .notReachable }
      let configuration = quietConfiguration()
      configuration.urlCache = cache
      manager = AFURLSessionManager(sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.completionQueue = DispatchQueue(label: "test.completion")
      manager.reachabilityManager = reachability
      manager.transportOptions.holdsUntilReachable = holds
      // So is the engine's thread, by the first request: one to loopback, which is never held, and about which no cache is asked
      // on a thread of its own.
      let local = try await client.run { try TestServer { _ in .text("here") } }
      let first = URLRequest(url: local.url(), cachePolicy: .reloadIgnoringLocalCacheData)
      let (error, _) = try await run(first)
      #expect(error == nil)
    }

    /// The link comes up, with a route over it.
    func connect() async throws {
      try await client.ip("link set v0 up", "addr add 192.0.2.2/24 dev v0", "route add default via 192.0.2.1")
    }

    func request(_ method: String = "GET", timeout: Double = 60) -> URLRequest {
      var request = URLRequest(url: server.url("x", host: "192.0.2.1"))
      request.httpMethod = method
      request.timeoutInterval = timeout
      return request
    }

    /// Starts a task on the client's thread; the recorder gets its end.
    func start(
      _ request: URLRequest, body: Data? = nil
    ) async throws -> (task: AFURLSessionTask, ends: Recorder<(URLError?, Int?)>) {
      let ends = Recorder<(URLError?, Int?)>()
      let completion: @Sendable (URLResponse, Any?, (any Error)?) -> Void = { response, _, error in
        ends.record((error as? URLError, (response as? HTTPURLResponse)?.statusCode))
      }
      let task = try await client.run { [manager] in
        let task: AFURLSessionTask =
          if let body {
            manager.uploadTask(with: request, from: body, progress: nil, completionHandler: completion)
          } else {
            manager.dataTask(
              with: request, uploadProgress: nil, downloadProgress: nil, completionHandler: completion)
          }
        task.resume()
        return task
      }
      return (task, ends)
    }

    func run(_ request: URLRequest) async throws -> (URLError?, Int?) {
      try await start(request).ends.wait(for: 1, within: 20)[0]
    }
  }

  @Test("An upload made while the link is down goes through when it returns")
  func upload() async throws {
    let scene = try await Scene()
    let body = Data(repeating: 7, count: 1 << 20)
    let (task, ends) = try await scene.start(scene.request("POST"), body: body)
    #expect(task.state == .running)
    #expect(ends.count == 0 && scene.server.acceptCount == 0)
    try await scene.connect()
    let (error, status) = try await ends.wait(for: 1, within: 20)[0]
    #expect(error == nil && status == 200)
    #expect(scene.server.requests.map(\.bodyCount) == [Int64(body.count)])
    try scene.server.stop()
  }

  @Test("Without the option the same request fails at once")
  func withoutOption() async throws {
    let scene = try await Scene(holds: false)
    let (error, _) = try await scene.run(scene.request())
    #expect(error?.code == .cannotConnectToHost)
  }

  @Test("The wait is bounded by the request's timeout")
  func timeout() async throws {
    let scene = try await Scene()
    let (error, _) = try await scene.run(scene.request(timeout: 0.2))
    #expect(error?.code == .notConnectedToInternet)
    #expect(error?.userInfo[NSUnderlyingErrorKey] is AFReachabilityError)
  }

  @Test("A held request can be cancelled, and suspended past the network's return")
  func cancelAndSuspend() async throws {
    let scene = try await Scene()
    let (cancelled, cancelledEnds) = try await scene.start(scene.request())
    cancelled.cancel()
    #expect(try await cancelledEnds.wait(for: 1)[0].0?.code == .cancelled)
    let (suspended, ends) = try await scene.start(scene.request())
    suspended.suspend()
    try await scene.connect()
    try await eventually { scene.manager.reachabilityManager.isReachable }
    let (_, status) = try await scene.run(scene.request())
    #expect(status == 200)
    #expect(ends.count == 0)
    suspended.resume()
    #expect(try await ends.wait(for: 1, within: 20)[0].1 == 200)
  }

  @Test("A hop that finds no route is started again when there is one")
  func restart() async throws {
    let scene = try await Scene()
    // The first hop goes to loopback and so is not held; the second has no way.
    let target = scene.server.url("x", host: "192.0.2.1").absoluteString
    let redirector = try await scene.client.run { try TestServer { _ in .redirect(to: target) } }
    let (_, ends) = try await scene.start(URLRequest(url: redirector.url()))
    try await eventually { redirector.requestCount == 1 }
    try await scene.connect()
    let (error, status) = try await ends.wait(for: 1, within: 20)[0]
    #expect(error == nil && status == 200)
  }

  @Test func `What is kept needs no network`() async throws {
    let cache = try TestCache()
    let scene = try await Scene(cache: cache.cache)
    let request = scene.request()
    try cache.put("kept", try #require(request.url), ["Cache-Control": "max-age=60"])
    let ends = try await scene.start(request).ends
    #expect(try await ends.wait(for: 1)[0].1 == 200)
    #expect(scene.server.requests.isEmpty)
  }
}
