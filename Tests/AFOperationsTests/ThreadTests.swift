import AFCore
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

/// What eight threads do to one client, and to one another's operations.
private final class Crowd: Sendable {
  static let rounds = 150

  let client: AFHTTPClient
  let calls = Recorder<Int>()
  let ends = Recorder<Int>()
  let done = Recorder<Int>()
  private let made = Locked(0)
  private let shared = Locked<[AFHTTPRequestOperation]>([])
  private let callbacks = DispatchQueue(label: "test.callbacks", attributes: .concurrent)

  init(client: AFHTTPClient) { self.client = client }

  func work(_ thread: Int) {
    for round in 0..<Self.rounds {
      let number = made.withLock { made in
        made += 1
        return made
      }
      let operation = operation(number, path: "\(thread % 2)")
      if round % 5 == 0 { operation.setDownloadProgressBlock { _, _, _ in } }
      if round % 7 == 0 { operation.outputStream = OutputStream(toMemory: ()) }
      if round % 11 == 0 { operation.pause() }
      let other = shared.withLock { shared -> AFHTTPRequestOperation? in
        shared.append(operation)
        return shared.count > 20 ? shared.remove(at: number % 20) : shared.randomElement()
      }
      client.enqueue(operation)
      switch number % 6 {
      case 0: other?.cancel()
      case 1, 2: other?.pause()
      case 3: client.setDefaultHeader("X-N", value: "\(number)")
      case 4: _ = other?.copy()
      default: _ = other?.responseString
      }
      other?.resume()
      operation.resume()
      if round % 40 == 0 { client.cancelAllHTTPOperations(withMethod: "GET", path: "1") }
    }
    done.record(thread)
  }

  private func operation(_ number: Int, path: String) -> AFHTTPRequestOperation {
    let request = client.request(withMethod: "GET", path: path, parameters: ["n": number]) as URLRequest
    let calls = calls
    let ends = ends
    let operation = client.httpRequestOperation(
      with: request, success: { _, _ in calls.record(number) }, failure: { _, _ in calls.record(number) })
    operation.completionQueue = callbacks
    operation.whenFinished { ends.record(number) }
    return operation
  }
}

@Suite struct OperationThreadTests {
  @Test func `Eight threads enqueue, pause, resume, cancel and release, and every operation calls back once`()
    async throws
  {
    var options = TestServer.Options()
    options.records = false
    try await withTestServer(options, handler: { TestResponse.ranged($0, total: 20_000) }) { server in
      let client = makeClient(server)
      client.operationQueue.maxConcurrentOperationCount = 16
      client.registerHTTPOperationClass(AFJSONRequestOperation.self)
      let crowd = Crowd(client: client)
      for thread in 0..<8 {
        Thread.detachNewThread { crowd.work(thread) }
      }
      try await eventually(within: 20) { crowd.done.count == 8 }
      // Who was paused by another thread after its last resumption.
      try await eventually(within: 20) {
        for case let operation as AFHTTPRequestOperation in client.operationQueue.operations { operation.resume() }
        return crowd.calls.count >= 8 * Crowd.rounds
      }
      #expect(crowd.calls.count == 8 * Crowd.rounds && Set(crowd.calls.values).count == 8 * Crowd.rounds)
      try await eventually { crowd.ends.count == 8 * Crowd.rounds }
      #expect(Set(crowd.ends.values).count == 8 * Crowd.rounds)
      try await eventually { client.operationQueue.operationCount == 0 }
    }
  }

  @Test func `Clients and operations that are dropped while requests run leave nothing behind`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { _ in TestResponse.text("a").with(.wait(latch), at: .responseHead(0)) }) {
      server in
      weak var leakedClient: AFHTTPClient?
      weak var leaked: AFHTTPRequestOperation?
      let calls = Recorder<Bool>()
      do {
        let client = makeClient(server)
        leakedClient = client
        let operation = client.httpRequestOperation(with: get(server), success: { _, _ in calls.record(true) })
        leaked = operation
        client.enqueue(operation)
      }
      try await eventually { server.requestCount == 1 }
      #expect(leakedClient == nil && leaked != nil)
      latch.open()
      try await calls.wait(for: 1)
      try await eventually { leaked == nil }
    }
  }
}
