import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFTransport

/// F45: nothing of the app's, and nothing of Foundation's that is slow, runs on the engine's thread.
@Suite(.serialized) struct EngineThreadTests {
  @Test func `F45: URLProtocol classes are asked elsewhere, for the second hop too`() async throws {
    try await withTestServer(handler: { $0.path.hasSuffix("end") ? .json("{}") : .redirect(to: "/end") }) { server in
      let configuration = quietConfiguration()
      configuration.protocolClasses = [ThreadWatchingProtocol.self]
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration)
      _ = try await manager.get("thread-watched")
      let threads = ThreadWatchingProtocol.threads.values
      #expect(threads.count == 2)
      #expect(!threads.contains("af.engine"))
    }
  }

  @Test(arguments: [200, 404])
  func `F45: a subclass is asked for its serializer elsewhere`(status: Int) async throws {
    try await withTestServer(handler: { _ in .json("{}", status: status) }) { server in
      let manager = WatchingManager(baseURL: server.url(), sessionConfiguration: quietConfiguration())
      manager.completionQueue = DispatchQueue(label: "test.completions")
      for _ in 0..<5 {
        let ends = Recorder<Bool>()
        manager.get("x", success: { _, _ in ends.record(true) }, failure: { _, _ in ends.record(false) })
        let endsFirst = try await ends.wait(for: 1)[0]
        #expect(endsFirst == (status == 200))
      }
      #expect(!manager.threads.values.isEmpty)
      #expect(!manager.threads.values.contains("af.engine"))
    }
  }

  @Test func `F45: a response of large fields is made in no time to speak of`() async throws {
    let large = String(repeating: "a;b=\"c\\\"", count: 8000)
    let lines = (0..<3000).map { "X-Many: \($0)\r\n" }.joined()
    let head = "HTTP/1.1 200 OK\r\nContent-Type: \(large)\r\nContent-Disposition: \(large)\r\nX-Large: \(large)\r\n"
    try await withTestServer(handler: { _ in .raw("\(head)\(lines)Content-Length: 2\r\n\r\n{}") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let ends = Recorder<Completion>()
      let start = MonotonicTime.now
      manager.dataTask(
        with: URLRequest(url: server.url()), uploadProgress: nil, downloadProgress: nil, completionHandler: ends.handler
      ).resume()
      let response = try #require(try await ends.wait(for: 1)[0].response as? HTTPURLResponse)
      // The report is about time: it took seconds.
      #expect(MonotonicTime.now - start < 20)
      #expect(response.value(forHTTPHeaderField: "X-Large") == large)
      #expect(response.value(forHTTPHeaderField: "X-Many")?.hasPrefix("0, 1, 2, ") == true)
      #expect(response.value(forHTTPHeaderField: "X-Many")?.hasSuffix(", 2998, 2999") == true)
      // What Foundation would pick apart is left out of its object, and still told by the package.
      #expect(response.value(forHTTPHeaderField: "Content-Type") == nil)
    }
  }
}

private func threadName() -> String {
  let name = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
  return name?.trimmingCharacters(in: .newlines) ?? ""
}

private final class ThreadWatchingProtocol: URLProtocol {
  static let threads = Recorder<String>()

  override class func canInit(with request: URLRequest) -> Bool {
    threads.record(threadName())
    return false
  }
}

private final class WatchingManager: AFHTTPSessionManager, @unchecked Sendable {
  // Unchecked because its superclass is; it stores a constant.
  let threads = Recorder<String>()

  override var responseSerializer: AFHTTPResponseSerializer {
    get {
      threads.record(threadName())
      return super.responseSerializer
    }
    set { super.responseSerializer = newValue }
  }
}
