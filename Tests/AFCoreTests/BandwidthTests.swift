import AFCore
import AFMultipart
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import Testing

/// One budget for everything that a session sends, and one for what it receives.
@Suite struct BandwidthTests {
  @Test("A session's upload limit holds for its tasks together, forms or not")
  func uploads() async throws {
    try await withTestServer(handler: { .text(try $0.bodySHA256() ?? "") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      let limit = AFBandwidthLimit(bytesPerSecond: 400_000)
      manager.transportOptions.uploadLimit = limit
      let start = MonotonicTime.now
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<2 {
          group.addTask {
            _ = try await manager.post("\(index)") { form in
              form.appendPart(
                withFileData: TestPattern.data(count: 150_000), name: "f", fileName: "f", mimeType: "a/b")
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(MonotonicTime.now - start > 0.6)
      #expect(server.requests.allSatisfy { $0.bodyCount > 150_000 })
      // Let go, the rest goes at once.
      limit.bytesPerSecond = .max
      _ = try await manager.post("free") { form in
        form.appendPart(withFileData: TestPattern.data(count: 20_000_000), name: "f", fileName: "f", mimeType: "a/b")
      }
    }
  }

  @Test("A session's download limit holds, the bytes arrive whole, and other sessions do not notice")
  func downloads() async throws {
    try await withTestServer(handler: { $0.path == "/big" ? .pattern(300_000) : .text("small") }) { server in
      let manager = makeManager(server, serializer: AFHTTPResponseSerializer())
      manager.transportOptions.downloadLimit = AFBandwidthLimit(bytesPerSecond: 400_000)
      let other = makeManager(server, serializer: AFHTTPResponseSerializer())
      let start = MonotonicTime.now
      async let big = manager.get("big")
      for _ in 0..<10 { _ = try await other.get("small") }
      #expect(try await big.data == TestPattern.data(count: 300_000))
      #expect(MonotonicTime.now - start > 0.5)
    }
  }
}
