import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// A body that is sent while its answer is read, over one request.
@Suite struct ExchangeTests {
  /// The server of `Scripts/support/echo.py`, a manager for it, and a request.
  private static func realEcho() throws -> (AFHTTPSessionManager, URLRequest) {
    let manager = AFHTTPSessionManager(sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.securityPolicy = AFSecurityPolicy.default()
    manager.securityPolicy.anchorCertificates = try AFCertificate.certificates(
      contentsOf: URL(fileURLWithPath: RealServers.authority))
    return (manager, post(try RealServers.echo))
  }

  private static func post(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    return request
  }

  /// HTTP/1.1: what follows the head goes back as it came.
  private static func echo(_ connection: TestConnection) throws {
    guard try connection.read(through: "\r\n\r\n") != nil else { return }
    try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while case let bytes = try connection.read(), !bytes.isEmpty { try connection.send(bytes) }
  }

  private func plainManager() -> AFHTTPSessionManager {
    let manager = AFHTTPSessionManager(sessionConfiguration: quietConfiguration())
    manager.responseSerializer = AFHTTPResponseSerializer()
    return manager
  }

  /// Each line is said when the answer to the one before has been heard.
  private func converse(_ manager: AFHTTPSessionManager, _ request: URLRequest) async throws -> AFByteStream {
    let lines = (0..<50).map { "line \($0)\n" }
    let (words, say) = AsyncStream.makeStream(of: Data.self)
    say.yield(Data(lines[0].utf8))
    let answer = try await manager.stream(for: request, sending: words)
    var heard = ""
    var said = 1
    for try await chunk in answer.chunks {
      heard += String(decoding: chunk, as: UTF8.self)
      guard heard == lines[..<said].joined() else { continue }
      if said == lines.count { say.finish() } else { say.yield(Data(lines[said].utf8)) }
      said = min(said + 1, lines.count)
    }
    #expect(heard == lines.joined())
    return answer
  }

  @Test func `A conversation over one request, with HTTP/1.1`() async throws {
    let server = try RawServer { try Self.echo($0) }
    _ = try await converse(plainManager(), Self.post(server.url()))
    #expect(server.acceptCount == 1)
    try server.stop()
  }

  @Test func `A conversation with a real server, over HTTP/2 where this libcurl can`() async throws {
    let (manager, request) = try Self.realEcho()
    let answer = try await converse(manager, request)
    #expect(answer.value(forHTTPHeaderField: "X-Way") == (Libcurl.spinsOnFullWindow ? "http/1.1" : "h2"))
  }

  /// `AF_TEST_EXCHANGE` says how many MiB; `.ci/run` takes 1,024.
  @Test(arguments: [false, true])
  func `Much goes up while it comes back, whole, and takes little memory`(hasLength: Bool) async {
    await #expect(processExitsWith: .success) { [hasLength] in
      let wanted = ProcessInfo.processInfo.environment["AF_TEST_EXCHANGE"].flatMap { Int64($0) }
      // Once is enough for what takes long.
      let count = hasLength ? 16 << 20 : (wanted ?? 48) << 20
      let (manager, request) = try ExchangeTests.realEcho()
      // Threads, tables and certificates are there after the first.
      for try await _ in try await manager.stream(for: request, sending: PatternPieces(count: 1 << 20)).chunks {}
      let before = ProcessSnapshot.take().residentBytes
      ProcessSnapshot.resetPeak()
      let answer = try await manager.stream(
        for: request, sending: PatternPieces(count: count), length: hasLength ? count : nil)
      let digest = TestDigest()
      for try await chunk in answer.chunks { chunk.withUnsafeBytes { digest.update($0) } }
      let sum = digest.finish()
      try #require(sum == TestPattern.sha256(count: count))
      let grown = ProcessSnapshot.take().peakResidentBytes - before
      try #require(grown < 24 << 20 || ProcessSnapshot.isSanitized)
    }
  }

