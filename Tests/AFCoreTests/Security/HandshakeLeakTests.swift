import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// What thousands of handshakes leave behind. `AF_TEST_HANDSHAKES` says how many; `Scripts/check --full` takes 10,000.
@Suite struct HandshakeLeakTests {
  @Test(.timeLimit(.minutes(10)))
  func `handshakes by the thousand, new and resumed, with and without questions, leave nothing behind`() async {
    // What a process of its own finds out comes back as text, so that a failure can be read.
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let report: String
      do {
        report = try await HandshakeLeakTests.measure()
      } catch {
        report = "failed: \(error)"
      }
      FileHandle.standardError.write(Data(report.utf8))
      leaveAtOnce()
    }
    let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(report.contains("nothing left behind"), "\(report)")
  }

  private static func measure() async throws -> String {
    let count = ProcessInfo.processInfo.environment["AF_TEST_HANDSHAKES"].flatMap { Int($0) } ?? 2000
    let managers = try await [askingManager(), pinningManager()]
    // So that every queue, buffer and cache has its size.
    _ = try await shakeHands(1000, managers)
    let before = ProcessSnapshot.take()
    let resumed = try await shakeHands(count, managers)
    try await eventually(within: 30, "the descriptors are back") {
      ProcessSnapshot.take().descriptors <= before.descriptors + 3
    }
    let after = ProcessSnapshot.take()
    let heap = after.allocatedBytes - before.allocatedBytes
    let resident = after.residentBytes - before.residentBytes
    let facts = "\(count) handshakes, \(resumed) resumed: heap \(heap), resident \(resident) bytes more"
    let isFlat = heap < (128 << 10) + 20 * count && resident < 16 << 20
    guard (1..<count).contains(resumed), isFlat || ProcessSnapshot.isSanitized else { return facts }
    return "nothing left behind by \(facts)"
  }

  /// A manager that is asked about the server, and for a client certificate.
  private static func askingManager() throws -> AFHTTPSessionManager {
    let manager = makeManager(for: try RealServers.nginxClientCertificate, try policy())
    let identity = try AFClientIdentity(
      certificatePEM: Data(contentsOf: URL(fileURLWithPath: RealServers.clientCertificate)),
      privateKeyPEM: Data(contentsOf: URL(fileURLWithPath: RealServers.clientKey)))
    manager.setAuthenticationChallengeHandler { _, _, challenge, answer in
      guard challenge.protectionSpace.serverTrust == nil else {
        return NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      DispatchQueue.global().async {
        answer(.useCredential, URLCredential(identity: identity, persistence: .none))
      }
      return NSNull()
    }
    manager.transportOptions.httpVersion = .http1
    return manager
  }

  /// A manager whose policy decides.
  private static func pinningManager() async throws -> AFHTTPSessionManager {
    let url = try RealServers.nginxTLS
    let trust = try await AFServerTrust.presented(by: "localhost", port: try #require(url.port))
    let policy = try policy()
    policy.publicKeyPins = [try #require(trust.certificates.first?.publicKeyPin)]
    let manager = makeManager(for: url, policy)
    manager.transportOptions.httpVersion = .http1
    return manager
  }

  private static func policy() throws -> AFSecurityPolicy {
    let policy = AFSecurityPolicy()
    policy.usesSystemAnchors = false
    policy.anchorCertificates = try AFCertificate.certificates(contentsOf: URL(fileURLWithPath: RealServers.authority))
    return policy
  }

  /// One handshake for each request; a tenth of the policies change between them, which retires the sessions to resume.
  /// - Returns: How many were resumed.
  private static func shakeHands(_ count: Int, _ managers: [AFHTTPSessionManager]) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for worker in 0..<4 {
        group.addTask {
          var resumed = 0
          for index in stride(from: worker, to: count, by: 4) {
            let manager = managers[index / 4 % managers.count]
            if index.isMultiple(of: 10) { manager.securityPolicy.invalidateVerdicts() }
            let answer = try await manager.get("handshake", headers: ["Connection": "close"]).data
            let text = String(decoding: answer, as: UTF8.self)
            guard text.hasPrefix("1 ") else { throw EventuallyFailure.missing }
            resumed += text.hasSuffix("r") ? 1 : 0
          }
          return resumed
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
