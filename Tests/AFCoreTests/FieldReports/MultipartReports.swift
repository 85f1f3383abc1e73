import AFCore
import AFMultipart
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Field reports about multipart forms, over the wire.
@Suite struct MultipartReports {
  @Test(arguments: [
    (#"a"b"#, #"he said "hi".pdf"#, #"name="a%22b"; filename="he said %22hi%22.pdf""#),
    ("n", "evil\r\nContent-Type: text/x-injected\r\n\r\nSMUGGLED", nil),
    ("n", "one\ntwo", #"name="n"; filename="one%0Atwo""#), ("n", "one\rtwo", #"name="n"; filename="one%0Dtwo""#),
    ("お", "お疲れ様です.mp4", #"name="お"; filename="お疲れ様です.mp4""#),
  ])
  func `B01 B02 B03 Names and file names cannot break out of their line`(name: String, file: String, line: String?)
    async throws
  {
    try await withTestServer(handler: { .text("\(try $0.body().count)") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      _ = try await manager.post("f") { form in
        form.appendPart(withFileData: Data("x".utf8), name: name, fileName: file, mimeType: "application/pdf")
      }
      let body = try #require(server.requests.first).bodyText
      let lines = body.components(separatedBy: "\r\n")
      #expect(lines.filter { $0.hasPrefix("Content-Type") } == ["Content-Type: application/pdf"])
      #expect(lines.count { $0.hasPrefix("--") } == 2)
      #expect(!body.contains("filename*"))
      #expect(!body.contains("=?"))
      if let line { #expect(lines.contains("Content-Disposition: form-data; \(line)")) }
    }
  }

  @Test func `B04 A stream part is exactly as long as declared`() async throws {
    try await withTestServer(handler: { .text("\(try $0.body().count)") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      func post(_ count: Int, declared: Int64, _ progress: (@Sendable (Progress) -> Void)? = nil) async throws {
        _ = try await manager.post(
          "f",
          constructingBodyWith: { form in
            form.appendPart(
              with: InputStream(data: TestPattern.data(count: count)), name: "s", fileName: "s", length: declared,
              mimeType: "application/octet-stream")
          }, progress: progress)
      }
      let totals = Recorder<Int64>()
      try await post(10_000, declared: 1000) { totals.record($0.totalUnitCount) }
      let request = try #require(server.requests.first)
      #expect(request.value("Content-Length") == "\(request.bodyCount)")
      #expect(request.bodyCount > 1000 && request.bodyCount < 1500)
      #expect(totals.last == request.bodyCount)
      let short = try await failure { try await post(500, declared: 1000) }
      #expect(short.urlError?.code == .requestBodyStreamExhausted)
      try await post(1000, declared: 1000)
    }
  }

  @Test(arguments: [307, 401])
  func `B05 A multipart body is sent again byte for byte`(status: Int) async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("f.bin")
    try TestPattern.write(count: 300 << 10, to: file.path)
    try await withTestServer(handler: { request in
      let digest = try request.bodySHA256() ?? ""
      if request.path == "/start", status == 307 { return .redirect(307, to: "/end") }
      if status == 401, request.value("Authorization") == nil {
        return TestResponse(401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
      }
      return .text(digest)
    }) { server in
      func make() -> AFHTTPSessionManager {
        let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
        manager.setAuthenticationChallengeHandler { _, _, _, _ in
          URLCredential(user: "u", password: "p", persistence: .none)
        }
        return manager
      }
      _ = try await make().post("start") { form in
        form.appendPart(withForm: Data("v".utf8), name: "k")
        try form.appendPart(withFileURL: file, name: "file")
      }
      #expect(server.requests.count == 2)
      #expect(server.requests[0].bodySHA256 == server.requests[1].bodySHA256)
      for request in server.requests {
        let boundary = try #require(request.value("Content-Type")?.components(separatedBy: "boundary=").last)
        #expect(request.bodyText.hasPrefix("--\(boundary)\r\n"))
      }
      // Another session: the first one would not wait to be asked again.
      let error = try await failure {
        _ = try await make().post("start") { form in
          form.appendPart(
            with: InputStream(data: Data("once".utf8)), name: "s", fileName: "s", length: 4, mimeType: "a/b")
        }
      }
      #expect(error.urlError?.code == .requestBodyStreamExhausted)
      #expect(server.requests.count == 3)
    }
  }

  @Test func `B06 Throttling keeps its pace and delays nobody else`() async throws {
    try await withTestServer(handler: { .text(try $0.bodySHA256() ?? "") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let start = MonotonicTime.now
      async let upload: Double = {
        let response = try await manager.post("f") { form in
          form.throttleBandwidth(withPacketSize: 2048, delay: 0.1)
          for size in [700, 2048, 2049, 15_683] {
            form.appendPart(
              withFileData: TestPattern.data(count: size), name: "p", fileName: "p", mimeType: "a/b")
          }
        }
        #expect(response.data.count == 64)
        return MonotonicTime.now - start
      }()
      for _ in 0..<20 { _ = try await manager.get("small") }
      let took = try await upload
      let form = try #require(server.requests.first { $0.path == "/f" })
      let packets = Double(form.bodyCount / 2048)
      #expect(took > 0.9 * packets * 0.1 - 0.2)
      let end = try #require(form.completedAt)
      #expect(server.requests.contains { $0.path == "/small" && $0.headReceivedAt < end })
    }
  }
}
