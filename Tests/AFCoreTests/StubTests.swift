import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// A stub as users write them for Foundation's session.
final class StubProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "stub.example" }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let url = request.url, let client else { return }
    switch url.path {
    case "/fail": client.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
    case "/redirect":
      guard let response = HTTPURLResponse(url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: [:])
      else { return }
      let target = URLRequest(url: URL(string: "http://stub.example/end") ?? url)
      client.urlProtocol(self, wasRedirectedTo: target, redirectResponse: response)
    case "/hang": break
    case "/large":
      guard let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:])
      else { return }
      client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      for number in 0..<48 { client.urlProtocol(self, didLoad: Data(repeating: UInt8(number), count: 1 << 20)) }
      client.urlProtocolDidFinishLoading(self)
    default:
      let status = url.path == "/404" ? 404 : 200
      let fields = ["Content-Type": "application/json"]
      guard let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
      else { return }
      client.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client.urlProtocol(self, didLoad: Data(#"{"path":"#.utf8))
      client.urlProtocol(self, didLoad: Data("\"\(url.path)\"}".utf8))
      client.urlProtocolDidFinishLoading(self)
    }
  }

  override func stopLoading() {}
}

/// Remembers whether it was asked on the main queue if it wants a request: where it is asked, requests are started.
final class QueueWatchingProtocol: URLProtocol {
  // Not the main thread, which a program with an asynchronous main function has given up on Linux.
  static let mainQueue = DispatchSpecificKey<Bool>()
  static let onMainQueue = Recorder<Bool>()

  override class func canInit(with request: URLRequest) -> Bool {
    onMainQueue.record(DispatchQueue.getSpecific(key: mainQueue) == true)
    return false
  }
}

@Suite struct StubTests {
  struct Answer: Decodable, Sendable { var path: String }

  @Test func `F34 the limit of bodies in memory counts for a stub's, and for no byte stream`() async throws {
    let manager = manager()
    manager.responseSerializer = AFHTTPResponseSerializer()
    var options = AFTransportOptions()
    options.maximumBodySizeInMemory = 40 << 20
    manager.transportOptions = options
    for hasBlock in [false, true] {
      if hasBlock { manager.setDataTaskDidReceiveDataBlock { _, _, _ in } }
      let error = try await failure { _ = try await manager.get("large") }
      #expect(error.urlError?.code == .dataLengthExceedsMaximum, "\(error)")
    }
    let stream = try await manager.stream(for: URLRequest(url: try #require(URL(string: "http://stub.example/large"))))
    var sums = [Int](repeating: 0, count: 48)
    var next = 0
    for try await chunk in stream.chunks {
      // A sink is full with 1 MiB; what it holds is handed out in blocks.
      #expect(chunk.count <= 2 << 20)
      for part in stride(from: 0, to: chunk.count, by: 4096) { sums[Int(chunk[chunk.startIndex + part])] += 1 }
      next += chunk.count
    }
    #expect(next == 48 << 20)
    #expect(sums == [Int](repeating: 256, count: 48))
  }

  @Test func `a stub's body that comes in many pieces is whole`() async throws {
    let manager = manager()
    manager.responseSerializer = AFHTTPResponseSerializer()
    let body = try await manager.get("large").data
    #expect(body.count == 48 << 20)
    for number in 0..<48 {
      let (first, last) = (body[number << 20], body[(number << 20) + 1_048_575])
      #expect(first == UInt8(number) && last == UInt8(number))
    }
  }

  private func manager() -> AFHTTPSessionManager {
    let configuration = quietConfiguration()
    configuration.protocolClasses = [StubProtocol.self] + (configuration.protocolClasses ?? [])
    let manager = AFHTTPSessionManager(
      baseURL: URL(string: "http://stub.example"), sessionConfiguration: configuration)
    manager.completionQueue = DispatchQueue(label: "completions")
    return manager
  }

  @Test @MainActor func `A request of the main actor is started there, without a detour over another thread`()
    async throws
  {
    DispatchQueue.main.setSpecific(key: QueueWatchingProtocol.mainQueue, value: true)
    try await withTestServer(handler: { _ in .text("x") }) { @MainActor server in
      let configuration = quietConfiguration()
      configuration.protocolClasses = [QueueWatchingProtocol.self]
      let manager = AFHTTPSessionManager(sessionConfiguration: configuration)
      manager.responseSerializer = AFHTTPResponseSerializer()
      _ = try await manager.get(server.url("a").absoluteString)
      _ = try await manager.data(for: URLRequest(url: server.url("b")))
      _ = try await manager.stream(for: URLRequest(url: server.url("c")))
      #expect(QueueWatchingProtocol.onMainQueue.values == [true, true, true])
    }
  }

  @Test func `A stubbed request never reaches the network`() async throws {
    let manager = manager()
    let answer: Answer = try await manager.get("/a")
    #expect(answer.path == "/a")
    let redirected = try await manager.get("/redirect")
    #expect((redirected.value as? [String: Any])?["path"] as? String == "/end")
    #expect(redirected.request?.url?.path == "/end")
    let refused = try await failure { _ = try await manager.get("/404") }
    #expect(refused.statusCode == 404)
    let failed = try await failure { _ = try await manager.get("/fail") }
    #expect(failed.urlError?.code == .notConnectedToInternet)
  }

  @Test func `A stubbed task can be cancelled, downloaded and streamed`() async throws {
    let manager = manager()
    let hanging = Task { try await manager.get("/hang") }
    try await eventually { !manager.tasks.isEmpty }
    hanging.cancel()
    let cancelled = await hanging.result
    #expect(throws: AFError.self) { try cancelled.get() }
    let directory = try TemporaryDirectory()
    _ = try await manager.download("/file", to: directory.file("x"))
    #expect(try String(contentsOf: directory.file("x"), encoding: .utf8) == #"{"path":"/file"}"#)
    let url = try #require(URL(string: "http://stub.example/s"))
    var data = Data()
    for try await chunk in try await manager.stream(for: URLRequest(url: url)).chunks { data.append(chunk) }
    #expect(String(decoding: data, as: UTF8.self) == #"{"path":"/s"}"#)
  }

  @Test func `Requests that no stub wants go to the network`() async throws {
    let manager = manager()
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let response = try await manager.get(server.url("a").absoluteString)
      #expect(response.statusCode == 200)
    }
  }
}
