import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Field reports about downloads that go on where they stopped.
@Suite struct ResumeReports {
  private static let size = 100_000
  private static let cut = 40_000
  /// Made anew each time: the leak checker does not see through a `Data` that is kept in a global.
  private static var full: Data { TestPattern.data(count: size) }
  private static let digest = TestPattern.sha256(count: Int64(size))

  /// Breaks a download off after 40,000 bytes, then lets `answer` serve the rest.
  private func resumed(
    headers: [(name: String, value: String)] = [("ETag", "\"v1\"")],
    _ answer: @escaping @Sendable (TestRequest) throws -> TestResponse,
    _ check: (TestServer, Completion, URL, [Double]) throws -> Void
  ) async throws {
    let directory = try TemporaryDirectory()
    let isCut = Recorder<Bool>()
    try await withTestServer(handler: { request in
      guard isCut.count > 0 else {
        isCut.record(true)
        var response = TestResponse(headers: headers, body: .bytes(Array(Self.full)))
        response.framing = .declared(Int64(Self.size))
        return response.with(.close, at: .responseBody(Int64(Self.cut)))
      }
      return try answer(request)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      manager.downloadTask(
        with: URLRequest(url: server.url("file")), progress: nil, destination: nil, completionHandler: done.fileHandler
      ).resume()
      try await done.wait(for: 1)
      #expect(done.first?.code == .networkConnectionLost)
      let info = (done.first?.error as? URLError)?.errorUserInfo ?? [:]
      let data = try #require(info["NSURLSessionDownloadTaskResumeData"] as? Data)
      let fractions = Recorder<Double>()
      let target = directory.file("file")
      manager.downloadTask(
        withResumeData: data, progress: { fractions.record($0.fractionCompleted) }, destination: { _, _ in target },
        completionHandler: done.fileHandler
      ).resume()
      try await done.wait(for: 2)
      // What could be gone on with, and is not.
      defer { done.last?.resumeData.map { AFURLSessionManager.discardPart(ofResumeData: $0) } }
      try check(server, try #require(done.last), target, fractions.values)
    }
  }

  private static func rest(from start: Int, _ range: String?, tag: String = "\"v1\"") -> TestResponse {
    var headers = [(name: "ETag", value: tag)]
    if let range { headers.append(("Content-Range", range)) }
    return TestResponse(206, headers: headers, body: .bytes(Array(full[start...])))
  }

  private static let whole = TestResponse(headers: [("ETag", "\"v1\"")], body: .bytes(Array(full)))

  @Test func `AF-X057 A right 206 goes on where the download stopped`() async throws {
    try await resumed({ request in
      request.value("Range") == "bytes=40000-" && request.value("If-Range") == "\"v1\""
        ? Self.rest(from: 40_000, "bytes 40000-99999/100000") : .status(400)
    }) { server, done, file, fractions in
      #expect(done.error == nil)
      let content1 = try TestDigest.sha256(ofFile: file.path)
      #expect(content1 == Self.digest)
      #expect(server.requests.count == 2)
      #expect(fractions.allSatisfy { $0 >= 0.4 && $0 <= 1 })
      #expect(fractions.last == 1)
    }
  }

  @Test func `B33 A server that ignores Range sends the whole, from the beginning`() async throws {
    try await resumed({ _ in Self.whole }) { server, done, file, fractions in
      #expect(done.error == nil)
      let content2 = try TestDigest.sha256(ofFile: file.path)
      #expect(content2 == Self.digest)
      #expect(fractions.allSatisfy { $0 <= 1 })
      #expect(server.requests.count == 2)
    }
  }

  @Test(arguments: [
    (36_864, "bytes 36864-99999/100000", true), (50_000, "bytes 50000-99999/100000", false), (40_000, nil, false),
    (40_000, "bytes 40000-99999/90000", false), (40_000, "bytes 40000-99999/*", true), (40_000, "nonsense", false),
  ])
  func `B34 A 206 that starts elsewhere never makes a wrong file`(start: Int, range: String?, goesOn: Bool) async throws
  {
    try await resumed({ request in
      request.value("Range") == nil ? Self.whole : Self.rest(from: start, range)
    }) { server, done, file, _ in
      #expect(done.error == nil)
      let content3 = try TestDigest.sha256(ofFile: file.path)
      #expect(content3 == Self.digest)
      #expect(server.requests.count == (goesOn ? 2 : 3))
    }
  }

  @Test(arguments: [nil, "bytes */90000"])
  func `B35 A 416 begins again, once`(range: String?) async throws {
    for alwaysRefuses in [false, true] {
      try await resumed({ request in
        if !alwaysRefuses, request.value("Range") == nil { return Self.whole }
        let headers = range.map { [(name: "Content-Range", value: $0)] } ?? []
        return TestResponse(416, headers: headers)
      }) { server, done, file, _ in
        #expect(server.requests.count == 3)
        #expect(server.requests.last?.value("Range") == nil)
        if alwaysRefuses {
          #expect(done.error != nil)
        } else {
          let content4 = try TestDigest.sha256(ofFile: file.path)
          #expect(content4 == Self.digest)
        }
      }
    }
  }

  @Test func `B35 A 416 that names the length we have means that the file is complete`() async throws {
    try await resumed({ _ in TestResponse(416, headers: [("Content-Range", "bytes */40000")]) }) {
      server, done, file, _ in
      #expect(done.error == nil)
      let content5 = try Data(contentsOf: file)
      #expect(content5 == Self.full.prefix(40_000))
      #expect(server.requests.count == 2)
    }
  }

  @Test func `B36 A file that changed between the halves is fetched anew`() async throws {
    let new = Data("UVWXYZ".utf8)
    let changed = TestResponse(headers: [("ETag", "\"v2\"")], body: .bytes(Array(new)))
    try await resumed({ _ in changed }) { _, _, file, _ in
      let content6 = try Data(contentsOf: file)
      #expect(content6 == new)
    }
    try await resumed({ request in
      request.value("Range") == nil ? changed : Self.rest(from: 40_000, "bytes 40000-99999/100000", tag: "\"v2\"")
    }) { _, _, file, _ in
      let content7 = try Data(contentsOf: file)
      #expect(content7 == new)
    }
  }

  @Test func `AF-X057 Cancelling by producing resume data`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { request in
      guard let range = request.value("Range") else {
        return TestResponse(headers: [("ETag", "\"v1\"")], body: .pattern(offset: 0, count: 32 << 20))
          .with(.stall, at: .responseBody(4 << 20))
      }
      let start = Int64(range.dropFirst(6).dropLast()) ?? 0
      let total: Int64 = 32 << 20
      return TestResponse(
        206, headers: [("ETag", "\"v1\""), ("Content-Range", "bytes \(start)-\(total - 1)/\(total)")],
        body: .pattern(offset: start, count: total - start))
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let done = Recorder<Completion>()
      let offsets = Recorder<Int64>()
      manager.setDownloadTaskDidResumeBlock { _, _, offset, total in offsets.record(total == 32 << 20 ? offset : -1) }
      let started = Recorder<Bool>()
      let task = manager.downloadTask(
        with: URLRequest(url: server.url("file")), progress: { _ in started.record(true) }, destination: nil,
        completionHandler: done.fileHandler)
      task.resume()
      try await started.wait(for: 1)
      let produced = Recorder<Data>()
      task.cancel { data in produced.record(data ?? Data()) }
      try await produced.wait(for: 1)
      let data = try #require(produced.first)
      #expect(!data.isEmpty)
      try await done.wait(for: 1)
      #expect(done.first?.code == .cancelled)
      manager.downloadTask(
        withResumeData: data, progress: nil, destination: { _, _ in directory.file("x") },
        completionHandler: done.fileHandler
      ).resume()
      try await done.wait(for: 2)
      #expect(done.last?.error == nil)
      let content8 = try TestDigest.sha256(ofFile: directory.file("x").path)
      #expect(content8 == TestPattern.sha256(count: 32 << 20))
      #expect(offsets.values.count == 1)
      #expect((offsets.first ?? 0) > 0)
    }
  }

  @Test func `Resume data that is none makes the task fail`() async throws {
    let manager = AFURLSessionManager(sessionConfiguration: quietConfiguration())
    manager.completionQueue = DispatchQueue(label: "completions")
    let done = Recorder<Completion>()
    manager.downloadTask(
      withResumeData: Data("rubbish".utf8), progress: nil, destination: nil, completionHandler: done.fileHandler
    ).resume()
    try await done.wait(for: 1)
    #expect(done.first?.code == .cannotDecodeRawData)
  }
}
