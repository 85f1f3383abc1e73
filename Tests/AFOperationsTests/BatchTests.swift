import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

/// AF-X071, and batches of 10,000.
@Suite(.serialized) struct BatchTests {
  static let count = 10_000

  static func withQuickServer(_ body: (TestServer) async throws -> Void) async throws {
    var options = TestServer.Options()
    options.records = false
    options.digestsBodies = false
    try await withTestServer(options, handler: { .text(String($0.target.dropFirst())) }, body)
  }

  static func requests(_ server: TestServer, _ count: Int) -> [URLRequest] {
    (0..<count).map { URLRequest(url: server.url("\($0)")) }
  }

  /// In a process of its own: what others have meanwhile is not to be counted.
  @Test(arguments: [4, 16, OperationQueue.defaultMaxConcurrentOperationCount])
  func `10,000 requests come back in their order, counted one by one, in bounded memory`(_ width: Int) async {
    await #expect(processExitsWith: .success) { [width] in
      try await BatchTests.withQuickServer { server in
        let client = makeClient(server)
        client.operationQueue.maxConcurrentOperationCount = width
        let counts = Recorder<UInt>()
        let before = ProcessSnapshot.take().residentBytes
        let operations = await withCheckedContinuation { continuation in
          client.enqueueBatchOfHTTPRequestOperations(
            withRequests: BatchTests.requests(server, BatchTests.count),
            progressBlock: { finished, total in
              dispatchPrecondition(condition: .onQueue(.main))
              counts.record(total == UInt(BatchTests.count) ? finished : 0)
            },
            completionBlock: { operations in
              dispatchPrecondition(condition: .onQueue(.main))
              continuation.resume(returning: operations)
            })
        }
        try #require(counts.values == Array(1...UInt(BatchTests.count)))
        try #require(operations.map(\.responseString) == (0..<BatchTests.count).map { "\($0)" })
        try #require(operations.allSatisfy { $0.isFinished && $0.error == nil })
        // About 10 KB each, the finished operations among them.
        try #require(ProcessSnapshot.isSanitized || ProcessSnapshot.take().residentBytes - before < 200 << 20)
        try await eventually { client.operationQueue.operationCount == 0 }
      }
    }
  }

  @Test func `AF-X071 a batch of failures and successes ends at its total, once, in the order given`() async throws {
    try await withTestServer(handler: { .text("a", status: $0.path == "/bad" ? 500 : 200) }) { server in
      let client = makeClient(server)
      var requests = [get(server, "good"), get(server, "bad"), URLRequest(url: server.url("good"))]
      requests.append(client.request(withMethod: "GET", path: "no path", parameters: nil) as URLRequest)
      requests.append(try URLRequest(url: #require(URL(string: "http://127.0.0.1:1/"))))
      let counts = Recorder<UInt>()
      let ends = Recorder<[Bool]>()
      client.enqueueBatchOfHTTPRequestOperations(
        withRequests: requests, progressBlock: { finished, _ in counts.record(finished) },
        completionBlock: { ends.record($0.map { $0.error == nil }) })
      try await ends.wait(for: 1)
      #expect(ends.values == [[true, false, true, false, false]])
      #expect(counts.values == [1, 2, 3, 4, 5])
    }
  }

  @Test func `AF-X071 an empty batch completes, and tells of no progress`() async throws {
    let client = AFHTTPClient(baseURL: try #require(URL(string: "http://127.0.0.1/")))
    let ends = Recorder<Int>()
    client.enqueueBatchOfHTTPRequestOperations(
      [], progressBlock: { _, _ in ends.record(-1) }, completionBlock: { ends.record($0.count) })
    client.enqueueBatchOfHTTPRequestOperations(
      withRequests: [], progressBlock: { _, _ in ends.record(-1) }, completionBlock: { ends.record($0.count) })
    try await ends.wait(for: 2)
    #expect(ends.values == [0, 0])
    #expect(await client.batch(of: []).outcomes().isEmpty)
  }

  @Test func `Each operation's own block runs before its progress, and all before the completion`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = makeClient(server)
      let events = Recorder<String>()
      let operations = (0..<20).map { _ in
        client.httpRequestOperation(with: get(server), success: { _, _ in events.record("success") })
      }
      client.enqueueBatch(
        ofHTTPRequestOperations: operations, progressBlock: { count, _ in events.record("\(count)") },
        completionBlock: { _ in events.record("end") })
      try await eventually { events.last == "end" }
      var successes = 0
      for event in events.values {
        if event == "success" { successes += 1 }
        if let count = Int(event) { #expect(successes >= count) }
      }
      #expect(successes == 20 && events.count == 41)
    }
  }

  @Test func `Operations that are enqueued, finished or given twice do not end the program`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = makeClient(server)
      let done = client.httpRequestOperation(with: get(server), success: nil)
      try await done.run()
      let queued = client.httpRequestOperation(with: get(server), success: nil)
      client.enqueue(queued)
      client.enqueue(queued)
      client.enqueue(done)
      let fresh = client.httpRequestOperation(with: get(server), success: nil)
      let ends = Recorder<Int>()
      client.enqueueBatchOfHTTPRequestOperations(
        [done, queued, fresh, fresh], progressBlock: nil, completionBlock: { ends.record($0.count) })
      try await ends.wait(for: 1)
      #expect(ends.values == [4] && server.requestCount == 3)
    }
  }

  @Test func `batch(of:) gives operations for any queue, and one that depends on them`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operations = (0..<5).map { _ in AFHTTPRequestOperation(request: get(server)) }
      let counts = Recorder<UInt>()
      let ends = Recorder<Int>()
      let all = AFURLConnectionOperation.batch(
        of: operations, progressBlock: { finished, _ in counts.record(finished) },
        completionBlock: { ends.record($0.count) })
      #expect(all.count == 6)
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      // The waiting one first: it must not take the only place.
      queue.add(all.reversed())
      try await ends.wait(for: 1)
      #expect(counts.values == [1, 2, 3, 4, 5] && ends.values == [5])
      let untyped = AFURLConnectionOperation.batch(
        ofRequestOperations: [AFHTTPRequestOperation(request: get(server)), "no operation"], progressBlock: nil,
        completionBlock: { ends.record($0.count) })
      queue.add(untyped.compactMap { $0 as? Operation })
      try await ends.wait(for: 2)
      #expect(ends.last == 1)
    }
  }

  @Test func `A batch that nobody enqueues is let go`() throws {
    weak var leaked: Operation?
    weak var waiting: Operation?
    do {
      let operation = AFHTTPRequestOperation(request: URLRequest(url: try #require(URL(string: "http://127.0.0.1/"))))
      let all = AFURLConnectionOperation.batch(of: [operation], progressBlock: nil, completionBlock: nil)
      leaked = operation
      waiting = all.last
    }
    #expect(leaked == nil && waiting == nil)
  }

  @Test func `The waiting operation may be dropped while the others run`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operations = (0..<20).map { _ in AFHTTPRequestOperation(request: get(server)) }
      _ = AFURLConnectionOperation.batch(of: operations, progressBlock: nil, completionBlock: nil)
      for operation in operations { operation.start() }
      for operation in operations { try await operation.run() }
    }
  }

  // MARK: Under load

  @Test func `Cancelling by path under load leaves others alone`() async throws {
    try await Self.withQuickServer { server in
      let client = makeClient(server)
      client.operationQueue.maxConcurrentOperationCount = 16
      let operations = (0..<4000).map { index in
        client.httpRequestOperation(
          with: client.request(
            withMethod: "GET", path: index.isMultiple(of: 2) ? "even" : "odd", parameters: ["n": index])
            as URLRequest, success: nil)
      }
      let callbacks = Recorder<Int>()
      for (index, operation) in operations.enumerated() {
        operation.setCompletionBlockWithSuccess(
          { _, _ in callbacks.record(index) }, failure: { _, _ in callbacks.record(index) })
      }
      let batch = AFOperationBatch(operations)
      client.operationQueue.add(operations)
      try await eventually { server.requestCount > 200 }
      client.cancelAllHTTPOperations(withMethod: "GET", path: "even")
      let outcomes = await batch.outcomes()
      let failed = outcomes.filter { $0.error != nil }
      #expect(failed.allSatisfy { $0.index.isMultiple(of: 2) && $0.error?.urlCode == .cancelled })
      #expect(failed.count > 1000)
      #expect(outcomes.filter { !$0.index.isMultiple(of: 2) }.allSatisfy { $0.error == nil })
      try await callbacks.wait(for: 4000)
      #expect(callbacks.count == 4000 && Set(callbacks.values).count == 4000)
    }
  }

  @Test func `Dependencies and priorities are kept`() async throws {
    try await withTestServer(handler: { .text($0.path) }) { server in
      let client = makeClient(server)
      client.operationQueue.maxConcurrentOperationCount = 1
      client.operationQueue.isSuspended = true
      let paths = ["low", "normal", "high", "last", "first"]
      let operations = paths.map { client.httpRequestOperation(with: get(server, $0), success: nil) }
      operations[0].queuePriority = .low
      operations[2].queuePriority = .high
      operations[3].queuePriority = .veryHigh
      operations[3].addDependency(operations[0])
      operations[4].queuePriority = .veryHigh
      operations.forEach(client.enqueue)
      client.operationQueue.isSuspended = false
      for operation in operations { try await operation.run() }
      #expect(server.requests.map(\.path) == ["/first", "/high", "/normal", "/low", "/last"])
    }
  }

  @Test func `An operation sees the response of the one that it depends on`() async throws {
    try await withTestServer(handler: { _ in .json("[1]") }) { server in
      let client = makeClient(server)
      client.registerHTTPOperationClass(AFJSONRequestOperation.self)
      let seen = Recorder<[Int]?>()
      for _ in 0..<100 {
        let first = client.httpRequestOperation(with: get(server, "a.json"), success: nil)
        let second = BlockOperation { seen.record(first.responseObject as? [Int]) }
        second.addDependency(first)
        client.operationQueue.add([second, first])
      }
      try await seen.wait(for: 100)
      #expect(seen.values.allSatisfy { $0 == [1] })
    }
  }

  @Test func `A cancelled dependency finishes, and what waits for it goes on`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = makeClient(server)
      let never = client.httpRequestOperation(with: get(server), success: nil)
      let first = client.httpRequestOperation(with: get(server), success: nil)
      let second = client.httpRequestOperation(with: get(server), success: nil)
      first.addDependency(never)
      second.addDependency(first)
      client.enqueue(first)
      client.enqueue(second)
      // Cancelled, it no longer waits for the one that never runs.
      first.cancel()
      try await second.run()
      #expect(first.isFinished && first.error?.urlCode == .cancelled && server.requestCount == 1)
    }
  }

  @Test func `What waited for an operation may go before it finishes`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let first = AFHTTPRequestOperation(request: get(server))
      for _ in 0..<100 {
        AFHTTPRequestOperation(request: get(server)).addDependency(first)
      }
      try await first.run()
      #expect(first.isFinished)
    }
  }

  @Test func `A suspended queue holds its operations, which can be cancelled`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let client = makeClient(server)
      client.operationQueue.isSuspended = true
      let operations = (0..<10).map { _ in client.httpRequestOperation(with: get(server), success: nil) }
      operations.forEach(client.enqueue)
      operations[3].cancel()
      operations[4].pause()
      try await Task.sleep(nanoseconds: 20_000_000)
      #expect(server.requestCount == 0 && operations.allSatisfy { !$0.isFinished })
      client.operationQueue.isSuspended = false
      operations[4].resume()
      for operation in operations { try? await operation.run() }
      #expect(operations.map { $0.error == nil } == (0..<10).map { $0 != 3 })
    }
  }

  // MARK: Async

  @Test func `A batch gives its results as they come, and all in the order of the requests`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { request in
      request.path == "/0"
        ? TestResponse.text("0").with(.wait(latch), at: .responseHead(0)) : .text(String(request.path.dropFirst()))
    }) { server in
      let client = makeClient(server)
      let batch = client.batch(of: Self.requests(server, 4))
      var order: [Int] = []
      for await outcome in batch {
        order.append(outcome.index)
        #expect(outcome.operation.responseString == "\(outcome.index)" && outcome.error == nil)
        if order.count == 3 { latch.open() }
      }
      #expect(order.last == 0 && order.count == 4)
      #expect(await batch.outcomes().map(\.index) == [0, 1, 2, 3])
    }
  }

  @Test func `Cancelling the task that reads a batch cancels what has not finished`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { _ in TestResponse.text("a").with(.wait(latch), at: .responseHead(0)) }) {
      server in
      let batch = makeClient(server).batch(of: Self.requests(server, 20))
      let task = Task { await batch.outcomes() }
      try await eventually { server.requestCount > 0 }
      task.cancel()
      let outcomes = await task.value
      latch.open()
      #expect(outcomes.count == 20 && outcomes.allSatisfy { $0.error?.urlCode == .cancelled })
    }
  }

  @Test func `Cancelling ends the wait for operations whose queue is suspended`() async throws {
    let client = AFHTTPClient(baseURL: try #require(URL(string: "http://127.0.0.1:1/")))
    client.operationQueue.isSuspended = true
    let batch = client.batch(of: Array(repeating: URLRequest(url: client.baseURL), count: 3))
    let many = Task { await batch.outcomes() }
    let one = Task { try await client.getPath("a").isFinished }
    try await eventually { client.operationQueue.operationCount == 4 }
    many.cancel()
    one.cancel()
    let outcomes = await many.value
    #expect(outcomes.count == 3 && outcomes.allSatisfy { $0.error?.urlCode == .cancelled })
    let result = await one.result
    #expect(throws: URLError.self) { try result.get() }
    client.operationQueue.isSuspended = false
    try await eventually { client.operationQueue.operationCount == 0 }
    #expect(await batch.outcomes().count == 3)
  }

  @Test func `Cancelling the task of one request cancels its operation`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { _ in TestResponse.text("a").with(.wait(latch), at: .responseHead(0)) }) {
      server in
      let client = makeClient(server)
      let task = Task { try await client.getPath("a").responseString }
      try await eventually { server.requestCount == 1 }
      task.cancel()
      let result = await task.result
      latch.open()
      #expect(throws: URLError.self) { try result.get() }
    }
  }
}
