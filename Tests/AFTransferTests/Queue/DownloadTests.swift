import AFTestSupport
import AFTransfer
import Foundation
import Testing

@Suite struct DownloadTests {
  private let directory: TemporaryDirectory
  private var folder: URL { directory.url.appendingPathComponent("queue") }
  private var destination: URL { directory.file("got") }
  private static let size: Int64 = 3_000_000

  init() throws { directory = try TemporaryDirectory() }

  private static func answer(_ request: TestRequest, tag: String = "\"1\"") -> TestResponse {
    .ranged(request, total: size, entityTag: tag)
  }

  private func isWhole() throws -> Bool { try Data(contentsOf: destination) == TestPattern.data(count: Int(Self.size)) }

  @Test func `a download is moved to its place when it is whole`() async throws {
    let server = try TestServer { request in Self.answer(request) }
    let queue = try await AFTransferQueue.quick(folder)
    try Data("old".utf8).write(to: destination)
    let transfer = try await queue.add(.download(server.url("f"), to: destination))
    let result = try await transfer.result
    #expect(result.statusCode == 200 && result.file == destination && result.headers["ETag"] == "\"1\"")
    #expect(try isWhole())
    #expect(await transfer.progress?.fractionCompleted == 1)
    #expect(server.requests.first?.value("Accept-Encoding") == "identity")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/spool").isEmpty)
    await queue.close()
    try server.stop()
  }

  @Test(arguments: ["strong", "weak", "changed"])
  func `it goes on where it was cut only if the server proves that it has the same`(tag: String) async throws {
    let first = tag == "weak" ? "W/\"1\"" : "\"1\""
    let server = try TestServer { request in
      let isFirst = request.connection.index == 0
      let answer = Self.answer(request, tag: tag == "changed" && !isFirst ? "\"2\"" : first)
      return isFirst ? answer.with(.reset, at: .responseBody(2_000_000)) : answer
    }
    let queue = try await AFTransferQueue.quick(folder)
    _ = try await queue.add(.download(server.url("f"), to: destination)).result
    #expect(try isWhole())
    let requests = server.requests
    #expect(requests.count == 2)
    let range = requests.last?.value("Range")
    #expect((range != nil) == (tag != "weak"))
    if let range { #expect(range != "bytes=0-" && requests.last?.value("If-Range") == "\"1\"") }
    await queue.close()
    try server.stop()
  }

  @Test func `it goes on after a restart`() async throws {
    let latch = Latch()
    let server = try TestServer { request in
      request.value("Range") == nil
        ? Self.answer(request).with(.wait(latch), at: .responseBody(2_000_000)) : Self.answer(request)
    }
    var queue = try await AFTransferQueue.quick(folder)
    let transfer = try await queue.add(.download(server.url("f"), to: destination))
    try await eventually { (await transfer.progress?.completed ?? 0) > 1_000_000 }
    await queue.close()
    latch.open()
    queue = try await AFTransferQueue.quick(folder)
    let again = try #require(await queue.transfer(transfer.id))
    #expect((await again.progress?.completed ?? 0) > 1_000_000)
    #expect(try await again.result.statusCode == 206)
    #expect(try isWhole())
    await queue.close()
    try server.stop()
  }

  /// Failure 11: answers that lie about the part.
  @Test(arguments: ["bytes 0-2999999/3000000", "bytes 5-2999999/3000000", "bytes */3000000", "nonsense", "none", "416"])
  func `a part that is not the one that was asked for is not appended`(range: String) async throws {
    let server = try TestServer { request in
      if request.connection.index == 0 { return Self.answer(request).with(.reset, at: .responseBody(2_000_000)) }
      guard request.value("Range") != nil else { return Self.answer(request) }
      if range == "416" { return .status(416) }
      var response = TestResponse.pattern(1_000_000).with("ETag", "\"1\"")
      response.status = 206
      return range == "none" ? response : response.with("Content-Range", range)
    }
    let queue = try await AFTransferQueue.quick(folder)
    _ = try await queue.add(.download(server.url("f"), to: destination)).result
    #expect(try isWhole())
    await queue.close()
    try server.stop()
  }

  @Test(arguments: [false, true]) func `a digest that is wrong twice is an end, and no file`(isCallers: Bool)
    async throws
  {
    let wrong = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    let server = try TestServer { request in
      let answer = Self.answer(request)
      return isCallers ? answer : answer.with("Repr-Digest", "sha-256=:\(wrong):")
    }
    let queue = try await AFTransferQueue.quick(folder)
    var request = AFTransferRequest.download(server.url("f"), to: destination)
    if isCallers { request.expectedSHA256 = TestPattern.sha256(count: Self.size - 1).uppercased() }
    #expect(try await failureCode(try await queue.add(request)) == .digestMismatch)
    #expect(!FileManager.default.fileExists(atPath: destination.path))
    #expect(server.requests.map { $0.value("Cache-Control") }.last == "no-cache" && server.requestCount == 2)
    request.expectedSHA256 = TestPattern.sha256(count: Self.size).uppercased()
    _ = try await queue.add(request).result
    #expect(try isWhole())
    await queue.close()
    try server.stop()
  }

  @Test func `a place that cannot be written to is an end`() async throws {
    let server = try TestServer { request in Self.answer(request) }
    let queue = try await AFTransferQueue.quick(folder)
    let transfer = try await queue.add(.download(server.url("f"), to: directory.file("no/such/folder")))
    #expect(try await failureCode(transfer) == .cannotWrite)
    await queue.close()
    try server.stop()
  }
}
