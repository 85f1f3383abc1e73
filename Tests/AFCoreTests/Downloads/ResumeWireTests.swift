import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Programs that a user could write, over a server that answers the request for the rest wrongly.
@Suite struct ResumeWireTests {
  typealias Harness = ResumeHarness

  @Test func `F49 B77 A 206 that stops early is gone on with, until the whole is there`() async throws {
    for step in [20_000, 10_000, 59_999] as [Int64] {
      let harness = try Harness()
      let data = try await harness.begin()
      harness.answer { request in
        let first = Int64(request.value("Range")?.dropFirst(6).dropLast() ?? "") ?? 0
        return Harness.part(first, min(first + step, Harness.size))
      }
      let fractions = Recorder<Double>()
      let done = try await harness.resume(data) { fractions.record($0.fractionCompleted) }
      #expect(done.error == nil)
      #expect(harness.isWhole)
      let requests = harness.further
      #expect(requests.count == Int((60_000 + step - 1) / step))
      #expect(requests.allSatisfy { $0.value("If-Range") == "\"v1\"" })
      #expect(requests.last?.value("Range") == "bytes=\(40_000 + Int64(requests.count - 1) * step)-")
      #expect(fractions.values.allSatisfy { $0 <= 1 } && fractions.values.filter { $0 == 1 }.count == 1)
      #expect(try harness.parts.isEmpty)
      try harness.server.stop()
    }
  }

  @Test func `F49 B77 A 206 of a whole whose length nobody tells is complete when the server says so`() async throws {
    let harness = try Harness(length: nil)
    let data = try await harness.begin()
    harness.answer { request in
      switch request.value("Range") {
      case "bytes=40000-": Harness.part(40_000, 70_000, total: "*")
      case "bytes=70000-": Harness.part(70_000, 100_000, total: "*")
      case "bytes=100000-": TestResponse(416, headers: [("Content-Range", "bytes */100000")])
      default: .status(400)
      }
    }
    let done = try await harness.resume(data)
    #expect(done.error == nil)
    #expect(harness.isWhole)
    #expect(harness.further.count == 3)
    try harness.server.stop()
  }

  @Test func `F49 An unasked part is gone on with, or refused`() async throws {
    for tag in ["\"v1\"", nil] {
      let directory = try TemporaryDirectory()
      let target = directory.file("file")
      try await withTestServer(handler: { request in
        request.value("Range") == nil ? Harness.part(0, 30_000, tag: tag) : .ranged(request, total: 100_000)
      }) { server in
        let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
        if tag == nil {
          let error = try await failure { try await manager.download("file", to: target) }
          #expect(error.urlError?.code == .badServerResponse)
          #expect(try directory.contents.isEmpty)
        } else {
          try await manager.download("file", to: target)
          #expect(try TestDigest.sha256(ofFile: target.path) == Harness.digest)
        }
      }
    }
  }

