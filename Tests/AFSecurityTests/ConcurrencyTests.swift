import AFSecurity
import AFTestSupport
import Foundation
import Testing

@Suite struct ConcurrencyTests {
  @Test func `1,000 concurrent verdicts are each that of one state of a policy that keeps changing`() async throws {
    let fixtures = try Fixtures()
    let right: Set<AFPublicKeyPin> = [try fixtures.leaf.certificate.certificate().publicKeyPin]
    let wrong: Set<AFPublicKeyPin> = [try fixtures.otherRoot.certificate.certificate().publicKeyPin]
    let policy = try fixtures.policy()
    policy.publicKeyPins = right
    let composed = AFSecurityPolicy.allOf([policy])
    let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<1_000 {
        group.addTask {
          if index % 4 == 0 { policy.publicKeyPins = index % 8 == 0 ? right : wrong }
          if index % 50 == 0 { policy.anchorCertificates = [try fixtures.root.certificate.certificate()] }
          let snapshot = composed.snapshot()
          let verdict = try Self.verdict(snapshot, fixtures.leaf)
          // The same state gives the same verdict, whatever has happened to the policy since.
          #expect(try Self.verdict(snapshot, fixtures.leaf) == verdict)
          #expect(verdict == nil || verdict == .pinMismatch)
          return verdict == nil
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect((1...999).contains(accepted))
    policy.publicKeyPins = wrong
    #expect(try Self.verdict(composed.snapshot(), fixtures.leaf) == .pinMismatch)
  }

  @Test func `4,000 verdicts, good and bad, leave no memory behind`() async {
    // In a process of its own: other tests use memory at the same time.
    await #expect(processExitsWith: .success) {
      let fixtures = try Fixtures()
      let accepting = try fixtures.policy(.publicKey, pins: [fixtures.leaf.certificate]).snapshot()
      let refusing = try fixtures.policy(.certificate, pins: [fixtures.otherRoot.certificate]).snapshot()
      func judge(_ count: Int) throws {
        for _ in 0..<count {
          #expect(try Self.verdict(accepting, fixtures.leaf) == nil)
          #expect(try Self.verdict(refusing, fixtures.leaf) == .pinMismatch)
        }
      }
      try judge(200)
      let before = ProcessSnapshot.take().residentBytes
      try judge(2_000)
      // One leaked certificate per verdict would be more than 16 MiB.
      let grown = ProcessSnapshot.take().residentBytes - before
      #expect(grown < 6 << 20 || ProcessSnapshot.isSanitized, "memory grew by \(grown)")
    }
  }

  private static func verdict(
    _ snapshot: SecurityPolicySnapshot, _ server: TestIdentity
  ) throws -> AFSecurityError.Code? {
    do throws(AFSecurityError) {
      try snapshot.evaluate(chain: server.chain, host: Fixtures.host)
      return nil
    } catch {
      return error.code
    }
  }
}
