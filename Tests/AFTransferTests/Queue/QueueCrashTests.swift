import AFTestSupport
import AFTransfer
import Foundation
import Testing

/// Failure 4: after a kill it starts twice, or never.
@Suite(.serialized) struct QueueCrashTests {
  static let kills = ProcessInfo.processInfo.environment["AF_TEST_KILLS"].flatMap { Int($0) } ?? 12

  @Test func `what was added is transferred after kills at any moment, and what must not be sent twice is not`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let folder = directory.url.appendingPathComponent("queue")
    let received = Recorder<(name: String, isWhole: Bool, method: String)>()
    let server = try TestServer { request in
      let name = String(request.path.dropFirst())
      let body = try request.body()
      received.record((name, body == Array(String(repeating: name + "\n", count: 5000).utf8), request.method))
      return TestResponse.status(200).delayed(0.005)
    }
    var added: Set<String> = []
    for round in 0..<Self.kills {
      let probe = try Probe(["queue", folder.path, "\(round)", server.url("").absoluteString])
      try await probe.waitUntilSaid("open")
      try await Task.sleep(nanoseconds: UInt64.random(in: 5_000_000...150_000_000))
      probe.kill()
      try await probe.wait()
      for line in probe.said where line.hasPrefix("+ ") { added.insert(String(line.dropFirst(2))) }
      #expect(!probe.said.contains { $0.hasPrefix("error") }, "\(probe.said)")
    }

    let queue = try await AFTransferQueue.quick(folder)
    #expect(queue.recoveredFrom == nil)
    try await queue.waitUntilIdle()
    var names: [String] = []
    for transfer in await queue.transfers {
      let request = try #require(await transfer.request)
      names.append(request.url.lastPathComponent)
      switch try await transfer.outcome {
      case .completed: break
      case .failed(let error) where error.code == .outcomeUnknown: #expect(request.method == "POST")
      case let outcome: Issue.record("\(request.url.lastPathComponent): \(outcome)")
      }
    }
    #expect(added.count > Self.kills)
    #expect(Set(names).count == names.count && added.isSubset(of: names))
    #expect(!received.values.contains { !$0.isWhole })
    let posted = received.values.filter { $0.method == "POST" }.map(\.name)
    #expect(Set(posted).count == posted.count)
    // What a kill left between an end and its clearing up is gone too.
    try await eventually("an empty spool") {
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/spool").isEmpty
    }
    await queue.close()
    try server.stop()
  }
}
