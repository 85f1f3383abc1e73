import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Programs that a user could write, over a server that refuses the rest: what says nothing about the part leaves it.
@Suite struct ResumeRefusalTests {
  typealias Harness = ResumeHarness

  @Test(arguments: [301, 400, 401, 403, 405, 407, 408, 425, 429, 500, 502, 503, 504, 511])
  func `F51 B78 A refusal keeps the part and gives resume data again`(status: Int) async throws {
    let harness = try Harness()
    let data = try await harness.begin()
    harness.answer { _ in .text("try later", status: status).with("Retry-After", "1") }
    let done = try await harness.resume(data)
    let code = (done.error as? AFURLResponseSerializationError)?.reason
    #expect(code == .unacceptableStatusCode(status))
    #expect(done.status == status)
    #expect(!harness.hasFile)
    #expect(try harness.parts == [40_000])
    // By the asynchronous call, with what the error gave.
    let again = try #require(done.resumeData)
    let error = try await failure {
      try await harness.manager.download(resumeFrom: again, to: harness.directory.file("file"))
    }
    #expect(error.statusCode == status)
    #expect(error.resumeData != nil)
    harness.answer(Harness.healthy)
    try await harness.manager.download(
      resumeFrom: error.resumeData ?? Data(), to: harness.directory.file("file"))
    #expect(harness.isWhole)
    let last = try #require(harness.further.last)
    #expect(last.value("Range") == "bytes=40000-")
    #expect(harness.further.count == 3)
    #expect(try harness.parts.isEmpty)
    try harness.server.stop()
  }

  @Test func `F51 B78 A portal's page is a refusal too`() async throws {
    let portal = try TestServer { _ in
      TestResponse(headers: [("Content-Type", "text/html")], body: .bytes(Array("<html>log in</html>".utf8)))
    }
    let harness = try Harness(headers: [("ETag", "\"v1\""), ("Content-Type", "application/octet-stream")])
    harness.manager.responseSerializer.acceptableContentTypes = ["application/octet-stream"]
    let data = try await harness.begin()
    harness.answer { _ in .redirect(to: portal.url("login").absoluteString) }
    let done = try await harness.resume(data)
    #expect((done.error as? AFURLResponseSerializationError)?.reason == .unacceptableContentType("text/html"))
    #expect(try harness.parts == [40_000])
    harness.answer { .ranged($0, total: 100_000).with("Content-Type", "application/octet-stream") }
    let again = try await harness.resume(try #require(done.resumeData))
    #expect(again.error == nil)
    #expect(harness.isWhole)
    try harness.server.stop()
    try portal.stop()
  }

  @Test(arguments: [("application/zip", true), ("application/zip; x=y", true), ("text/html", false)])
  func `F51 B78 A serializer that refuses the download's own type refuses a portal's page alone`(
    type: String, isAccepted: Bool
  ) async throws {
    let harness = try Harness(headers: [("ETag", "\"v1\""), ("Content-Type", "application/zip")])
    harness.manager.responseSerializer = AFJSONResponseSerializer()
    let data = try await harness.begin()
    harness.answer { _ in
      TestResponse(headers: [("Content-Type", type)], body: .pattern(offset: 0, count: Harness.size))
    }
    let done = try await harness.resume(data)
    #expect((done.error == nil) == isAccepted)
    #expect(harness.isWhole == isAccepted)
    #expect(try harness.parts == (isAccepted ? [] : [40_000]))
    #expect((done.resumeData == nil) == isAccepted)
    try harness.server.stop()
  }

  @Test(arguments: [404, 410, 412])
  func `B78 What is gone takes the part with it`(status: Int) async throws {
    let harness = try Harness()
    let data = try await harness.begin()
    harness.answer { _ in .text("gone", status: status) }
    let done = try await harness.resume(data)
    #expect((done.error as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(status))
    #expect(done.resumeData == nil)
    #expect(try harness.parts.isEmpty)
    try harness.server.stop()
  }

  @Test func `F51 No server at all keeps the part`() async throws {
    let harness = try Harness()
    let data = try await harness.begin()
    harness.answer { _ in .none(.reset) }
    let done = try await harness.resume(data)
    #expect(done.code == .networkConnectionLost)
    #expect(done.resumeData == data)
    #expect(try harness.parts == [40_000])
    try harness.server.stop()
  }

  @Test func `F51 An unusable answer asks for the whole, and a refusal of that keeps the part`() async throws {
    let harness = try Harness()
    let data = try await harness.begin()
    harness.answer { request in
      request.value("Range") == nil ? .status(503) : Harness.part(50_000, 100_000)
    }
    let done = try await harness.resume(data)
    #expect((done.error as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(503))
    #expect(done.resumeData == data)
    #expect(try harness.parts == [40_000])
    try harness.server.stop()
  }
}
