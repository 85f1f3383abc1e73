import AFCore
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

@Suite struct ContinuationTests {
  @Test(
    arguments: [
      ("GET", 200, nil, "\"v1\"", 10, true), ("GET", 206, nil, "\"v1\"", 10, true), (nil, 200, nil, "\"v1\"", 10, true),
      ("GET", 200, "identity", "\"v1\"", 10, true), ("GET", 200, "", "\"v1\"", 10, true),
      ("POST", 200, nil, "\"v1\"", 10, false), ("HEAD", 200, nil, "\"v1\"", 10, false),
      ("GET", 200, nil, nil, 10, false), ("GET", 404, nil, "\"v1\"", 10, false),
      ("GET", nil, nil, "\"v1\"", 10, false), ("GET", 200, nil, "\"v1\"", 0, false),
      ("GET", 200, "gzip", "\"v1\"", 10, false), ("GET", 200, "br", "\"v1\"", 10, false),
    ] as [(String?, Int?, String?, String?, Int64, Bool)])
  func `The rest is asked for only where it must belong to what is there`(
    _ method: String?, _ status: Int?, _ encoding: String?, _ condition: String?, _ count: Int64, _ continues: Bool
  ) {
    let continuation = Continuation(
      method: method, status: status, encoding: encoding, condition: condition, count: count)
    #expect((continuation != nil) == continues)
    if let continuation {
      #expect(continuation.fields.first { $0.name == "Range" }?.value == "bytes=10-")
      #expect(continuation.fields.first { $0.name == "If-Range" }?.value == "\"v1\"")
    }
  }

  @Test(
    arguments: [
      (206, "bytes 10-19/20", Continuation.Answer.rest), (206, "bytes 10-19/*", .rest), (200, nil, .whole),
      (200, "bytes 10-19/20", .whole), (416, "bytes */20", .whole), (416, "bytes */10", .complete), (416, nil, .whole),
      (nil, nil, .whole), (206, nil, .other),
      (206, "bytes 0-19/20", .other), (206, "bytes 11-19/20", .other), (206, "nonsense", .other),
      (206, "bytes 10-5/20", .other), (206, "items 10-19/20", .other),
      (206, "bytes 10-99999999999999999999/20", .other),
    ] as [(Int?, String?, Continuation.Answer)])
  func `An answer is joined only where it begins at the next byte`(
    _ status: Int?, _ range: String?, _ answer: Continuation.Answer
  ) throws {
    let continuation = try #require(
      Continuation(method: "GET", status: 200, encoding: nil, condition: "\"a\"", count: 10))
    #expect(continuation.answer(status: status, contentRange: range) == answer)
  }
}

@Suite struct PauseTests {
  private static let size: Int64 = 400_000

  /// Begins a request for the pattern, and pauses it when a part has come.
  private func paused(_ server: TestServer, _ operation: AFHTTPRequestOperation, _ part: Int64) async throws {
    let received = Recorder<Int64>()
    operation.setDownloadProgressBlock { _, total, _ in received.record(total) }
    operation.start()
    try await eventually { (received.last ?? 0) >= part }
    operation.pause()
    #expect(operation.isPaused && !operation.isExecuting && !operation.isFinished)
    try await eventually { operation.core.withLock { $0.task } == nil }
  }

