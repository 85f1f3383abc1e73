import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite struct StreamTests {
  @Test func `A body is read while it comes, in blocks or byte by byte`() async throws {
    let gate = Latch()
    try await withTestServer(handler: { request in
      let response = TestResponse.pattern(300_000)
      return request.path == "/gated" ? response.with(.wait(gate), at: .responseBody(100_000)) : response
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let stream = try await manager.stream(for: URLRequest(url: server.url("gated")))
      #expect(stream.statusCode == 200)
      #expect(stream.expectedCount == 300_000)
      var data = Data()
      for try await chunk in stream.chunks {
        data.append(chunk)
        // The server sends the rest only once this much has been read.
        if data.count >= 100_000 { gate.open() }
      }
      #expect(TestDigest.sha256(data) == TestPattern.sha256(count: 300_000))
      var count = 0
      for try await byte in try await manager.stream(for: URLRequest(url: server.url("a"))) {
        count += 1
        if byte == 0, count < 0 { break }
      }
      #expect(count == 300_000)
    }
  }

  @Test func `B48 Leaving a stream half-way ends its transfer and no other`() async throws {
    try await withTestServer(handler: { _ in
      .pattern(2 << 20).with(.drip(bytes: 64 << 10, every: 0.005), at: .responseHead(0))
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let digests = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<4 {
          group.addTask {
            var data = Data()
            for try await chunk in try await manager.stream(for: URLRequest(url: server.url("a"))).chunks {
              data.append(chunk)
            }
            return TestDigest.sha256(data)
          }
        }
        for try await chunk in try await manager.stream(for: URLRequest(url: server.url("left"))).chunks {
          if chunk.count > 0 { break }
        }
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(digests == Array(repeating: TestPattern.sha256(count: 2 << 20), count: 4))
      try await eventually { manager.tasks.isEmpty }
    }
  }

  @Test func `A stream that breaks off throws, and a refused status is thrown at once`() async throws {
    try await withTestServer(handler: { request in
      if request.path == "/404" { return .text("no", status: 404) }
      var response = TestResponse.pattern(1000)
      response.framing = .declared(2000)
      return response.with(.close, at: .responseBody(1000))
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let broken = try await failure {
        for try await _ in try await manager.stream(for: URLRequest(url: server.url("a"))).chunks {}
      }
      #expect(broken.urlError?.code == .networkConnectionLost)
      let refused = try await failure { _ = try await manager.stream(for: URLRequest(url: server.url("404"))) }
      #expect(refused.statusCode == 404)
      try await eventually { manager.tasks.isEmpty }
    }
  }

  @Test func `A slow reader holds the server back`() async throws {
    try await withTestServer(handler: { _ in .pattern(64 << 20) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let stream = try await manager.stream(for: URLRequest(url: server.url("a")))
      // Sleeps so that whatever would come without being read has come.
      try await Task.sleep(nanoseconds: 300_000_000)
      let task = try #require(manager.tasks.first)
      #expect(task.countOfBytesReceived < 8 << 20)
      var count = 0
      for try await chunk in stream.chunks { count += chunk.count }
      #expect(count == 64 << 20)
    }
  }

  @Test func `F38, B98 Ending an iteration ends its transfer, also where the stream is kept`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/small" ? .text("ok") : .pattern(64 << 20)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      var kept: [AFByteStream] = []
      for _ in 0..<6 {
        let stream = try await manager.stream(for: URLRequest(url: server.url("large")))
        for try await _ in stream.chunks { break }
        kept.append(stream)
      }
      var request = URLRequest(url: server.url("small"))
      request.timeoutInterval = 5
      #expect(try await manager.data(for: request).data == Data("ok".utf8))
      try await eventually { manager.tasks.isEmpty }
      #expect(kept.count == 6)
    }
  }

  @Test func `F38, B98 What waits for a connection that unread streams keep times out, and goes through when they go`()
    async throws
  {
    try await withTestServer(handler: { request in
      request.path == "/small" ? .text("ok") : .pattern(64 << 20)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      var kept: [AFByteStream] = []
      for _ in 0..<6 { kept.append(try await manager.stream(for: URLRequest(url: server.url("large")))) }
      var request = URLRequest(url: server.url("small"))
      request.timeoutInterval = 0.5
      do {
        _ = try await manager.data(for: request)
        Issue.record("there was a seventh connection")
      } catch {
        #expect(((error as? AFError)?.cause as? URLError)?.code == .timedOut)
      }
      kept = []
      request.timeoutInterval = 5
      #expect(try await manager.data(for: request).data == Data("ok".utf8))
    }
  }

  @Test func `B98 What waits for a connection that suspended downloads keep times out, and goes through when they go`()
    async throws
  {
    try await withTestServer(handler: { request in
      // Slow enough not to be over before it is suspended.
      request.path == "/small"
        ? .text("ok") : .pattern(64 << 20).with(.drip(bytes: 64 << 10, every: 0.02), at: .responseHead(0))
    }) { server in
      let other = try TestServer { _ in .text("other") }
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let tasks = (0..<6).map { _ in
        manager.downloadTask(
          with: URLRequest(url: server.url("large")), progress: nil, destination: nil, completionHandler: nil)
      }
      for task in tasks { task.resume() }
      try await eventually("six downloads under way") { tasks.allSatisfy { $0.countOfBytesReceived > 0 } }
      for task in tasks { task.suspend() }
      var request = URLRequest(url: server.url("small"))
      request.timeoutInterval = 0.5
      do {
        _ = try await manager.data(for: request)
        Issue.record("there was a seventh connection")
      } catch {
        #expect(((error as? AFError)?.cause as? URLError)?.code == .timedOut)
      }
      // Another server is not affected.
      #expect(try await manager.data(for: URLRequest(url: other.url())).data == Data("other".utf8))
      for task in tasks { task.cancel() }
      request.timeoutInterval = 5
      #expect(try await manager.data(for: request).data == Data("ok".utf8))
      try other.stop()
    }
  }

  @Test func `F47 A second iterator beside one that waits throws, and does not hang`() async throws {
    let gate = Latch()
    try await withTestServer(handler: { _ in .pattern(1000).with(.wait(gate), at: .responseBody(0)) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let stream = try await manager.stream(for: URLRequest(url: server.url("a")))
      let refusals = Recorder<URLError.Code?>()
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 {
          group.addTask {
            do {
              for try await _ in stream.chunks {}
            } catch {
              refusals.record(((error as? AFError)?.cause as? URLError)?.code)
              gate.open()
            }
          }
        }
      }
      #expect(refusals.values.contains(.resourceUnavailable))
    }
  }
}
