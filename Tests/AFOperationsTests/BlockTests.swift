import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

/// Progress, redirects, challenges, the cache, and streams.
@Suite struct BlockTests {
  private static func isAuthorized(_ request: TestRequest, _ user: String = "u:p") -> Bool {
    request.value("Authorization") == "Basic " + Data(user.utf8).base64EncodedString()
  }

  private static func protected(_ request: TestRequest) -> TestResponse {
    isAuthorized(request) ? .text("in") : .text("out", status: 401).with("WWW-Authenticate", "Basic realm=\"r\"")
  }

  private static func challenge(_ operation: AFHTTPRequestOperation) async -> Int? {
    try? await operation.run()
    return operation.response?.statusCode
  }

  @Test func `Progress blocks add up to the whole, on the main queue, before the completion`() async throws {
    try await withTestServer(handler: { _ in .pattern(300_000) }) { server in
      var request = get(server)
      request.httpMethod = "POST"
      request.httpBody = TestPattern.data(count: 500_000)
      let operation = makeClient(server).httpRequestOperation(with: request, success: nil)
      let (sent, received) = (Recorder<(UInt, Int64, Int64)>(), Recorder<(UInt, Int64, Int64)>())
      let atEnd = Recorder<[Int64?]>()
      operation.setUploadProgressBlock {
        dispatchPrecondition(condition: .onQueue(.main))
        sent.record(($0, $1, $2))
      }
      operation.setDownloadProgressBlock {
        dispatchPrecondition(condition: .onQueue(.main))
        received.record(($0, $1, $2))
      }
      operation.setCompletionBlockWithSuccess(
        { _, _ in atEnd.record([sent.last?.1, received.last?.1]) }, failure: { _, _ in })
      operation.start()
      try await atEnd.wait(for: 1)
      #expect(atEnd.first == [500_000, 300_000])
      for (values, total) in [(sent.values, 500_000), (received.values, 300_000)] {
        #expect(values.reduce(0) { $0 + Int($1.0) } == total)
        #expect(values.last?.2 == Int64(total))
      }
    }
  }