  @Test func `A paused operation asks for the rest with Range and If-Range`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      let response = TestResponse.ranged(request, total: Self.size)
      return request.value("Range") == nil ? response.with(.wait(latch), at: .responseBody(100_000)) : response
    }) { server in
      let operation = OperationTests.operation(server)
      try await paused(server, operation, 100_000)
      let calls = Recorder<Bool>()
      operation.completionBlock = { calls.record(true) }
      #expect(calls.values.isEmpty)
      operation.resume()
      latch.open()
      try await operation.run()
      #expect(operation.responseData == TestPattern.data(count: Int(Self.size)))
      #expect(server.requests.last?.value("Range") == "bytes=100000-")
      #expect(server.requests.last?.value("If-Range") == "\"v1\"")
      #expect(operation.response?.statusCode == 206)
      try await calls.wait(for: 1)
    }
  }

  @Test func `What has changed on the server comes whole`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      guard request.value("Range") == nil else {
        return .data(Data("new".utf8)).with("ETag", "\"v2\"")
      }
      return TestResponse.ranged(request, total: Self.size).with(.wait(latch), at: .responseBody(100_000))
    }) { server in
      let operation = OperationTests.operation(server)
      try await paused(server, operation, 100_000)
      operation.resume()
      latch.open()
      try await operation.run()
      #expect(operation.responseData == Data("new".utf8))
    }
  }

  @Test func `Without a validator everything is asked for again`() async throws {
    let latch = Latch()
    let count = Locked(0)
    try await withTestServer(handler: { request in
      let isFirst = count.withLock { count in
        count += 1
        return count == 1
      }
      let response = TestResponse.ranged(request, total: Self.size, entityTag: nil)
      return isFirst ? response.with(.wait(latch), at: .responseBody(100_000)) : response
    }) { server in
      let operation = OperationTests.operation(server)
      try await paused(server, operation, 100_000)
      operation.resume()
      latch.open()
      try await operation.run()
      #expect(operation.responseData == TestPattern.data(count: Int(Self.size)))
      #expect(server.requests.last?.value("Range") == nil)
    }
  }

  @Test func `A part that does not fit is an error`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      guard request.value("Range") == nil else {
        var response = TestResponse.data(Data("xyz".utf8))
        response.status = 206
        return response.with("Content-Range", "bytes 5-7/400000")
      }
      return TestResponse.ranged(request, total: Self.size).with(.wait(latch), at: .responseBody(100_000))
    }) { server in
      let operation = OperationTests.operation(server)
      try await paused(server, operation, 100_000)
      operation.resume()
      latch.open()
      await #expect(throws: AFOperationError.wrongPart) { try await operation.run() }
    }
  }

  @Test func `A pause that is followed by resume at once, again and again, ends with the whole body`() async throws {
    try await withTestServer(handler: { request in
      TestResponse.ranged(request, total: Self.size)
    }) { server in
      for round in 0..<20 {
        let operation = OperationTests.operation(server)
        operation.start()
        for step in 0..<round {
          operation.pause()
          if step % 3 == 0 { await Task.yield() }
          operation.resume()
        }
        try await operation.run()
        #expect(operation.responseData == TestPattern.data(count: Int(Self.size)))
      }
    }
  }

  @Test func `A pause before the start holds the operation until it is resumed`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operation = OperationTests.operation(server)
      operation.pause()
      operation.start()
      try await Task.sleep(nanoseconds: 30_000_000)
      #expect(server.requestCount == 0 && operation.isPaused && !operation.isFinished)
      operation.resume()
      try await operation.run()
      #expect(server.requestCount == 1)
    }
  }

  @Test func `A paused operation that is cancelled fails, once`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      TestResponse.ranged(request, total: Self.size).with(.wait(latch), at: .responseBody(100_000))
    }) { server in
      let operation = OperationTests.operation(server)
      let calls = Recorder<URLError.Code?>()
      operation.setCompletionBlockWithSuccess(
        { _, _ in calls.record(nil) }, failure: { calls.record($1.urlCode) })
      try await paused(server, operation, 100_000)
      operation.cancel()
      operation.resume()
      try await calls.wait(for: 1)
      latch.open()
      #expect(calls.values == [.cancelled])
    }
  }

  @Test func `Progress of a resumed operation counts what was there before`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      let response = TestResponse.ranged(request, total: Self.size)
      return request.value("Range") == nil ? response.with(.wait(latch), at: .responseBody(100_000)) : response
    }) { server in
      let operation = OperationTests.operation(server)
      try await paused(server, operation, 100_000)
      let told = Recorder<(UInt, Int64, Int64)>()
      operation.setDownloadProgressBlock { told.record(($0, $1, $2)) }
      operation.resume()
      latch.open()
      try await operation.run()
      try await eventually { told.last?.1 == Self.size }
      #expect(told.values.allSatisfy { $0.2 == Self.size && $0.1 > 100_000 })
      #expect(told.values.reduce(0) { $0 + Int64($1.0) } == Self.size - 100_000)
    }
  }

  @Test func `A paused operation that writes to a stream goes on behind what it has written`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      let response = TestResponse.ranged(request, total: Self.size)
      return request.value("Range") == nil ? response.with(.wait(latch), at: .responseBody(100_000)) : response
    }) { server in
      let folder = try TemporaryDirectory()
      let operation = OperationTests.operation(server)
      operation.outputStream = OutputStream(toFileAtPath: folder.file("a").path, append: false)
      try await paused(server, operation, 100_000)
      operation.resume()
      latch.open()
      try await operation.run()
      #expect(try Data(contentsOf: folder.file("a")) == TestPattern.data(count: Int(Self.size)))
      #expect(server.requests.last?.value("Range") == "bytes=100000-")
      #expect(operation.responseData == nil)
    }
  }

  @Test func `A stream that cannot be continued fails the operation`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      guard request.value("Range") == nil else { return .data(Data("new".utf8)).with("ETag", "\"v2\"") }
      return TestResponse.ranged(request, total: Self.size).with(.wait(latch), at: .responseBody(100_000))
    }) { server in
      let operation = OperationTests.operation(server)
      operation.outputStream = OutputStream(toMemory: ())
      try await paused(server, operation, 100_000)
      operation.resume()
      latch.open()
      await #expect(throws: AFOperationError.cannotContinue) { try await operation.run() }
    }
  }
}
