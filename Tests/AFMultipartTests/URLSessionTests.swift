import AFMultipart
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// The body stream in the hands of Foundation's own client: it is an `InputStream` like any other.
@Suite struct URLSessionTests {
  // Not under a sanitizer: that session leaves strings of its libcurl handle behind, which look like leaks of ours.
  @Test(
    "FoundationNetworking's URLSession sends the stream as its body, byte for byte",
    .enabled(if: !ProcessSnapshot.isSanitized))
  func bodyStream() async throws {
    let form = AFMultipartForm()
    form.appendPart(withForm: Data("v".utf8), name: "k")
    form.appendPart(withFileData: patternedData(300_000), name: "f", fileName: "f.bin", mimeType: "a/b")
    form.append(
      AFMultipartPart(name: "s", content: .stream(length: 70_000) { InputStream(data: patternedData(70_000)) }))
    try await withTestServer(handler: { .text("\(try $0.body().count)") }) { server in
      var request = URLRequest(url: server.url("upload"))
      request.httpMethod = "POST"
      request.httpBodyStream = form.makeBodyStream()
      request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
      let session = URLSession(configuration: .ephemeral)
      defer { session.finishTasksAndInvalidate() }
      let (_, response) = try await session.data(for: request)
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      let received = try #require(server.requests.first)
      let expected = try drain(form.makeBodyStream().makeBodyReader())
      #expect(Data(received.body) == expected)
      #expect(received.value("Content-Type") == form.contentType)
    }
  }
}
