import AFCore
import AFSecurity
import AFTestSupport
import AFTransfer
import Foundation
import Testing

@Suite struct QueueTests {
  private let directory: TemporaryDirectory
  private var folder: URL { directory.url.appendingPathComponent("queue") }

  init() throws { directory = try TemporaryDirectory() }

  private func file(_ count: Int = 1000) throws -> URL {
    try directory.write(TestPattern.data(count: count), to: "file")
  }

  private static func accepting() throws -> TestServer {
    try TestServer { request in
      _ = try request.body()
      return .status(200)
    }
  }

  // MARK: events

  /// Failure 5: it ended while nobody listened.
  @Test func `ends are told, also after a restart, until they are acknowledged`() async throws {
    let server = try Self.accepting()
    let file = try file()
    var queue = try await AFTransferQueue.quick(folder)
    let first = try await queue.add(.upload(file, to: server.url("1")))
    _ = try await first.result
    let second = try await queue.add(.upload(file, to: server.url("2")))
    _ = try await second.result
    await queue.close()

    queue = try await AFTransferQueue.quick(folder)
    var told: [UUID] = []
    for await event in queue.events {
      guard case .ended(.completed(let result)) = event.kind else { continue }
      #expect(result.statusCode == 200)
      told.append(event.transfer.id)
      if told.count == 1 { try await event.acknowledge() }
      if told.count == 2 { break }
    }
    #expect(told == [first.id, second.id])
    // Each loop has its own, and what is acknowledged is not told again.
    var iterator = queue.events.makeAsyncIterator()
    #expect(await iterator.next()?.transfer == second)
    await queue.close()
    #expect(await iterator.next() == nil)

    queue = try await AFTransferQueue.quick(folder)
    iterator = queue.events.makeAsyncIterator()
    #expect(await iterator.next()?.transfer.id == second.id)
    #expect(try await queue.transfer(first.id)?.result.statusCode == 200)
    try await queue.purge()
    #expect(await queue.transfers.map(\.id) == [second.id])
    await queue.close()
    try server.stop()
  }

  @Test func `states and progress are told, the latest only to a slow reader`() async throws {
    let latch = Latch()
    let server = try TestServer { _ in .pattern(2_000_000).with(.wait(latch), at: .responseBody(1_000_000)) }
    let queue = try await AFTransferQueue.quick(folder)
    let states = Recorder<AFTransferState>()
    let progress = Recorder<Int64>()
    let events = queue.events
    let reader = Task {
      for await event in events {
        switch event.kind {
        case .progress(let value): progress.record(value.completed)
        case .state(let state): states.record(state)
        case .ended: return
        }
      }
    }
    let transfer = try await queue.add(.download(server.url("f"), to: directory.file("got")))
    try await progress.wait(for: 1)
    latch.open()
    _ = try await transfer.result
    await reader.value
    #expect(states.values.contains(.running))
    #expect(progress.values == progress.values.sorted())
    await queue.close()
    try server.stop()
  }

  // MARK: the caller

  @Test func `a suspended transfer waits for resume, over a restart too`() async throws {
    let server = try Self.accepting()
    var queue = try await AFTransferQueue.quick(folder)
    await queue.pause()
    let transfer = try await queue.add(.upload(try file(), to: server.url("f")))
    try await transfer.suspend()
    await queue.resume()
    try await queue.waitUntilIdle()
    #expect(await transfer.state == .suspended)
    await queue.close()
    queue = try await AFTransferQueue.quick(folder)
    let again = try #require(await queue.transfer(transfer.id))
    try await queue.waitUntilIdle()
    #expect(server.requestCount == 0)
    try await again.resume()
    _ = try await again.result
    await queue.close()
    try server.stop()
  }

  @Test func `a cancelled transfer ends at once, durably, and sends nothing more`() async throws {
    let latch = Latch()
    let server = try TestServer { _ in .pattern(2_000_000).with(.wait(latch), at: .responseBody(1_000_000)) }
    var queue = try await AFTransferQueue.quick(folder)
    let transfer = try await queue.add(.download(server.url("f"), to: directory.file("got")))
    try await transfer.wait { $0 == .running }
    try await transfer.cancel()
    await #expect(throws: CancellationError.self) { try await transfer.result }
    await queue.close()
    queue = try await AFTransferQueue.quick(folder)
    #expect(await queue.transfer(transfer.id)?.state == .cancelled)
    #expect(!FileManager.default.fileExists(atPath: directory.file("got").path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/spool").isEmpty)
    await queue.close()
    latch.open()
    try server.stop()
  }

