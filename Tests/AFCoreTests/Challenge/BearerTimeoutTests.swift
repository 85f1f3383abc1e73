import AFCore
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// F26: a refresh that goes on after its time is up.
@Suite struct BearerTimeoutTests {
  @Test func `F26 A refresh that timed out ends before the next begins, which takes its token`() async throws {
    try await withTestServer(handler: { request in
      request.value("Authorization") == "Bearer new" ? .text("in") : TestResponse(401)
    }) { server in
      let calls = Recorder<String>()
      let waiting = Locked<[CheckedContinuation<Void, Never>]>([])
      let bearer = AFBearerAuthentication(token: .init("old"), timeout: 0.5) { _ in
        calls.record("begin")
        // Deaf to its cancellation.
        await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
        calls.record("end")
        return .init("new")
      }
      let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: quietConfiguration())
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.bearerAuthentication = bearer
      for _ in 0..<2 {
        let late = try await failure { _ = try await manager.get("a") }
        #expect(late.cause as? AFBearerAuthenticationError == .timedOut)
        #expect(calls.values == ["begin"])
      }
      async let response = manager.get("a")
      for continuation in waiting.withLock({ $0 }) { continuation.resume() }
      #expect(try await response.data == Data("in".utf8))
      #expect(calls.values == ["begin", "end"])
    }
  }
}
