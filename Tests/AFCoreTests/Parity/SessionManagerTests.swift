import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// AFNetworking's own tests of its URL session manager, where they have a meaning here.
@Suite struct SessionManagerTests {
  private func request(_ server: TestServer, _ path: String = "big", method: String = "GET") -> URLRequest {
    var request = URLRequest(url: server.url(path))
    request.httpMethod = method
    return request
  }

  @Test func `AF-T120 AF-T121 AF-T164 A data task reports its progress up to 1`() async throws {
    try await withTestServer(handler: { _ in .pattern(4 << 20) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      let fractions = Recorder<Double>()
      let task = manager.dataTask(
        with: request(server), uploadProgress: nil, downloadProgress: { fractions.record($0.fractionCompleted) },
        completionHandler: done.handler)
      let progress = try #require(manager.downloadProgress(for: task))
      #expect(progress.totalUnitCount == -1)
      task.resume()
      try await done.wait(for: 1)
      #expect(fractions.last == 1)
      #expect(fractions.values == fractions.values.sorted())
      #expect(progress.fractionCompleted == 1)
      #expect(manager.downloadProgress(for: task) == nil)
    }
  }

  @Test func `AF-T122 AF-T123 A download reports progress, and its metrics reach block and notification`() async throws
  {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .pattern(1 << 20) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let fractions = Recorder<Double>()
      let metrics = Recorder<AFURLSessionTaskMetrics>()
      manager.setTaskDidFinishCollectingMetricsBlock { _, _, value in if let value { metrics.record(value) } }
      let done = Recorder<Completion>()
      let task = manager.downloadTask(
        with: request(server), progress: { fractions.record($0.fractionCompleted) },
        destination: { _, _ in directory.file("x") }, completionHandler: done.fileHandler)
      let notes = NotificationRecorder(.AFNetworkingTaskDidComplete, object: task)
      task.resume()
      try await done.wait(for: 1)
      let note = try #require(try await notes.wait(for: 1).first)
      #expect(fractions.last == 1)
      let transaction = try #require(metrics.first?.transactionMetrics.first)
      #expect(metrics.first?.redirectCount == 0)
      #expect(transaction.request.url == server.url("big"))
      #expect(transaction.networkProtocolName == "http/1.1")
      #expect(transaction.remotePort == Int(server.port))
      #expect(transaction.countOfResponseBodyBytesReceived == 1 << 20)
      let first = try #require(transaction.responseStartDate)
      #expect(try #require(transaction.fetchStartDate) <= first)
      #expect(note.keys.contains(AFNetworkingTaskDidCompleteSessionTaskMetrics))
      #expect(note.url(AFNetworkingTaskDidCompleteAssetPathKey) == directory.file("x"))
      #expect(note.url(AFNetworkingTaskDidCompleteSerializedResponseKey) == directory.file("x"))
      #expect(!note.keys.contains(AFNetworkingTaskDidCompleteResponseDataKey))
    }
  }

