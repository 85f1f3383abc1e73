import AFTestSupport
import AFTransfer
import Foundation
import Testing

@Suite struct UploadTests {
  private let directory: TemporaryDirectory
  private var folder: URL { directory.url.appendingPathComponent("queue") }

  init() throws { directory = try TemporaryDirectory() }

  private func file(_ count: Int = 100_000, _ name: String = "file") throws -> URL {
    try directory.write(TestPattern.data(count: count), to: name)
  }

  @Test func `a file is put, whole, once, and the answer kept`() async throws {
    let server = try TestServer { request in
      _ = try request.body()
      return .text("stored", status: 201).with("ETag", "\"1\"").with("Set-Cookie", "secret=1")
    }
    let queue = try await AFTransferQueue.quick(folder)
    var request = AFTransferRequest.upload(try file(), to: server.url("f"))
    request.headers = ["Content-Type": "video/mp4"]
    request.userInfo = ["clip": "4711"]
    let transfer = try await queue.add(request)
    let result = try await transfer.result
    #expect(result.statusCode == 201 && result.body == Data("stored".utf8))
    #expect(result.value(forHTTPHeaderField: "ETag") == "\"1\"")
    #expect(result.value(forHTTPHeaderField: "Set-Cookie") == nil)
    #expect(await transfer.state == .completed)
    #expect(await transfer.progress?.completed == 100_000)
    #expect(await transfer.progress?.fractionCompleted == 1)
    #expect(await transfer.request?.userInfo == ["clip": "4711"])
    await queue.close()
    let received = try #require(server.requests.first)
    #expect(server.requestCount == 1 && received.method == "PUT" && received.value("Content-Type") == "video/mp4")
    #expect(received.value("Content-Length") == "100000" && received.bodySHA256 == TestPattern.sha256(count: 100_000))
    try server.stop()
  }

  @Test func `it is tried again until it succeeds, and an empty file too`() async throws {
    let server = try TestServer(script: [
      .status(503), .status(429), .none(.reset), .status(408), .status(200), .status(200),
    ])
    let queue = try await AFTransferQueue.quick(folder)
    let transfer = try await queue.add(.upload(try file(0), to: server.url("f")))
    #expect(try await transfer.result.statusCode == 200)
    // libcurl asks again by itself where a connection that it reused turns out to be dead.
    #expect([4, 5].contains(await transfer.attempts))
    await queue.close()
    #expect(server.requests.allSatisfy { $0.value("Content-Length") == "0" })
    try server.stop()
  }

  /// Failure 3: the last answer is lost.
  @Test func `where a guess could send twice, the outcome is unknown`() async throws {
    let server = try TestServer { request in
      _ = try request.body()
      return .none(.close)
    }
    let queue = try await AFTransferQueue.quick(folder)
    var request = AFTransferRequest.upload(try file(), to: server.url("f"))
    request.method = "POST"
    let transfer = try await queue.add(request)
    #expect(try await failureCode(transfer) == .outcomeUnknown)
    #expect(server.requestCount == 1)
    await queue.close()
    try server.stop()
  }

  @Test(arguments: [AFTransferQueue.Verdict.processed, .notProcessed, .unknown])
  func `in doubt the registered verification decides`(verdict: AFTransferQueue.Verdict) async throws {
    let server = try TestServer { request in
      _ = try request.body()
      return request.connection.index == 0 ? .none(.close) : .status(200)
    }
    let asked = Recorder<URL>()
    let queue = try await AFTransferQueue.quick(folder)
    await queue.register(
      verification: { request in
        asked.record(request.url)
        return asked.count == 1 ? verdict : .processed
      }, as: "check")
    var request = AFTransferRequest.upload(try file(), to: server.url("f"))
    request.method = "POST"
    request.verification = "check"
    let transfer = try await queue.add(request)
    switch verdict {
    case .processed:
      #expect(try await transfer.result.statusCode == nil)
      #expect(server.requestCount == 1)
    case .notProcessed:
      _ = try await transfer.result
      #expect(server.requestCount == 2)
    case .unknown: #expect(try await failureCode(transfer) == .outcomeUnknown)
    }
    await queue.close()
    try server.stop()
  }

  @Test(arguments: [true, false]) func `the caller may vouch for a second time`(byKey: Bool) async throws {
    let count = Recorder<String?>()
    let server = try TestServer { request in
      _ = try request.body()
      count.record(request.value("Idempotency-Key"))
      return count.count == 1 ? .none(.close) : .status(200)
    }
    let queue = try await AFTransferQueue.quick(folder)
    var request = AFTransferRequest.upload(try file(), to: server.url("f"))
    request.method = "POST"
    if byKey { request.usesIdempotencyKey = true } else { request.delivery = .atLeastOnce }
    let transfer = try await queue.add(request)
    _ = try await transfer.result
    #expect(count.values == Array(repeating: byKey ? transfer.id.uuidString : nil, count: 2))
    await queue.close()
    try server.stop()
  }