  @Test func `one live transfer has a key, and a failed one can be begun again`() async throws {
    let answer = Recorder<Int>()
    let server = try TestServer { request in
      _ = try request.body()
      answer.record(1)
      return .status(answer.count == 1 ? 403 : 200)
    }
    let queue = try await AFTransferQueue.quick(folder)
    await queue.pause()
    var request = AFTransferRequest.upload(try file(), to: server.url("f"))
    request.key = "clip"
    let keyed = request
    let added = try await withThrowingTaskGroup(of: AFTransfer.self) { group in
      for _ in 0..<10 { group.addTask { try await queue.add(keyed) } }
      return try await group.reduce(into: Set<AFTransfer>()) { $0.insert($1) }
    }
    let first = try #require(added.first)
    #expect(added.count == 1)
    #expect(await queue.transfers == [first])
    #expect(Set(try await queue.add(contentsOf: [request, request])) == [first])
    await queue.resume()
    #expect(try await failureCode(first) == .rejected)
    try await first.retryNow()
    _ = try await first.result
    #expect(try await queue.add(request) != first)
    await queue.close()
    try server.stop()
  }

  @Test func `a lifetime that is over is an end`() async throws {
    let queue = try await AFTransferQueue.quick(folder)
    await queue.pause()
    var request = AFTransferRequest.upload(try file(), to: try #require(URL(string: "http://127.0.0.1:9/")))
    request.lifetime = 0.05
    #expect(try await failureCode(try await queue.add(request)) == .expired)
    await queue.close()
  }

  // MARK: names

  @Test func `a policy is a name, and without it nothing is sent`() async throws {
    let server = try Self.accepting()
    var queue = try await AFTransferQueue.quick(folder)
    var request = AFTransferRequest.upload(try file(), to: server.url("f"))
    request.securityPolicy = "uplink"
    let transfer = try await queue.add(request)
    try await transfer.waitsFor(.policy)
    await queue.close()
    queue = try await AFTransferQueue.quick(folder)
    let again = try #require(await queue.transfer(transfer.id))
    try await again.waitsFor(.policy)
    #expect(server.connections.isEmpty)
    await queue.register(policy: AFSecurityPolicy.default(), as: "uplink")
    _ = try await again.result
    await queue.close()
    try server.stop()
  }

  /// Failure 8: a token expires meanwhile.
  @Test func `credentials are asked for at each attempt, again after 401, and never stored`() async throws {
    let canary = "canary-4711"
    let server = try TestServer { request in
      _ = try request.body()
      return .status(request.value("Authorization") == "Bearer \(canary)" ? 200 : 401)
    }
    let queue = try await AFTransferQueue.quick(folder)
    var request = AFTransferRequest.upload(try file(), to: server.url("f"))
    request.credentials = "uplink"
    let transfer = try await queue.add(request)
    try await transfer.waitsFor(.credentials)
    #expect(server.requestCount == 0)
    let asked = Recorder<Bool>()
    await queue.register(
      credentials: { _, wasRefused in
        asked.record(wasRefused)
        return wasRefused ? "Bearer \(canary)" : "Bearer stale"
      }, as: "uplink")
    _ = try await transfer.result
    #expect(asked.values == [false, true])
    await queue.register(credentials: { _, _ in "Bearer wrong" }, as: "uplink")
    try await queue.add(request).waitsFor(.credentials)
    await queue.register(
      credentials: AFBearerAuthentication(token: .init(canary), origins: [server.url()]) { _ in .init(canary) },
      as: "uplink")
    try await queue.waitUntilIdle()
    await queue.close()
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let data = FileManager.default.contents(atPath: folder.path + "/" + name) ?? Data()
      #expect(data.range(of: Data(canary.utf8)) == nil, "\(name)")
    }
    try server.stop()
  }

