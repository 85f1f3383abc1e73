import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Field reports about what downloads say and how files are called.
@Suite struct DownloadReports {
  private static let gzipped: [UInt8] = [
    0x1f, 0x8b, 0x08, 0x00, 0x6d, 0xca, 0xb2, 0x5c, 0x00, 0x03, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0x08, 0xcf, 0x2f,
    0xca, 0x49, 0x51, 0x04, 0x00, 0xa3, 0x1c, 0x29, 0x1c, 0x0c, 0x00, 0x00, 0x00,
  ]

  @Test func `B37 Progress of a gzipped body never falls and never exceeds the whole`() async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { _ in
      TestResponse(headers: [("Content-Encoding", "gzip")], body: .bytes(Self.gzipped))
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let seen = Recorder<(fraction: Double, completed: Int64)>()
      let data = try await manager.get("a") { seen.record(($0.fractionCompleted, $0.completedUnitCount)) }
      #expect(data.data == Data("Hello World!".utf8))
      try await manager.download("a", to: directory.file("x")) {
        seen.record(($0.fractionCompleted, $0.completedUnitCount))
      }
      #expect(try String(contentsOf: directory.file("x"), encoding: .utf8) == "Hello World!")
      #expect(seen.values.allSatisfy { $0.fraction <= 1 })
      #expect(seen.values.filter { $0.fraction == 1 }.map(\.completed) == [12, 12])
    }
  }

  @Test(arguments: [
    (#"attachment; filename="../../.ssh/authorized_keys""#, "authorized_keys"), (#"attachment; filename="../x""#, "x"),
    (#"attachment; filename="/etc/x""#, "x"), (#"attachment; filename="a/b/../../x""#, "x"),
    (#"attachment; filename="..\\x""#, "x"), (#"attachment; filename="..""#, "page"),
    (#"attachment; filename="""#, "page"), (#"attachment; filename="."; foo=bar"#, "page"),
    ("attachment; filename=\"x\u{1}.txt\"", "x.txt"), ("attachment; filename*=UTF-8\'\'%2e%2e%2Fx", "x"),
    ("attachment; filename*=UTF-8\'\'%E6%97%A5.txt; filename=\"a.txt\"", "日.txt"),
    ("attachment; filename=plain.txt", "plain.txt"), ("inline", "page"),
    (#"attachment; filename="a\"b.txt""#, "a\"b.txt"),
    ("attachment; filename*=iso-8859-1\'en\'%E9t%E9.txt", "été.txt"),
  ])
  func `B38 A suggested file name is one safe segment`(field: String, expected: String) throws {
    let url = try #require(URL(string: "http://example.org/folder/page"))
    let response = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Disposition": field]))
    #expect(AFSuggestedFilename(response) == expected)
  }

  @Test func `B38 A suggested file name fits a file system`() throws {
    let url = try #require(URL(string: "http://example.org/"))
    for name in [String(repeating: "a", count: 4000) + ".txt", String(repeating: "日", count: 400)] {
      let response = try #require(
        HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1",
          headerFields: ["Content-Disposition": "attachment; filename=\"\(name)\""]))
      let suggestion = AFSuggestedFilename(response)
      #expect(suggestion.utf8.count <= 255)
      #expect(suggestion.hasSuffix(".txt") == name.hasSuffix(".txt"))
    }
    let bare = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: [:]))
    #expect(AFSuggestedFilename(bare) == "download")
  }

  @Test func `AF-X050 A body stream that has to be sent again is asked for`() async throws {
    try await withTestServer(handler: { request in
      let digest = try request.bodySHA256() ?? ""
      return request.path == "/start" ? .redirect(307, to: "/end") : .text(digest)
    }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let data = TestPattern.data(count: 100_000)
      var request = URLRequest(url: server.url("start"))
      request.httpMethod = "POST"
      request.httpBodyStream = InputStream(data: data)
      let spent = try await failure { _ = try await manager.upload(withStreamedRequest: request) }
      #expect(spent.urlError?.code == .requestBodyStreamExhausted)
      #expect(server.requests.map(\.path) == ["/start"])
      manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: data) }
      request.httpBodyStream = InputStream(data: data)
      let response = try await manager.upload(withStreamedRequest: request)
      #expect(String(decoding: response.data, as: UTF8.self) == TestDigest.sha256(data))
    }
  }
}
