import AFImage
import AFImageOperations
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite struct ImageOperationTests {
  @Test func `An image operation gives pixels, also by the constructor of 1.x, and fails for what is no image`()
    async throws
  {
    let png = try [UInt8](ImageFixtures.png())
    try await withTestServer(handler: { request in
      request.path == "/a.png" ? .data(png, type: "image/png") : .data(Array("no image".utf8), type: "image/png")
    }) { server in
      let request = URLRequest(url: server.url("a.png"))
      let operation = AFImageRequestOperation(request: request)
      try await operation.run()
      #expect(operation.responseImage?.width == 2)
      let widths = Recorder<Int>()
      let half = try AFPixelImage(width: 1, height: 1, rgba: Data([0, 0, 0, 255]))
      AFImageRequestOperation(
        request: request, imageProcessingBlock: { _ in half }, success: { widths.record($2.width) },
        failure: { _, _, _ in widths.record(0) }
      ).start()
      try await widths.wait(for: 1)
      AFImageRequestOperation(
        request: URLRequest(url: server.url("b")), success: { widths.record($2.width) },
        failure: { _, _, _ in widths.record(0) }
      ).start()
      try await widths.wait(for: 2)
      #expect(widths.values == [1, 0])
    }
  }

  @Test(arguments: ["tif", "tiff", "jpg", "jpeg", "gif", "png", "ico", "bmp", "cur"])
  func `A registered client makes image operations of URLs that end as images do`(_ type: String) throws {
    let client = AFHTTPClient(baseURL: try #require(URL(string: "http://127.0.0.1/")))
    client.registerHTTPOperationClass(AFImageRequestOperation.self)
    let request = client.request(withMethod: "GET", path: "a.\(type)", parameters: nil) as URLRequest
    #expect(client.httpRequestOperation(with: request, success: nil) is AFImageRequestOperation)
  }
}