  @Test func `A progress block that is set while the operation runs is told of the rest`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { _ in .pattern(200_000).with(.wait(latch), at: .responseBody(100_000)) }) {
      server in
      let operation = OperationTests.operation(server)
      operation.start()
      try await eventually { operation.core.withLock { $0.task }?.countOfBytesReceived == 100_000 }
      let received = Recorder<Int64>()
      operation.setDownloadProgressBlock { _, total, _ in received.record(total) }
      latch.open()
      try await operation.run()
      try await eventually { received.last == 200_000 }
    }
  }

  @Test func `A redirect block may follow, change and refuse`() async throws {
    try await withRoutes([
      "/from": { _ in .redirect(to: "/to") }, "/to": { _ in .text("to") }, "/other": { _ in .text("other") },
    ]) { server in
      let other = get(server, "other")
      for (answer, body) in [("follow", "to"), ("change", "other"), ("refuse", "")] {
        let operation = OperationTests.operation(server, "from")
        operation.responseSerializer.acceptableStatusCodes = nil
        let seen = Recorder<Int?>()
        operation.setRedirectResponseBlock { _, request, response in
          seen.record((response as? HTTPURLResponse)?.statusCode)
          return answer == "follow" ? request : answer == "change" ? other : nil
        }
        try await operation.run()
        #expect(operation.responseString == body)
        #expect(seen.values == [302])
      }
      // The one beside them, which has no block, follows by itself.
      let plain = OperationTests.operation(server, "from")
      try await plain.run()
      #expect(plain.responseString == "to")
    }
  }

  @Test func `A credential answers the first challenge, and a wrong one is not tried twice`() async throws {
    try await withTestServer(handler: { Self.protected($0) }) { server in
      let good = OperationTests.operation(server)
      good.credential = URLCredential(user: "u", password: "p", persistence: .none)
      #expect(await Self.challenge(good) == 200)
      let bad = OperationTests.operation(server)
      bad.credential = URLCredential(user: "u", password: "x", persistence: .none)
      #expect(await Self.challenge(bad) == 401)
      #expect(server.requests.suffix(2).map { $0.value("Authorization") != nil } == [false, true])
      let none = OperationTests.operation(server)
      #expect(await Self.challenge(none) == 401)
      let asked = server.requestCount
      let without = OperationTests.operation(server)
      without.shouldUseCredentialStorage = false
      #expect(await Self.challenge(without) == 401)
      #expect(server.requestCount == asked + 1)
    }
  }

  @Test func `A challenge block answers through the sender, now or later, and the first answer counts`() async throws {
    try await withTestServer(handler: { Self.protected($0) }) { server in
      let credential = URLCredential(user: "u", password: "p", persistence: .none)
      let answers: [(String, Int?)] = [
        ("use", 200), ("continue", 401), ("cancel", nil), ("default", 401), ("reject", 401), ("twice", 200),
        ("later", 200),
      ]
      for (answer, status) in answers {
        let operation = OperationTests.operation(server)
        operation.setWillSendRequestForAuthenticationChallenge { _, challenge in
          let sender = challenge.sender
          switch answer {
          case "use": sender?.use(credential, for: challenge)
          case "continue": sender?.continueWithoutCredential(for: challenge)
          case "cancel": sender?.cancel(challenge)
          case "default": sender?.performDefaultHandling(for: challenge)
          case "reject": sender?.rejectProtectionSpaceAndContinue(with: challenge)
          case "twice":
            sender?.use(credential, for: challenge)
            sender?.cancel(challenge)
          default:
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { sender?.use(credential, for: challenge) }
          }
        }
        let got = await Self.challenge(operation)
        if let status { #expect(got == status, "\(answer)") } else { #expect(operation.error?.urlCode == .cancelled) }
      }
    }
  }

  @Test func `The oldest challenge blocks decide which spaces they are asked about`() async throws {
    try await withTestServer(handler: { Self.protected($0) }) { server in
      for asks in [true, false] {
        let operation = OperationTests.operation(server)
        operation.setAuthenticationAgainstProtectionSpaceBlock { _, space in
          #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
          return asks
        }
        operation.setAuthenticationChallengeBlock { _, challenge in
          challenge.sender?.use(URLCredential(user: "u", password: "p", persistence: .none), for: challenge)
        }
        #expect(await Self.challenge(operation) == (asks ? 200 : 401))
      }
    }
  }

  @Test func `A cache block may keep nothing`() async throws {
    try await withTestServer(handler: { _ in .text("a").with("Cache-Control", "max-age=60") }) { server in
      let configuration = quietConfiguration()
      let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
      configuration.urlCache = cache
      let client = AFHTTPClient(baseURL: server.url(), sessionConfiguration: configuration)
      for (path, keeps) in [("keeps", true), ("drops", false)] {
        for _ in 0..<2 {
          let operation = client.httpRequestOperation(with: get(server, path), success: nil)
          operation.setCacheResponseBlock { _, response in keeps ? response : nil }
          try await operation.run()
        }
        #expect(server.requests.filter { $0.path == "/\(path)" }.count == (keeps ? 1 : 2))
      }
    }
  }

  @Test func `The body goes to an output stream, in order, and the stream is closed`() async throws {
    try await withTestServer(handler: { .pattern($0.path == "/empty" ? 0 : 3_000_000) }) { server in
      let folder = try TemporaryDirectory()
      for (path, count) in [("full", 3_000_000), ("empty", 0)] {
        let stream = try #require(OutputStream(toFileAtPath: folder.file(path).path, append: false))
        let operation = OperationTests.operation(server, path)
        operation.outputStream = stream
        let received = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in received.record(total) }
        try await operation.run()
        #expect(stream.streamStatus == .closed)
        #expect((try? Data(contentsOf: folder.file(path))) ?? Data() == TestPattern.data(count: count))
        #expect(operation.responseData == nil && operation.responseObject == nil)
        if count > 0 { try await eventually { received.last == Int64(count) } }
      }
    }
  }

  @Test func `An output stream that takes nothing fails the operation, and so does a refused status`() async throws {
    try await withTestServer(handler: { .text("0123456789", status: $0.path == "/bad" ? 500 : 200) }) { server in
      let full = OperationTests.operation(server)
      var buffer = [UInt8](repeating: 0, count: 4)
      full.outputStream = OutputStream(toBuffer: &buffer, capacity: 4)
      await #expect(throws: (any Error).self) { try await full.run() }
      let nowhere = OperationTests.operation(server)
      nowhere.outputStream = OutputStream(toFileAtPath: "/nowhere/at/all", append: false)
      await #expect(throws: (any Error).self) { try await nowhere.run() }
      let bad = OperationTests.operation(server, "bad")
      bad.outputStream = OutputStream(toMemory: ())
      await #expect(throws: (any Error).self) { try await bad.run() }
      #expect(bad.response?.statusCode == 500)
    }
  }

  @Test func `Cancelling an operation that writes to a stream closes it`() async throws {
    let latch = Latch()
    try await withTestServer(handler: { _ in .pattern(200_000).with(.wait(latch), at: .responseBody(100_000)) }) {
      server in
      let operation = OperationTests.operation(server)
      let stream = OutputStream(toMemory: ())
      operation.outputStream = stream
      let received = Recorder<Int64>()
      operation.setDownloadProgressBlock { _, total, _ in received.record(total) }
      operation.start()
      try await received.wait(for: 1)
      operation.cancel()
      try? await operation.run()
      latch.open()
      #expect(operation.error?.urlCode == .cancelled)
      #expect(stream.streamStatus == .closed)
    }
  }

  @Test func `The input stream is the body`() async throws {
    try await withTestServer(handler: { .data(try $0.body()) }) { server in
      var request = get(server)
      request.httpMethod = "POST"
      let operation = makeClient(server).httpRequestOperation(with: request, success: nil)
      operation.inputStream = InputStream(data: TestPattern.data(count: 100_000))
      #expect(operation.inputStream != nil)
      try await operation.run()
      #expect(operation.responseData == TestPattern.data(count: 100_000))
    }
  }
}
