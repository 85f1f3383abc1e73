import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// F34: how much of a body is held in memory is an option.
@Suite struct BodyLimitTests {
  private func manager(_ server: TestServer) -> AFHTTPSessionManager {
    let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
    var options = AFTransportOptions()
    options.maximumBodySizeInMemory = 10
    manager.transportOptions = options
    return manager
  }

  private static func isTooLarge(_ error: (any Error)?) -> Bool {
    guard let error = error as? URLError, error.code == .dataLengthExceedsMaximum else { return false }
    return (error.userInfo[NSUnderlyingErrorKey] as? AFTransportError)?.message.contains("10 bytes") == true
  }

  @Test func `F34: defaults`() {
    let options = AFTransportOptions()
    #expect(options.maximumBodySizeInMemory == 1 << 30)
    #expect(options.maximumDecodedBodySize == nil)
    #expect(options.maximumInflationRatio == 2000)
  }

  @Test(arguments: [("0123456789", false), ("0123456789a", true)])
  func `F34: data tasks, with and without a block that sees the pieces`(body: String, isTooLarge: Bool) async throws {
    try await withTestServer(handler: { _ in .text(body) }) { server in
      for hasBlock in [false, true] {
        let manager = manager(server)
        if hasBlock { manager.setDataTaskDidReceiveDataBlock { _, _, _ in } }
        let ends = Recorder<Completion>()
        let request = URLRequest(url: server.url())
        manager.dataTask(with: request, uploadProgress: nil, downloadProgress: nil, completionHandler: ends.handler)
          .resume()
        let end = try await ends.wait(for: 1)[0]
        #expect(Self.isTooLarge(end.error) == isTooLarge, "\(String(describing: end.error))")
        if !isTooLarge { #expect(end.object as? Data == Data(body.utf8)) }
      }
    }
  }

  @Test func `F34: calls that give data are limited; files and byte streams are not`() async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try await withTestServer(handler: { _ in .text("0123456789abcdef") }) { server in
      let manager = manager(server)
      let error = try await failure { _ = try await manager.get("x") }
      #expect(Self.isTooLarge(error.cause))
      let stream = try await manager.stream(for: URLRequest(url: server.url()))
      var count = 0
      for try await chunk in stream.chunks { count += chunk.count }
      #expect(count == 16)
      let files = Recorder<Completion>()
      let target = directory.file("f")
      manager.downloadTask(
        with: URLRequest(url: server.url()), progress: nil, destination: { _, _ in target },
        completionHandler: files.fileHandler
      ).resume()
      let filesFirst = try await files.wait(for: 1)[0]
      #expect(filesFirst.error == nil)
      #expect(try Data(contentsOf: target).count == 16)
    }
  }
}
