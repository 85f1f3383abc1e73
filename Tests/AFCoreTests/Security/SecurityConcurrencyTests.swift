import AFCore
import AFSecurity
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@Suite struct SecurityConcurrencyTests {
  @Test func `1,000 handshakes under a policy that keeps changing each end in a verdict`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    let foreign = try TestAuthority.make()
    var options = TestServer.Options(tls: TestTLS(identity))
    options.keptBodySize = 0
    let answer: TestServer.Handler = { _ in
      var response = TestResponse.text("reached")
      response.closes = true
      return response
    }
    try await withTestServer(options, handler: answer) { server in
      let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [identity.certificate])
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
        var running = 0
        var accepted = 0
        for index in 0..<1_000 {
          if running == 16, let outcome = try await group.next() {
            running -= 1
            accepted += outcome ? 1 : 0
          }
          if index % 20 == 0 {
            policy.pinnedCertificates = index % 40 == 0 ? [identity.certificate] : [foreign.certificate]
          }
          running += 1
          group.addTask {
            let outcome = await get(manager)
            #expect(outcome.status == 200 || outcome.refusal == .pinMismatch, "\(outcome)")
            return outcome.status == 200
          }
        }
        return try await group.reduce(accepted) { $0 + ($1 ? 1 : 0) }
      }
      #expect((1...999).contains(accepted))
      #expect(server.requestCount == accepted)
      policy.pinnedCertificates = [foreign.certificate]
      #expect(await get(manager).refusal == .pinMismatch)
    }
  }
}
