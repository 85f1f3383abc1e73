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
    await #expect(processExitsWith: .success) {
      let count = ProcessInfo.processInfo.environment["AF_TEST_HANDSHAKES"].flatMap { Int($0) } ?? 2000
      let asking = try HandshakeLeakTests.askingManager()
      let pinning = try await HandshakeLeakTests.pinningManager()
      let managers = [asking, pinning]
      // So that every queue, buffer and cache has its size.
      _ = try await HandshakeLeakTests.shakeHands(1000, managers)
      let before = ProcessSnapshot.take()
      let resumed = try await HandshakeLeakTests.shakeHands(count, managers)
      try require((1..<count).contains(resumed), "\(resumed) of \(count) handshakes were resumed")
      try await eventually(within: 30, "the descriptors are back") {
        ProcessSnapshot.take().descriptors <= before.descriptors + 3
      }
      let after = ProcessSnapshot.take()
      let (heap, resident) = (
        after.allocatedBytes - before.allocatedBytes, after.residentBytes - before.residentBytes
      )
      FileHandle.standardError.write(
        Data("\(count) handshakes, \(resumed) resumed: heap \(heap), resident \(resident) bytes more\n".utf8))
      try require(heap < 100 * count || ProcessSnapshot.isSanitized, "\(heap) bytes more are allocated")
      try require(resident < 16 << 20 || ProcessSnapshot.isSanitized, "\(resident) bytes more are resident")
    }
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
            try require(text.hasPrefix("1 "), "a connection was used twice: \(text)")
            resumed += text.hasSuffix("r") ? 1 : 0
          }
          return resumed
        }
      }
      return try await group.reduce(0, +)
    }
  }
}

private struct Unmet: Error {}

private func require(_ condition: Bool, _ what: String) throws {
  guard !condition else { return }
  FileHandle.standardError.write(Data("unmet: \(what)\n".utf8))
  throw Unmet()
}