  @Test(arguments: [400, 403, 404, 301, 303]) func `a refusal is the end, and its body is kept`(status: Int)
    async throws
  {
    let server = try TestServer { request in
      _ = try request.body()
      return .text("no", status: status).with("Location", "/elsewhere")
    }
    let queue = try await AFTransferQueue.quick(folder)
    let transfer = try await queue.add(.upload(try file(), to: server.url("f")))
    guard case .failed(let error) = try await transfer.outcome else { throw CancellationError() }
    #expect(error.code == .rejected && error.statusCode == status && error.body == Data("no".utf8))
    #expect(server.requestCount == 1)
    await queue.close()
    try server.stop()
  }

  @Test(arguments: [307, 308]) func `a body follows to another place of the same origin`(status: Int) async throws {
    let server = try TestServer { request in
      _ = try request.body()
      return request.path == "/f" ? .redirect(status, to: "/g") : .status(204)
    }
    let queue = try await AFTransferQueue.quick(folder)
    #expect(try await queue.add(.upload(try file(), to: server.url("f"))).result.statusCode == 204)
    #expect(server.requests.last?.bodySHA256 == TestPattern.sha256(count: 100_000))
    await queue.close()
    try server.stop()
  }

  // MARK: files

  /// Failure 9: the file changes meanwhile.
  @Test(arguments: ["changed", "replaced", "gone", "during"])
  func `a source that is not what it was is never sent as if it were`(how: String) async throws {
    let file = try file()
    let server = try TestServer { request in
      if how == "during" { try Data("other".utf8).write(to: file) }
      _ = try request.body()
      return .status(200)
    }
    let queue = try await AFTransferQueue.quick(folder)
    await queue.pause()
    let transfer = try await queue.add(.upload(file, to: server.url("f")))
    switch how {
    case "changed":
      let handle = try FileHandle(forUpdating: file)
      try handle.write(contentsOf: Data("x".utf8))
      try handle.close()
    case "replaced":
      try FileManager.default.removeItem(at: file)
      try TestPattern.data(count: 100_000).write(to: file)
    case "gone": try FileManager.default.removeItem(at: file)
    default: break
    }
    await queue.resume()
    #expect(try await failureCode(transfer) == (how == "gone" ? .sourceMissing : .sourceChanged))
    #expect(server.requestCount == (how == "during" ? 1 : 0))
    await queue.close()
    try server.stop()
  }

  @Test(arguments: [AFTransferRequest.Source.handOver, .copy])
  func `a file in the spool may be deleted or changed by its owner, and is gone at the end`(
    source: AFTransferRequest.Source
  ) async throws {
    let file = try file()
    let server = try TestServer { request in
      _ = try request.body()
      return .status(200)
    }
    let queue = try await AFTransferQueue.quick(folder)
    await queue.pause()
    let transfer = try await queue.add(.upload(file, to: server.url("f"), source: source))
    #expect(FileManager.default.fileExists(atPath: file.path) == (source == .copy))
    try Data("other".utf8).write(to: file)
    #expect(try spooled() == ["\(transfer.id.uuidString).body"])
    await queue.resume()
    _ = try await transfer.result
    #expect(server.requests.first?.bodySHA256 == TestPattern.sha256(count: 100_000))
    try await eventually { try spooled().isEmpty }
    #expect(FileManager.default.fileExists(atPath: file.path))
    await queue.close()
    try server.stop()
  }

  private func spooled() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path + "/spool")
  }

  @Test func `what cannot be added leaves nothing behind`() async throws {
    let queue = try await AFTransferQueue.quick(folder) { $0.diskBudget = 150_000 }
    await queue.pause()
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    let missing = AFTransferRequest.upload(directory.file("missing"), to: url)
    let good = AFTransferRequest.upload(try file(), to: url, source: .copy)
    await #expect(throws: AFTransferError.self) { try await queue.add(contentsOf: [good, missing]) }
    await #expect(throws: AFTransferError.self) { try await queue.add(.upload(directory.url, to: url)) }
    #expect(try spooled().isEmpty)
    #expect(await queue.transfers.isEmpty)
    // The budget of the spool.
    try await queue.add(good)
    await #expect(throws: AFTransferError.self) { try await queue.add(good) }
    #expect(try spooled().count == 1)
    await queue.close()
  }
}
