import AFCore
import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// AFNetworking's challenge blocks, asked about TLS servers.
@Suite struct SecurityChallengeTests {
  private let authority: TestAuthority
  private let identity: TestIdentity

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issue(names: ["localhost"])
  }

  @Test func `a session block can accept a server that the policy would refuse, and sees its certificates`()
    async throws
  {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), .default())
      let seen = Recorder<[Data]>()
      manager.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
        guard let trust = challenge.protectionSpace.serverTrust else { return .performDefaultHandling }
        seen.record(trust.certificates.map(\.derRepresentation))
        credential?.pointee = URLCredential(trust: trust)
        return .useCredential
      }
      #expect(await get(manager).status == 200)
      #expect(await get(manager).status == 200)
      #expect(seen.values.first == identity.chain)
      // Another policy is another question.
      let asked = seen.values.count
      manager.securityPolicy = .default()
      #expect(await get(manager).status == 200)
      #expect(seen.values.count > asked)
    }
  }

  @Test func `a block that says no, or leaves it to the default, lets no byte through`() async throws {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), .default())
      manager.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .cancelAuthenticationChallenge }
      #expect(await get(manager).error?.urlError?.code == .cancelled)
      manager.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .rejectProtectionSpace }
      #expect(await get(manager).error?.urlError?.code == .serverCertificateUntrusted)
      manager.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .performDefaultHandling }
      #expect(await get(manager).refusal == .untrustedChain)
      #expect(server.requestCount == 0 && server.requestBytes == 0)
    }
  }

  @Test func `a task handler may answer later, by credential, disposition, error or not at all`() async throws {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let trusting = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url("", host: "localhost"), trusting)
      manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
        // Late because an answer that comes after the call has returned is what is tested.
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
          let credential = challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) }
          answer(credential == nil ? .cancelAuthenticationChallenge : .useCredential, credential)
        }
        return NSNull()
      }
      #expect(await get(manager).status == 200)

      trusting.invalidateVerdicts()
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      #expect(await get(manager).status == 200)

      trusting.invalidateVerdicts()
      manager.setAuthenticationChallengeHandler { _, _, _, _ in NSError(domain: "mine", code: 7) }
      let failed = await get(manager).error
      #expect(failed?.domain == "mine" && failed?.code == 7, "\(String(describing: failed))")
      #expect(server.requestCount == 2)
    }
  }

  @Test func `an answer that comes after the policy has changed counts for nothing`() async throws {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let policy = try AFSecurityPolicy.trusting(authority)
      let manager = makeManager(for: server.url("", host: "localhost"), policy)
      let questions = Locked(0)
      manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
        let number = questions.withLock { count in
          count += 1
          return count
        }
        guard number == 1 else {
          return NSNumber(value: AFURLSession.AuthChallengeDisposition.rejectProtectionSpace.rawValue)
        }
        policy.invalidateVerdicts()
        answer(.useCredential, challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) })
        return NSNull()
      }
      let error = await get(manager).error
      #expect(error?.urlError?.code == .serverCertificateUntrusted, "\(String(describing: error))")
      #expect(questions.withLock { $0 } == 2)
      #expect(server.requestCount == 0)
    }
  }
}