  @Test func `F49 A part that brings nothing, or too much, is an error with resume data`() async throws {
    for isLong in [false, true] {
      let harness = try Harness()
      let data = try await harness.begin()
      harness.answer { _ in
        var response = Harness.part(40_000, isLong ? 60_000 : 40_000, range: "bytes 40000-49999/100000")
        response.framing = .chunked(size: 1000)
        return response
      }
      let done = try await harness.resume(data)
      #expect(done.code == .badServerResponse)
      #expect(!harness.hasFile)
      harness.answer(Harness.healthy)
      let again = try await harness.resume(try #require(done.resumeData))
      #expect(again.error == nil)
      #expect(harness.isWhole)
      #expect(harness.further.last?.value("Range") == "bytes=40000-")
      try harness.server.stop()
    }
  }

  @Test func `F50 A length that no arithmetic holds ends neither the process nor the file`() async throws {
    for range in ["bytes 40000-99999/*", "bytes 40000-9223372036854775806/*", "bytes 40000-9223372036854775807/*"] {
      let harness = try Harness(length: nil)
      let data = try await harness.begin()
      harness.answer { request in
        guard request.value("Range") != nil else { return .ranged(request, total: 100_000) }
        var response = Harness.part(40_000, 100_000, range: range)
        response.framing = .declared(.max)
        return response.with(.close, at: .responseBody(60_000))
      }
      let done = try await harness.resume(data)
      if done.error == nil { #expect(harness.isWhole) } else { #expect(!harness.hasFile) }
      try harness.server.stop()
    }
  }

  @Test func `F91 A 200 that is a part never is the file`() async throws {
    let harness = try Harness()
    let data = try await harness.begin()
    harness.answer { request in
      guard request.value("Range") != nil else { return .ranged(request, total: 100_000) }
      var response = Harness.part(40_000, 100_000)
      response.status = 200
      return response
    }
    let done = try await harness.resume(data)
    #expect(done.error == nil)
    #expect(harness.isWhole)
    #expect(harness.further.count == 2)
    // Also where nothing was to be resumed.
    harness.answer { _ in
      var response = Harness.part(40_000, 100_000)
      response.status = 200
      return response
    }
    let error = try await failure {
      try await harness.manager.download("file", to: harness.directory.file("other"))
    }
    #expect(error.urlError?.code == .badServerResponse)
    #expect(try !harness.directory.contents.contains("other"))
    try harness.server.stop()
  }

  @Test func `F53 A server that ignores If-Range with a date is caught by its own date`() async throws {
    let (old, new) = ("Mon, 02 Nov 2026 08:00:00 GMT", "Tue, 03 Nov 2026 08:00:00 GMT")
    let harness = try Harness(headers: [("Last-Modified", old), ("Date", new)])
    let data = try await harness.begin()
    harness.answer { request in
      guard request.value("Range") != nil else { return .ranged(request, total: 100_000) }
      return Harness.part(40_000, 100_000, tag: nil).with("Last-Modified", new)
    }
    let done = try await harness.resume(data)
    #expect(done.error == nil)
    #expect(harness.isWhole)
    #expect(harness.further.count == 2)
    #expect(harness.further.first?.value("If-Range") == old)
    try harness.server.stop()
  }

  @Test(arguments: [("bytes */40000", 416), ("bytes 40000-39999/40000", 206)])
  func `F96 Nothing left to send is complete at once`(range: String, status: Int) async throws {
    let harness = try Harness(length: nil)
    let data = try await harness.begin()
    harness.answer { _ in TestResponse(status, headers: [("Content-Range", range)]) }
    let done = try await harness.resume(data)
    #expect(done.error == nil)
    #expect(harness.further.count == 1)
    #expect(try Data(contentsOf: harness.directory.file("file")) == TestPattern.data(count: 40_000))
    try harness.server.stop()
  }

  @Test func `F51 A range of the caller's own is resumed within it`() async throws {
    let directory = try TemporaryDirectory()
    let isCut = Recorder<Bool>()
    try await withTestServer(handler: { request in
      let response = TestResponse.ranged(request, total: 100_000)
      guard isCut.count == 0 else { return response }
      isCut.record(true)
      return response.with(.close, at: .responseBody(400))
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      var request = URLRequest(url: server.url("file"))
      request.setValue("bytes=1000-1999", forHTTPHeaderField: "Range")
      let error = try await failure { try await manager.download(for: request, to: directory.file("x")) }
      try await manager.download(resumeFrom: try #require(error.resumeData), to: directory.file("x"))
      #expect(server.requests.last?.value("Range") == "bytes=1400-1999")
      #expect(try Data(contentsOf: directory.file("x")) == TestPattern.data(from: 1000, count: 1000))
    }
  }

  @Test func `F52 B79 A signed address is asked for anew, and gets no credentials`() async throws {
    for isSessionWide in [false, true] {
      let directory = try TemporaryDirectory()
      let signatures = Recorder<Int>()
      let isCut = Recorder<Bool>()
      let storage = try TestServer { request in
        guard request.query == "sig=\(signatures.count)" else { return .status(403) }
        let response = TestResponse.ranged(request, total: 100_000)
        guard isCut.count == 0 else { return response }
        isCut.record(true)
        return response.with(.close, at: .responseBody(40_000))
      }
      try await withTestServer(handler: { request in
        guard request.value("Authorization") == "Bearer t" else { return .status(401) }
        signatures.record(1)
        return .redirect(to: storage.url("f?sig=\(signatures.count)").absoluteString)
      }) { server in
        let configuration = quietConfiguration()
        if isSessionWide { configuration.httpAdditionalHeaders = ["Authorization": "Bearer t"] }
        var request = URLRequest(url: server.url("file"))
        if !isSessionWide { request.setValue("Bearer t", forHTTPHeaderField: "Authorization") }
        let manager = AFHTTPSessionManager(sessionConfiguration: configuration)
        manager.responseSerializer = AFHTTPResponseSerializer()
        let error = try await failure { try await manager.download(for: request, to: directory.file("x")) }
        // As another process would find it.
        let place = try directory.write(try #require(error.resumeData), to: "resume-data")
        let next = AFHTTPSessionManager(sessionConfiguration: configuration)
        next.responseSerializer = AFHTTPResponseSerializer()
        try await next.download(resumeFrom: try Data(contentsOf: place), to: directory.file("x"))
        #expect(try TestDigest.sha256(ofFile: directory.file("x").path) == Harness.digest)
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.value("Authorization") == "Bearer t" })
        #expect(storage.requests.map(\.query) == ["sig=1", "sig=2"])
        #expect(storage.requests.allSatisfy { $0.value("Authorization") == nil })
        #expect(storage.requests.last?.value("Range") == "bytes=40000-")
        #expect(storage.requests.last?.value("If-Range") == "\"v1\"")
      }
      try storage.stop()
    }
  }

  @Test func `Only one task at a time goes on with a part`() async throws {
    let harness = try Harness()
    let data = try await harness.begin()
    let isHeld = Locked(true)
    harness.answer { request in
      let response = TestResponse.ranged(request, total: 100_000)
      return isHeld.withLock { $0 } ? response.with(.stall, at: .responseBody(10_000)) : response
    }
    let done = Recorder<Completion>()
    let first = harness.manager.downloadTask(
      withResumeData: data, progress: nil, destination: nil, completionHandler: done.fileHandler)
    first.resume()
    try await eventually("the first has the part") {
      try harness.parts.contains { $0 >= 40_000 } && first.response != nil
    }
    isHeld.withLock { $0 = false }
    let second = try await harness.resume(data)
    #expect(second.code == .cannotCreateFile)
    first.cancel()
    try await done.wait(for: 1)
    // The app had resume data before: a cancelled task leaves what that names.
    let third = try await harness.resume(data)
    #expect(third.error == nil)
    #expect(harness.isWhole)
    try harness.server.stop()
  }

  @Test func `A download that is not wanted any more leaves nothing`() async throws {
    let harness = try Harness()
    let started = Recorder<Bool>()
    let task = Task {
      try await harness.manager.download(
        for: URLRequest(url: harness.server.url("file")), to: harness.directory.file("file")
      ) { _ in started.record(true) }
    }
    _ = await task.result
    harness.answer { _ in .pattern(1 << 20).with("ETag", "\"v1\"").with(.stall, at: .responseBody(1 << 19)) }
    let before = try harness.parts
    let other = Task {
      try await harness.manager.download(
        for: URLRequest(url: harness.server.url("file")), to: harness.directory.file("file")
      ) { _ in started.record(true) }
    }
    try await started.wait(for: started.count + 1)
    other.cancel()
    _ = await other.result
    #expect(try harness.parts == before)
    try harness.server.stop()
  }

  @Test func `F100 A failed task says with what to go on, and a part that nobody wants can go`() async throws {
    let harness = try Harness()
    let done = Recorder<Completion>()
    let task = harness.manager.downloadTask(
      with: URLRequest(url: harness.server.url("file")), progress: nil, destination: nil,
      completionHandler: done.fileHandler)
    #expect(task.resumeData == nil)
    task.resume()
    try await done.wait(for: 1)
    let data = try #require(task.resumeData)
    #expect(done.first?.resumeData == data)
    AFURLSessionManager.discardPart(ofResumeData: data)
    AFURLSessionManager.discardPart(ofResumeData: data)
    AFURLSessionManager.discardPart(ofResumeData: Data("rubbish".utf8))
    // Where the part is gone, the whole is asked for.
    harness.answer(Harness.healthy)
    let whole = try await harness.resume(data)
    #expect(whole.error == nil)
    #expect(harness.isWhole)
    #expect(harness.further.last?.value("Range") == nil)
    let error = try await failure {
      try await harness.manager.download(resumeFrom: Data("rubbish".utf8), to: harness.directory.file("x"))
    }
    #expect(error.urlError?.code == .cannotDecodeRawData)
    try harness.server.stop()
  }

  @Test func `AF-X057 A resumed task that is cancelled before its answer gives the way back`() async throws {
    let harness = try Harness()
    let data = try await harness.begin()
    harness.answer { _ in TestResponse.status(503).with(.stall, at: .responseHead(0)) }
    let task = harness.manager.downloadTask(
      withResumeData: data, progress: nil, destination: nil, completionHandler: nil)
    task.resume()
    try await eventually("the server has the request") { harness.further.count == 1 }
    let produced = Recorder<Data?>()
    task.cancel { produced.record($0) }
    try await produced.wait(for: 1)
    #expect(produced.first == data)
    #expect(try harness.parts == [40_000])
    try harness.server.stop()
  }
}
