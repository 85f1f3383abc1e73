import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

@Suite struct OperationTests {
  /// An operation of its own session, so that nothing of the machine has a say.
  static func operation(_ server: TestServer, _ path: String = "a") -> AFHTTPRequestOperation {
    makeClient(server).httpRequestOperation(with: get(server, path), success: nil)
  }

  @Test func `An operation gives response, body, text and object, and calls success once on the main queue`()
    async throws
  {
    try await withTestServer(handler: { _ in .json(#"{"a": 1}"#) }) { server in
      let operation = AFJSONRequestOperation(request: get(server))
      let calls = Recorder<Bool>()
      operation.setCompletionBlockWithSuccess(
        { operation, object in
          dispatchPrecondition(condition: .onQueue(.main))
          calls.record((object as? [String: Any])?["a"] as? Int == 1 && operation.isFinished)
        }, failure: { _, _ in calls.record(false) })
      operation.start()
      try await calls.wait(for: 1)
      #expect(calls.values == [true])
      #expect(operation.response?.statusCode == 200)
      #expect(operation.responseString == #"{"a": 1}"#)
      #expect(operation.responseJSON != nil)
      #expect(operation.error == nil)
      #expect(!operation.isExecuting && !operation.isPaused && operation.isAsynchronous)
    }
  }

  @Test func `A status that is not acceptable fails the operation, whose body stays`() async throws {
    try await withTestServer(handler: { _ in .text("no", status: 404) }) { server in
      let operation = Self.operation(server)
      await #expect(throws: AFURLResponseSerializationError.self) { try await operation.run() }
      #expect((operation.error as NSError?)?.code == URLError.badServerResponse.rawValue)
      #expect(operation.responseData == Data("no".utf8))
      #expect(!operation.hasAcceptableStatusCode && operation.hasAcceptableContentType)
    }
  }

  @Test(
    arguments: [
      ("text/plain", Data("é".utf8), String.Encoding.isoLatin1, "Ã©"),
      ("text/plain; charset=utf-8", Data("é".utf8), .utf8, "é"),
      ("text/html; charset=ISO-8859-1", Data([0xE9]), .isoLatin1, "é"),
      ("application/json", Data("é".utf8), .utf8, "é"),
      ("application/json; charset=iso-8859-1", Data([0xE9]), .isoLatin1, "é"),
      ("text/plain; charset=nonsense", Data("é".utf8), .utf8, "é"),
      ("application/octet-stream", Data([0xFF, 0xFD, 0xFC]), .utf8, nil),
    ] as [(String, Data, String.Encoding, String?)])
  func `The text of a response is read in the encoding that the rules name`(
    _ type: String, _ body: Data, _ encoding: String.Encoding, _ text: String?
  ) async throws {
    try await withTestServer(handler: { _ in .data(body, type: type) }) { server in
      let operation = Self.operation(server)
      try await operation.run()
      #expect(operation.responseStringEncoding == encoding.rawValue)
      #expect(operation.responseString == text)
    }
  }

  // MARK: Course

  @Test func `An operation that is cancelled before it starts sends nothing, and fails once when it is started`()
    async throws
  {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operation = Self.operation(server)
      let calls = Recorder<URLError.Code?>()
      operation.setCompletionBlockWithSuccess(
        { _, _ in calls.record(nil) }, failure: { calls.record($1.urlCode) })
      operation.cancel()
      #expect(!operation.isFinished && operation.isCancelled)
      operation.start()
      operation.start()
      try await calls.wait(for: 1)
      #expect(operation.isFinished)
      #expect((operation.error as? URLError)?.failingURL == server.url("a"))
      #expect(server.requestCount == 0)
      try await Task.sleep(nanoseconds: 20_000_000)
      #expect(calls.values == [.cancelled])
    }
  }

  @Test func `Completion blocks do not run where the app starts or cancels, which may hold a lock`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let lock = NSLock()
      let calls = Recorder<Int>()
      func block(_ number: Int) -> @Sendable () -> Void {
        {
          lock.withLock {}
          calls.record(number)
        }
      }
      let cancelled = Self.operation(server)
      cancelled.completionBlock = block(1)
      cancelled.cancel()
      let paused = Self.operation(server)
      paused.completionBlock = block(2)
      paused.pause()
      paused.start()
      let client = makeClient(server)
      let bad = client.request(withMethod: "GET", path: "a b", parameters: nil) as URLRequest
      let failed = client.httpRequestOperation(with: bad, success: nil)
      failed.completionBlock = block(3)
      lock.withLock {
        cancelled.start()
        paused.cancel()
        failed.start()
      }
      try await calls.wait(for: 3)
      #expect(calls.values.sorted() == [1, 2, 3])
    }
  }

  @Test func `An operation that is started twice sends one request`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operation = Self.operation(server)
      operation.start()
      operation.start()
      try await operation.run()
      operation.start()
      #expect(server.requestCount == 1)
    }
  }

  @Test func `Cancelling while the response comes fails with -999, once`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { _ in .pattern(1000).with(.wait(latch), at: .responseBody(500)) }) { server in
      let operation = Self.operation(server)
      let calls = Recorder<URLError.Code?>()
      operation.setCompletionBlockWithSuccess(
        { _, _ in calls.record(nil) }, failure: { calls.record($1.urlCode) })
      operation.start()
      try await eventually { server.requestCount == 1 }
      operation.cancel()
      operation.cancel()
      try await calls.wait(for: 1)
      latch.open()
      #expect(calls.values == [.cancelled])
      #expect(operation.isFinished && operation.isCancelled)
    }
  }

  @Test func `A cancellation while the body is read counts, and no object is left`() async throws {
    final class Slow: AFHTTPResponseSerializer, @unchecked Sendable {
      // Unchecked because its superclass is; it stores a constant.
      let cancel = Locked<(@Sendable () -> Void)?>(nil)
      override func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
        cancel.withLock { $0 }?()
        return "object"
      }
    }
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operation = Self.operation(server)
      let serializer = Slow()
      serializer.cancel.withLock { $0 = { [weak operation] in operation?.cancel() } }
      operation.responseSerializer = serializer
      await #expect(throws: URLError.self) { try await operation.run() }
      #expect(operation.error?.urlCode == .cancelled)
      #expect(operation.responseObject == nil)
    }
  }

  @Test func `Success and failure run on the operation's queues and in its group`() async throws {
    try await withTestServer(handler: { .text("a", status: $0.path == "/good" ? 200 : 500) }) { server in
      for (path, own) in [("good", false), ("bad", false), ("good", true), ("bad", true)] {
        let queue = DispatchQueue(label: "callbacks")
        let group = DispatchGroup()
        let operation = Self.operation(server, path)
        if own {
          operation.successCallbackQueue = queue
          operation.failureCallbackQueue = queue
        } else {
          operation.completionQueue = queue
        }
        operation.completionGroup = group
        let calls = Recorder<String>()
        operation.setCompletionBlockWithSuccess(
          { _, _ in
            dispatchPrecondition(condition: .onQueue(queue))
            calls.record("good")
          },
          failure: { _, _ in
            dispatchPrecondition(condition: .onQueue(queue))
            calls.record("bad")
          })
        try? await operation.run()
        await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
        #expect(calls.values == [path])
      }
    }
  }

  @Test func `The completion block runs once, is let go, and may hold the operation`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      weak var leaked: AFHTTPRequestOperation?
      let calls = Recorder<Bool>()
      do {
        let operation = Self.operation(server)
        leaked = operation
        operation.completionBlock = { calls.record(operation.isFinished) }
        operation.start()
      }
      try await calls.wait(for: 1)
      try await eventually { leaked == nil }
      #expect(calls.values == [true])
    }
  }

  @Test func `The last reference may go in the completion block`() async throws {
    final class Box: @unchecked Sendable {
      // Unchecked because the test hands it from one thread to the next.
      var operation: AFHTTPRequestOperation?
    }
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let calls = Recorder<Bool>()
      for _ in 0..<50 {
        let box = Box()
        box.operation = Self.operation(server)
        box.operation?.completionBlock = {
          box.operation = nil
          calls.record(true)
        }
        box.operation?.start()
      }
      try await calls.wait(for: 50)
    }
  }

  @Test func `Start and finish are told in notifications on the main queue`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operation = Self.operation(server)
      let names = Recorder<String>()
      let identifier = ObjectIdentifier(operation)
      let observers = [NSNotification.Name.AFNetworkingOperationDidStart, .AFNetworkingOperationDidFinish].map { name in
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
          guard (note.object as AnyObject?).map(ObjectIdentifier.init) == identifier else { return }
          dispatchPrecondition(condition: .onQueue(.main))
          names.record(note.name.rawValue)
        }
      }
      defer { observers.forEach(NotificationCenter.default.removeObserver) }
      try await operation.run()
      try await names.wait(for: 2)
      #expect(
        names.values == [
          "com.alamofire.networking.operation.start", "com.alamofire.networking.operation.finish",
        ])
    }
  }

  @Test func `An operation without a client has a session of its own`() async throws {
    try await withTestServer(handler: { _ in .text("a") }) { server in
      let operation = AFURLConnectionOperation(request: get(server))
      try await operation.run()
      #expect(operation.responseString == "a")
      #expect((operation.response as? HTTPURLResponse)?.statusCode == 200)
    }
  }

  @Test func `A request that cannot be sent fails its operation`() async throws {
    for text in ["about:blank", "nonsense:", "http://127.0.0.1:1/"] {
      let operation = AFHTTPRequestOperation(request: URLRequest(url: try #require(URL(string: text))))
      await #expect(throws: (any Error).self) { try await operation.run() }
    }
  }

  // MARK: Copies and archives

  @Test func `AF-X073 a copy is a new operation of the same class with the same request`() async throws {
    try await withTestServer(handler: { _ in .json("[1]") }) { server in
      let operation = AFJSONRequestOperation(request: get(server))
      operation.jsonReadingOptions = .fragmentsAllowed
      operation.completionQueue = .global()
      try await operation.run()
      let copy = try #require(operation.copy() as? AFJSONRequestOperation)
      #expect(!copy.isFinished && copy.completionQueue === operation.completionQueue)
      #expect(copy.request == operation.request && copy.jsonReadingOptions == .fragmentsAllowed)
      try await copy.run()
      #expect(copy.responseObject as? [Int] == [1])
      #expect(server.requestCount == 2)
    }
  }

  @Test func `AF-X073 an archive keeps request, credential use and serializer`() throws {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/a?b")))
    request.httpMethod = "PUT"
    request.setValue("1", forHTTPHeaderField: "X-A")
    request.httpBody = Data("body".utf8)
    request.timeoutInterval = 7
    request.cachePolicy = .reloadIgnoringLocalCacheData
    let operation = AFJSONRequestOperation(request: request)
    operation.shouldUseCredentialStorage = false
    operation.jsonReadingOptions = .mutableContainers
    let data = try NSKeyedArchiver.archivedData(withRootObject: operation, requiringSecureCoding: true)
    let copy = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: AFJSONRequestOperation.self, from: data))
    #expect(copy.request.url == request.url && copy.request.httpMethod == "PUT")
    #expect(copy.request.value(forHTTPHeaderField: "X-A") == "1" && copy.request.httpBody == request.httpBody)
    #expect(copy.request.timeoutInterval == 7 && copy.request.cachePolicy == .reloadIgnoringLocalCacheData)
    #expect(!copy.shouldUseCredentialStorage && copy.jsonReadingOptions == .mutableContainers)
    #expect(!copy.isFinished)
  }
}
