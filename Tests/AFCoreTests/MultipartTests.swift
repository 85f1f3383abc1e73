import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// Multipart requests over the wire, where the parts or the headers are not as they should be.
@Suite struct MultipartTests {
  @Test("AF-X027: a Content-Type among the headers of a request replaces the form's, and with it the boundary")
  func contentType() async throws {
    try await withTestServer(handler: { .text("\(try $0.body().count)") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      _ = try await manager.post("f", headers: ["Content-Type": "text/odd", "X-A": "1"]) { form in
        form.appendPart(withForm: Data("v".utf8), name: "k")
      }
      let request = try #require(server.requests.first)
      #expect(request.values("Content-Type") == ["text/odd"])
      #expect(request.value("X-A") == "1")
      #expect(request.value("Content-Length") == "\(request.bodyCount)")
      #expect(request.bodyText.hasPrefix("--Boundary+"))
    }
  }

  @Test("nginx and httpbin take a form over HTTP/2 and over HTTP/1.1, byte for byte", arguments: [40_000, 3_000_000])
  func nginx(size: Int) async throws {
    struct Echo: Decodable, Sendable {
      var files: [String: String]
      var form: [String: String]
    }
    let manager = AFHTTPSessionManager(
      baseURL: try RealServers.nginxTLS, sessionConfiguration: quietConfiguration())
    let policy = AFSecurityPolicy.default()
    policy.anchorCertificates = try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: RealServers.authority))
    manager.securityPolicy = policy
    let directory = try TemporaryDirectory()
    let bytes = TestPattern.data(count: size)
    let file = try directory.write(bytes, to: "\u{304A}\"q\".bin")
    let echo: Echo = try await manager.post(
      "httpbin/post",
      constructingBodyWith: { form in
        form.appendPart(withForm: Data("caf\u{E9}".utf8), name: "na\u{EF}ve")
        try form.appendPart(withFileURL: file, name: "file")
      })
    #expect(echo.form == ["na\u{EF}ve": "caf\u{E9}"])
    // httpbin gives bytes that are not text as a data URL.
    let received = echo.files["file"]?.split(separator: ",").last.flatMap { Data(base64Encoded: String($0)) }
    #expect(received == bytes)
  }

  @Test("F81: parameters that are no dictionary are an error that says so, before anything is sent")
  func parametersWithoutNames() async throws {
    try await withTestServer(handler: { .text("\(try $0.body().count)") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      for parameters in [[1, 2], "text", 5, Set(["a"])] as [Any] {
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<(any Error)?, Never>) in
          manager.post(
            "f", parameters: parameters, headers: nil,
            constructingBodyWith: { $0.appendPart(withForm: Data(), name: "k") },
            progress: nil, success: { _, _ in continuation.resume(returning: nil) },
            failure: { _, error in continuation.resume(returning: error) })
        }
        #expect(
          (error as? AFURLRequestSerializationError)?.reason
            == .invalidParameter(path: "", problem: "of a multipart form must be a dictionary"))
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test(
    "A part that fails under way: a typed error with its name, no complete request, no reuse of the connection",
    arguments: [AFMultipartError.Code.unreachableFile, .endedEarly, .readFailed])
  func failingPart(code: AFMultipartError.Code) async throws {
    let directory = try TemporaryDirectory()
    try await withTestServer(handler: { .text("\(try $0.bodySHA256() ?? "")") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      _ = try await manager.get("before")
      let file = try directory.write(TestPattern.data(count: 1 << 20), to: "f.bin")
      let start = MonotonicTime.now
      let error = try await failure {
        _ = try await manager.post("f") { form in
          form.appendPart(withFileData: TestPattern.data(count: 3 << 20), name: "first", fileName: "a", mimeType: "a/b")
          switch code {
          case .unreachableFile, .endedEarly: try form.appendPart(withFileURL: file, name: "bad")
          default:
            let content = AFMultipartContent.chunks(length: 1 << 20) {
              AsyncThrowingStream<Data, any Error> { $0.finish(throwing: CocoaError(.fileReadUnknown)) }
            }
            form.form?.append(AFMultipartPart(name: "bad", content: content))
          }
          if code == .unreachableFile { try FileManager.default.removeItem(at: file) }
          if code == .endedEarly { truncate(file.path, 1_000) }
        }
      }
      // Long before the idle timeout.
      #expect(MonotonicTime.now - start < 45)
      let cause = try #require(multipartError(in: error), "\(error)")
      #expect(cause.code == code)
      #expect(cause.partName == "bad")
      #expect(cause.partIndex == 1)
      #expect(server.requests.allSatisfy { $0.path != "/f" || !$0.isComplete })
      _ = try await manager.get("after")
      let connections = Dictionary(server.requests.map { ($0.path, $0.connection) }) { first, _ in first }
      let failed = try #require(connections["/f"])
      #expect(connections["/after"] != failed)
    }
    directory.remove()
  }

  /// The error of the form, wherever in the chain it is.
  private func multipartError(in error: NSError) -> AFMultipartError? {
    var next: (any Error)? = error
    while let present = next {
      if let found = present as? AFMultipartError { return found }
      next = (present as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    }
    return nil
  }
}