  @Test func `AF-T124 AF-T125 AF-X053 A session that is invalidated stays, or is made anew`() async throws {
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      let manager = makeManager(server)
      let invalid = Recorder<AFURLSession>()
      manager.setSessionDidBecomeInvalidBlock { session, _ in invalid.record(session) }
      let first = manager.session
      manager.invalidateSessionCancelingTasks(true, resetSession: false)
      #expect(manager.session === first)
      let dead = try await failure { _ = try await manager.get("a") }
      #expect(dead.isCancelled)
      try await invalid.wait(for: 1)
      #expect(invalid.first === first)
      manager.invalidateSessionCancelingTasks(true, resetSession: true)
      #expect(manager.session !== first)
      _ = try await manager.get("a")
      #expect(invalid.count == 1)
    }
  }

  @Test(arguments: [true, false])
  func `AF-X053 Invalidating cancels running tasks or lets them finish`(cancels: Bool) async throws {
    let gate = Latch()
    try await withTestServer(handler: { _ in TestResponse.json("{}").with(.wait(gate), at: .responseHead(0)) }) {
      server in
      let manager = makeManager(server)
      let done = Recorder<Completion>()
      let events = Recorder<String>()
      manager.setSessionDidBecomeInvalidBlock { _, _ in events.record("invalid") }
      for _ in 0..<3 {
        manager.dataTask(with: request(server), completionHandler: done.handler).resume()
      }
      try await eventually { server.requests.count == 3 }
      manager.invalidateSessionCancelingTasks(cancels, resetSession: true)
      #expect(cancels || events.count == 0)
      gate.open()
      try await done.wait(for: 3)
      try await events.wait(for: 1)
      #expect(done.values.map(\.code) == Array(repeating: cancels ? .cancelled : nil, count: 3))
      _ = try await manager.get("again")
      #expect(events.count == 1)
    }
  }

  @Test func `AF-T126 AF-T127 AF-T165 An upload reports its progress up to 1`() async throws {
    try await withTestServer(handler: { .text("\(try $0.body().count)") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      let fractions = Recorder<Double>()
      let task = manager.uploadTask(
        with: request(server, method: "POST"), from: TestPattern.data(count: 200_000),
        progress: { fractions.record($0.fractionCompleted) }, completionHandler: done.handler)
      let progress = try #require(manager.uploadProgress(for: task))
      task.resume()
      try await done.wait(for: 1)
      #expect(fractions.last == 1)
      #expect(progress.fractionCompleted == 1)
      let posted = Recorder<Double>()
      let text = String(repeating: "a", count: 20_000)
      manager.post("p", parameters: text, progress: { posted.record($0.fractionCompleted) }, success: nil)
      try await eventually { posted.last == 1 }
    }
  }

  enum Kind: CaseIterable, Sendable { case data, upload, download }

  @Test(arguments: Kind.allCases)
  func `AF-T128 AF-T129 AF-T132 AF-T133 AF-T136 AF-T137 AF-X043 Notifications of resuming and suspending`(kind: Kind)
    async throws
  {
    let gate = Latch()
    try await withTestServer(handler: { _ in TestResponse.json("{}").with(.wait(gate), at: .responseHead(0)) }) {
      server in
      let manager = makeManager(server)
      let done = Recorder<Completion>()
      let task: AFURLSessionTask =
        switch kind {
        case .data: manager.dataTask(with: request(server), completionHandler: done.handler)
        case .upload:
          manager.uploadTask(
            with: request(server, method: "POST"), from: Data(), progress: nil, completionHandler: done.handler)
        case .download:
          manager.downloadTask(
            with: request(server), progress: nil, destination: nil, completionHandler: done.fileHandler)
        }
      let resumed = NotificationRecorder(.AFNetworkingTaskDidResume, object: task)
      let suspended = NotificationRecorder(.AFNetworkingTaskDidSuspend, object: task)
      let completed = NotificationRecorder(.AFNetworkingTaskDidComplete, object: task)
      task.suspend()
      task.resume()
      task.resume()
      task.suspend()
      task.suspend()
      task.resume()
      gate.open()
      try await done.wait(for: 1)
      try await completed.wait(for: 1)
      #expect(resumed.count == 2)
      #expect(suspended.count == 1)
      #expect(completed.count == 1)
    }
  }

  @Test func `AF-T150 AF-T151 Notifications of a moved file, and of one that could not be moved`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in .pattern(100) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      func download(to target: URL) -> AFURLSessionDownloadTask {
        manager.downloadTask(
          with: request(server), progress: nil, destination: { _, _ in target }, completionHandler: done.fileHandler)
      }
      let good = download(to: directory.file("x"))
      let moved = NotificationRecorder(.AFURLSessionDownloadTaskDidMoveFileSuccessfully, object: good)
      good.resume()
      try await done.wait(for: 1)
      #expect(moved.count == 1)
      let bad = download(to: directory.file("none/x"))
      let failed = NotificationRecorder(.AFURLSessionDownloadTaskDidFailToMoveFile, object: bad)
      bad.resume()
      try await done.wait(for: 2)
      #expect(failed.count == 1)
      #expect((done.last?.error as? CocoaError)?.code == .fileNoSuchFile)
    }
  }

  @Test func `AF-X054 The task lists can be asked for from a callback`() async throws {
    try await withTestServer(handler: { _ in .pattern(100_000) }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let counts = Recorder<[Int]>()
      manager.setDataTaskDidReceiveDataBlock { _, _, _ in
        counts.record([manager.tasks.count, manager.dataTasks.count, manager.uploadTasks.count])
      }
      let done = Recorder<Completion>()
      let idle = manager.downloadTask(with: request(server), progress: nil, destination: nil)
      manager.dataTask(with: request(server), completionHandler: done.handler).resume()
      try await done.wait(for: 1)
      #expect(counts.first == [2, 1, 0])
      #expect(manager.downloadTasks == [idle])
      idle.cancel()
      try await eventually { manager.tasks.isEmpty }
    }
  }

  @Test func `AF-X055 Progress objects cancel, pause and resume their task`() async throws {
    try await withTestServer(handler: { _ in .none(.stall) }) { server in
      let manager = makeManager(server)
      let done = Recorder<Completion>()
      let task = manager.dataTask(with: request(server), completionHandler: done.handler)
      let progress = try #require(manager.downloadProgress(for: task))
      task.resume()
      progress.pause()
      try await eventually(within: 30) { task.state == .suspended }
      progress.resume()
      try await eventually(within: 30) { task.state == .running }
      progress.cancel()
      try await done.wait(for: 1)
      #expect(done.first?.code == .cancelled)
      #expect(manager.downloadProgress(for: task) == nil)
    }
  }

  @Test func `AF-X056 A length that nobody announces is unknown until the end`() async throws {
    try await withTestServer(handler: { _ in
      var response = TestResponse.pattern(4 << 20)
      response.framing = .chunked(size: 64 << 10)
      return response.with(.drip(bytes: 1 << 20, every: 0.06), at: .responseHead(0))
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let seen = Recorder<(Int64, Double)>()
      _ = try await manager.data(for: request(server)) { seen.record(($0.totalUnitCount, $0.fractionCompleted)) }
      #expect(seen.last.map { $0.0 == 4 << 20 && $0.1 == 1 } == true)
      #expect(seen.values.dropLast().allSatisfy { $0.0 == -1 && $0.1 == 0 })
    }
  }

  @Test func `AF-X059 A manager goes when its session is invalidated, or when nothing runs`() async throws {
    try await withTestServer(handler: { _ in .json("{}") }) { server in
      weak var released: AFHTTPSessionManager?
      func use() async throws {
        let manager = makeManager(server)
        manager.setTaskDidComplete { [weak manager] _, _, _ in _ = manager?.tasks }
        released = manager
        _ = try await manager.get("a")
        manager.get("a", success: nil)
        manager.dataTask(with: request(server)).resume()
      }
      try await use()
      try await eventually { released == nil }
    }
  }

  @Test func `A subclass is called for what it overrides, and for nothing else`() async throws {
    final class Plain: AFHTTPSessionManager, @unchecked Sendable {
      // Unchecked because its superclass is; it stores nothing.
    }
    final class Overriding: AFHTTPSessionManager, @unchecked Sendable {
      // Unchecked because its superclass is; it stores a constant.
      let calls = Recorder<String>()

      override func urlSession(
        _ session: AFURLSession, task: AFURLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
      ) {
        calls.record("redirect \(response.statusCode)")
        super.urlSession(
          session, task: task, willPerformHTTPRedirection: response, newRequest: request,
          completionHandler: completionHandler)
      }

      override func urlSession(
        _ session: AFURLSession, task: AFURLSessionTask, didCompleteWithError error: (any Error)?
      ) {
        calls.record("complete")
        super.urlSession(session, task: task, didCompleteWithError: error)
      }
    }
    #expect(OverrideProbe.interests(of: AFHTTPSessionManager.self) == [])
    #expect(OverrideProbe.interests(of: Plain.self) == [])
    #expect(OverrideProbe.interests(of: Overriding.self) == [.redirect, .complete])
    try await withTestServer(handler: { $0.path == "/a" ? .redirect(to: "/b") : .json("{}") }) { server in
      let manager = Overriding(baseURL: server.url(), sessionConfiguration: quietConfiguration())
      _ = try await manager.get("a")
      try await eventually { manager.calls.values == ["redirect 302", "complete"] }
    }
  }
}