  @Test func `When the answer is complete the rest of the body is not asked for`() async throws {
    let server = try RawServer { connection in
      guard try connection.read(through: "\r\n\r\n") != nil else { return }
      // From now on the body is being read. One that has not been begun has no end to be seen.
      _ = try connection.read(through: "x\r\n")
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
      _ = try connection.read(through: "the client's end")
    }
    let ends = Recorder<Bool>()
    let (words, say) = AsyncStream.makeStream(of: Data.self)
    say.onTermination = { _ in ends.record(true) }
    say.yield(Data("x".utf8))
    let answer = try await plainManager().stream(for: Self.post(server.url()), sending: words)
    var data = Data()
    for try await chunk in answer.chunks { data += chunk }
    #expect(data == Data("done".utf8))
    try await eventually("the body's task has ended") { ends.count == 1 }
    try server.stop()
  }

  @Test func `Letting the answer go ends the request and the body's task`() async throws {
    let server = try RawServer { try Self.echo($0) }
    let ends = Recorder<Bool>()
    let manager = plainManager()
    do {
      let (words, say) = AsyncStream.makeStream(of: Data.self)
      say.onTermination = { _ in ends.record(true) }
      say.yield(Data("x".utf8))
      let answer = try await manager.stream(for: Self.post(server.url()), sending: words)
      for try await _ in answer.chunks { break }
    }
    try await eventually("the body's task has ended") { ends.count == 1 && manager.tasks.isEmpty }
    try server.stop()
  }

  private struct No: Error {}

  @Test func `A body that fails ends the request`() async throws {
    let server = try RawServer { try Self.echo($0) }
    let manager = plainManager()
    let failing = AsyncThrowingStream<Data, any Error> {
      $0.yield(Data("x".utf8))
      $0.finish(throwing: No())
    }
    let broken = try await failure {
      for try await _ in try await manager.stream(for: Self.post(server.url()), sending: failing).chunks {}
    }
    #expect(broken.urlError != nil)
    try server.stop()
  }

  @Test func `No more is sent than was said, and less fails the request`() async throws {
    try await withTestServer(handler: { .text(String(decoding: try $0.body(), as: UTF8.self)) }) { server in
      let manager = plainManager()
      for (length, isSent) in [(2 as Int64, true), (3, true), (4, false)] {
        let three = AsyncStream<Data> {
          $0.yield(Data("abc".utf8))
          $0.finish()
        }
        var heard = Data()
        do {
          let answer = try await manager.stream(for: Self.post(server.url()), sending: three, length: length)
          for try await chunk in answer.chunks { heard += chunk }
          #expect(isSent && heard == Data("abc".prefix(Int(length)).utf8))
        } catch {
          #expect(!isSent)
        }
      }
    }
  }

  @Test func `Silence in both directions times out, though the body goes on`() async throws {
    let server = try RawServer { try Self.echo($0) }
    let (words, say) = AsyncStream.makeStream(of: Data.self)
    say.yield(Data("x".utf8))
    var request = Self.post(server.url())
    request.timeoutInterval = 0.5
    let answer = try await plainManager().stream(for: request, sending: words)
    let error = try await failure { for try await _ in answer.chunks {} }
    #expect(error.isTimeout)
    say.finish()
    try server.stop()
  }

  @Test(arguments: [307, 401]) func `A body that has begun is not sent to another place, or again`(status: Int)
    async throws
  {
    try await withTestServer(handler: { request in
      if request.path == "/end" { return .text("end") }
      _ = try request.body()
      return TestResponse(status).with("Location", "/end").with("WWW-Authenticate", #"Basic realm="r""#)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        URLCredential(user: "u", password: "p", persistence: .none)
      }
      let once = AsyncStream<Data> {
        $0.yield(Data("abc".utf8))
        $0.finish()
      }
      _ = try await failure {
        for try await _ in try await manager.stream(for: Self.post(server.url()), sending: once).chunks {}
      }
      #expect(server.requests.map(\.bodyText) == ["abc"])
    }
  }
}

/// The first bytes of the test pattern, in pieces of 64 KiB.
private struct PatternPieces: AsyncSequence, Sendable {
  let count: Int64

  struct AsyncIterator: AsyncIteratorProtocol {
    let count: Int64
    var position: Int64 = 0

    mutating func next() async -> Data? {
      guard position < count else { return nil }
      let piece = TestPattern.data(from: position, count: Int(Swift.min(64 << 10, count - position)))
      position += Int64(piece.count)
      return piece
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(count: count) }
}