  @Test(
    arguments: [
      ("http://u:p@h/", [:], false), ("ftp://h/", [:], false), ("http://h/?token=1", [:], false),
      ("file:///f", [:], false),
      ("http://h/?X-Amz-Signature=1", [:], false), ("http://h/?page=1", [:], true),
      ("http://h/", ["Authorization": "x"], false),
      ("http://h/", ["cookie": "x"], false), ("http://h/", ["Proxy-Authorization": "x"], false),
      ("http://h/", ["X-Api-Key": "x"], false), ("http://h/", ["X-Size": "x"], true),
      ("http://h/", ["Bad Name": "x"], false),
      ("http://h/", ["X": "a\r\nB: c"], false),
    ] as [(String, [String: String], Bool)])
  func `a request with a secret in it is not added`(url: String, headers: [String: String], isGood: Bool) async throws {
    let queue = try await AFTransferQueue.quick(folder)
    await queue.pause()
    var request = AFTransferRequest.upload(try file(), to: try #require(URL(string: url)))
    request.headers = headers
    if isGood {
      try await queue.add(request)
    } else {
      await #expect(throws: AFTransferError.self) { try await queue.add(request) }
      #expect(await queue.transfers.isEmpty)
      // With consent, what is no credential is stored.
      request.storesSecrets = true
      if url.contains("?") || headers["X-Api-Key"] != nil {
        try await queue.add(request)
      } else {
        await #expect(throws: AFTransferError.self) { try await queue.add(request) }
      }
    }
    for name in ["", "a/b", "..", ".hidden", "ä"] {
      var named = request
      named.credentials = name
      await #expect(throws: AFTransferError.self) { try await queue.add(named) }
    }
    await queue.close()
  }

  // MARK: failures

  /// Failure 12: simultaneous retries.
  @Test func `a server that is down gets one attempt per step, however many wait`() async throws {
    let isDown = Recorder<Bool>()
    let server = try TestServer { request in
      _ = try request.body()
      return .status(isDown.count == 0 ? 500 : 200)
    }
    let queue = try await AFTransferQueue.quick(folder) { $0.retryPolicy.firstDelay = 0.1 }
    let file = try file()
    try await queue.add(contentsOf: (0..<200).map { .upload(file, to: server.url("\($0)")) })
    try await Task.sleep(nanoseconds: 500_000_000)
    // At most two before the first answer, then one for each wait of 10 to 200 ms.
    #expect(server.requestCount >= 2 && server.requestCount < 40)
    // The probe goes round.
    #expect(Set(server.requests.map(\.path)).count == server.requestCount)
    isDown.record(false)
    try await queue.waitUntilIdle()
    #expect(await queue.transfers.count == 200)
    await queue.close()
    try server.stop()
  }

  @Test func `one transfer that the server cannot bear ends, and the others are not held up`() async throws {
    let server = try TestServer { request in
      _ = try request.body()
      return .status(request.path == "/bad" ? 500 : 200)
    }
    let queue = try await AFTransferQueue.quick(folder) {
      $0.retryPolicy.maximumServerErrors = 3
      $0.retryPolicy.firstDelay = 0.005
    }
    let file = try file()
    let bad = try await queue.add(.upload(file, to: server.url("bad")))
    for number in 0..<20 {
      _ = try await queue.add(.upload(file, to: server.url("\(number)"))).result
      if await bad.state?.isEnd == true { break }
    }
    #expect(try await failureCode(bad) == .gaveUp)
    await queue.close()
    try server.stop()
  }

  @Test func `an attempt that does not move is given up and tried again`() async throws {
    let server = try TestServer { request in
      if request.connection.index == 0 { return .pattern(100_000).with(.stall, at: .responseBody(50_000)) }
      return .pattern(100_000)
    }
    let queue = try await AFTransferQueue.quick(folder) { $0.idleTimeout = 0.5 }
    let transfer = try await queue.add(.download(server.url("f"), to: directory.file("got")))
    _ = try await transfer.result
    #expect(await transfer.attempts == 2)
    await queue.close()
    try server.stop()
  }

  @Test func `a server that is not trusted gets nothing, and the transfer waits`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost", "127.0.0.1"])
    let server = try TestServer(.init(tls: TestTLS(identity))) { _ in .status(200) }
    let queue = try await AFTransferQueue.quick(folder)
    let transfer = try await queue.add(.upload(try file(), to: server.url("f")))
    try await transfer.waitsFor(.trust)
    #expect(server.requestCount == 0)
    await queue.close()
    try? server.stop()
  }

  @Test func `three run at once, two at one origin`() async throws {
    let latch = Latch()
    let servers = try (0..<2).map { _ in
      try TestServer { request in
        _ = try request.body()
        return TestResponse.status(200).with(.wait(latch), at: .responseHead(0))
      }
    }
    let queue = try await AFTransferQueue.quick(folder)
    let file = try file()
    try await queue.add(contentsOf: (0..<10).map { .upload(file, to: servers[$0 % 2].url("\($0)")) })
    try await eventually { servers.reduce(0) { $0 + $1.requestCount } == 3 }
    #expect(servers.allSatisfy { $0.requestCount <= 2 })
    latch.open()
    try await queue.waitUntilIdle()
    #expect(servers.reduce(0) { $0 + $1.requestCount } == 10)
    await queue.close()
    for server in servers { try server.stop() }
  }

  @Test func `2,000 are added by one durable step, and are there after a restart`() async throws {
    let file = try file()
    let url = try #require(URL(string: "http://127.0.0.1:9/"))
    var queue = try await AFTransferQueue.quick(folder)
    await queue.pause()
    let transfers = try await queue.add(contentsOf: Array(repeating: .upload(file, to: url), count: 2000))
    await queue.close()
    queue = try await AFTransferQueue.quick(folder)
    #expect(await queue.transfers == transfers)
    await queue.close()
    await #expect(throws: AFTransferStoreError.closed) { try await queue.add(.upload(file, to: url)) }
  }
}
