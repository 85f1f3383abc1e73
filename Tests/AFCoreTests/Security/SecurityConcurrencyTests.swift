import AFCore
import AFSecurity
import AFTestSupport
import Foundation
import FoundationNetworking
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

  @Test func `answers keep up with a policy that other threads keep changing, and none is lost`() async throws {
    let authority = try TestAuthority.make()
    var tls = TestTLS(try authority.issue(names: ["localhost"]))
    tls.clientCertificate = .requested
    let client = try authority.issue(names: ["client"])
    let identity = try client.asClientIdentity()
    try await withTestServer(.init(tls: tls), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
        DispatchQueue.global().async {
          let credential =
            challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
            ?? URLCredential(identity: identity, persistence: .none)
          answer(.useCredential, credential)
        }
        return NSNull()
      }
      let statuses = await withTaskGroup(of: Int?.self) { group in
        for index in 0..<120 {
          group.addTask {
            if index.isMultiple(of: 6) { policy.invalidateVerdicts() }
            return await get(manager).status
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(statuses.count == 120 && statuses.allSatisfy { $0 == 200 })
      // A connection without the certificate that was chosen for its pool never carries a request.
      let used = server.connections.filter { $0.bytesReceived > 0 }
      #expect(used.allSatisfy { $0.tls?.clientCertificate == client.certificate })
    }
  }
}
