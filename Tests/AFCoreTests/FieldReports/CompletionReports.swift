import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Field reports about cancelling, completing and dropping.
@Suite struct CompletionReports {
  @Test(.timeLimit(.minutes(1))) func `B44 A body of 200,000 one-byte chunks`() async throws {
    try await withTestServer(handler: { _ in
      var response = TestResponse.pattern(200_000)
      response.framing = .chunked(size: 1)
      return response
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let response = try await manager.get("a")
      #expect(TestDigest.sha256(response.data) == TestPattern.sha256(count: 200_000))
      let directory = try TemporaryDirectory()
      try await manager.download("a", to: directory.file("x"))
      #expect(try TestDigest.sha256(ofFile: directory.file("x").path) == TestPattern.sha256(count: 200_000))
      let pieces = Recorder<Int>()
      manager.setDataTaskDidReceiveDataBlock { _, _, data in pieces.record(data.count) }
      _ = try await manager.get("a")
      #expect(pieces.values.reduce(0, +) == 200_000)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `B44 A body sent as 200,000 elements of one byte`() async throws {
    try await withTestServer(handler: { _ in .text("ok") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let pattern = TestPattern.data(count: 200_000)
      let bytes = AsyncStream<UInt8> { continuation in
        for byte in pattern { continuation.yield(byte) }
        continuation.finish()
      }
      let form = AFMultipartForm()
      form.append(AFMultipartPart(name: "bytes", content: .bytes(from: bytes, length: nil)))
      var request = URLRequest(url: server.url("up"))
      request.httpMethod = "POST"
      request.httpBodyStream = form.makeBodyStream()
      _ = try await manager.upload(withStreamedRequest: request)
      let seen = try #require(server.requests.first)
      #expect(seen.value("Transfer-Encoding") == "chunked")
      #expect(Data(seen.body).range(of: pattern) != nil)
    }
  }

  @Test(.timeLimit(.minutes(2))) func `B46 Cancelling at any moment ends in a value or a cancellation`() async throws {
    try await withTestServer(handler: { .text("x").delayed(Double($0.query ?? "0") ?? 0) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      for batch in 0..<50 {
        let outcomes = await withTaskGroup(of: Bool.self) { group in
          for round in 0..<20 {
            let delay = Double((batch * 20 + round) % 30) / 10_000
            group.addTask {
              let call = Task { try await manager.get("a?\(delay)").statusCode }
              Task {
                // Sleeps because the moment of the cancellation is what varies.
                try await Task.sleep(nanoseconds: UInt64.random(in: 0...3_000_000))
                call.cancel()
              }
              switch await call.result {
              case .success(let status): return status == 200
              case .failure(let error): return (error as? AFError)?.isCancelled == true
              }
            }
          }
          return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes == Array(repeating: true, count: 20))
      }
    }
  }

  @Test func `B46 A task can be cancelled from its progress, its redirect and its completion`() async throws {
    try await withTestServer(handler: { request in
      request.path == "/redirect" ? .redirect(to: "/big") : .pattern(4 << 20)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      let running = Recorder<AFURLSessionTask>()
      let task = manager.dataTask(
        with: URLRequest(url: server.url("big")), uploadProgress: nil,
        downloadProgress: { _ in running.first?.cancel() }, completionHandler: done.handler)
      running.record(task)
      task.resume()
      try await done.wait(for: 1)
      manager.setTaskWillPerformHTTPRedirectionBlock { _, task, _, request in
        task.cancel()
        return request
      }
      let redirected = manager.dataTask(
        with: URLRequest(url: server.url("redirect")), uploadProgress: nil, downloadProgress: nil
      ) { response, object, error in
        done.record(Completion(response, object, error))
        task.cancel()
      }
      redirected.resume()
      try await done.wait(for: 2)
      #expect(done.last?.code == .cancelled)
      #expect(server.requests.map(\.path) == ["/big", "/redirect"])
    }
  }

  @Test func `B47 A task that is cancelled before it is resumed sends nothing and completes once`() async throws {
    try await withTestServer(handler: { _ in .text("x") }) { server in
      let manager = makeManager(server)
      let done = Recorder<Completion>()
      let task = manager.dataTask(
        with: URLRequest(url: server.url("a")), uploadProgress: nil, downloadProgress: nil,
        completionHandler: done.handler)
      task.cancel()
      task.resume()
      task.cancel()
      try await done.wait(for: 1)
      #expect(done.values.map(\.code) == [.cancelled])
      #expect(task.state == .completed)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `B47 Resuming and suspending several times makes one request`() async throws {
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let manager = makeManager(server)
      let done = Recorder<Completion>()
      let task = manager.dataTask(
        with: URLRequest(url: server.url("a")), uploadProgress: nil, downloadProgress: nil,
        completionHandler: done.handler)
      for _ in 0..<3 { task.resume() }
      for _ in 0..<2 { task.suspend() }
      task.resume()
      try await done.wait(for: 1)
      #expect(done.first?.status == 200)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `B47 A URL that fails and a cancellation at once: one completion`() async throws {
    let manager = AFURLSessionManager(sessionConfiguration: quietConfiguration())
    manager.completionQueue = DispatchQueue(label: "completions")
    let done = Recorder<Completion>()
    for _ in 0..<200 {
      let task = manager.dataTask(
        with: URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/"))), uploadProgress: nil,
        downloadProgress: nil, completionHandler: done.handler)
      task.resume()
      task.cancel()
    }
    try await done.wait(for: 200)
    try await eventually { manager.tasks.isEmpty }
    #expect(done.count == 200)
  }

  @Test(.timeLimit(.minutes(2))) func `B47 Random interleavings complete exactly once each`() async throws {
    try await withTestServer(handler: { _ in .text("x") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let completed = Recorder<Int>()
      let rounds = 2000
      await withTaskGroup(of: Void.self) { group in
        for worker in 0..<8 {
          group.addTask {
            for round in stride(from: worker, to: rounds, by: 8) {
              let task = manager.dataTask(
                with: URLRequest(url: server.url("a")), uploadProgress: nil, downloadProgress: nil
              ) { _, _, _ in completed.record(round) }
              for _ in 0..<Int.random(in: 1...4) {
                switch Int.random(in: 0..<4) {
                case 0: task.cancel()
                case 1: task.suspend()
                default: task.resume()
                }
              }
              task.resume()
            }
          }
        }
      }
      try await completed.wait(for: rounds, within: 30)
      try await eventually { manager.tasks.isEmpty }
      #expect(completed.values.sorted() == Array(0..<rounds))
    }
  }

  @Test(.timeLimit(.minutes(2))) func `B48 Sessions can be dropped while others are in flight`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    let server = try TestServer(.init(tls: TestTLS(identity))) { _ in
      .pattern(64 << 10).with(.drip(bytes: 8 << 10, every: 0.002), at: .responseHead(0))
    }
    let digest = TestPattern.sha256(count: 64 << 10)
    let policy = try AFSecurityPolicy.trusting(authority.certificate)
    @Sendable func make() -> AFHTTPSessionManager {
      let manager = AFHTTPSessionManager(
        baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.securityPolicy = policy
      return manager
    }
    for _ in 0..<10 {
      let digests = try await withThrowingTaskGroup(of: String.self) { group in
        let dropped = Task { try await make().get("a") }
        for _ in 0..<7 { group.addTask { TestDigest.sha256(try await make().get("a").data) } }
        // Sleeps because the moment of the drop is what varies.
        try await Task.sleep(nanoseconds: UInt64.random(in: 0...15_000_000))
        dropped.cancel()
        return try await group.reduce(into: [String]()) { $0.append($1) }
      }
      #expect(digests == Array(repeating: digest, count: 7))
    }
    try server.stop()
  }
}
