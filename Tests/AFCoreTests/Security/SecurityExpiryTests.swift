import AFSecurity
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// F61: only a decision is remembered, and no longer than what it was made about is valid.
@Suite struct SecurityExpiryTests {
  /// Who stands between a server and the policy.
  enum Arrangement: CaseIterable {
    case plain, basicHandler, emptyHandler, sessionBlockLeavesIt, emptySubclass, subclassAsksSuper,
      subclassOverridesSetting
    case composedWithSubclass

    /// Whether the handshake of an accepted connection has to be broken off first.
    var asks: Bool {
      switch self {
      case .plain, .emptySubclass: false
      default: true
      }
    }
  }

  private let authority: TestAuthority

  init() throws {
    authority = try TestAuthority.make()
  }

  @Test(arguments: [true, false])
  func `F61 a leaf that expires is refused on the next connection, whoever is asked`(resumes: Bool) async throws {
    // On a busy machine it may be too late before anybody was accepted.
    var seconds = 5.0
    while try await !expires(in: seconds, resumes: resumes) {
      seconds *= 3
      try #require(seconds < 60)
    }
  }

  /// Whether there was time to accept the leaf in each arrangement, and it was refused afterwards.
  private func expires(in seconds: Double, resumes: Bool) async throws -> Bool {
    var profile = CertificateProfile(names: ["localhost"])
    profile.notAfter = Date(timeIntervalSinceNow: seconds)
    var tls = TestTLS(try authority.issue(profile))
    tls.resumesSessions = resumes
    var options = TestServer.Options(tls: tls)
    options.requestsPerConnection = 1
    let end = profile.notAfter
    return try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      var managers: [(Arrangement, AFHTTPSessionManager)] = []
      for arrangement in Arrangement.allCases {
        let manager = makeManager(for: server.url("", host: "localhost"), try policy(arrangement))
        install(arrangement, manager)
        managers.append((arrangement, manager))
        for number in 1...2 {
          let before = server.connections.count
          let outcome = await get(manager)
          if Date() >= end - 1 { return false }
          #expect(outcome.status == 200, "\(arrangement): \(outcome)")
          let handshakes = number == 1 && arrangement.asks ? 2 : 1
          #expect(server.connections.count - before == handshakes, "\(arrangement) is asked once, or not at all")
        }
        #expect((server.connections.last?.tls?.isResumed == true) == resumes)
      }
      let count = server.requestCount
      try await Task.sleep(for: .seconds(max(0, end.timeIntervalSinceNow + 1.1)))
      for (arrangement, manager) in managers {
        for _ in 1...2 {
          let outcome = await get(manager)
          #expect(outcome.refusal == .expired, "\(arrangement): \(outcome)")
        }
      }
      #expect(server.requestCount == count)
      return true
    }
  }

  @Test func `F61 a user's decision about an expired server holds, and is asked for once`() async throws {
    var profile = CertificateProfile(names: ["localhost"])
    profile.notAfter = Date(timeIntervalSinceNow: -60)
    var options = TestServer.Options(tls: TestTLS(try authority.issue(profile)))
    options.requestsPerConnection = 1
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let manager = makeManager(for: server.url("", host: "localhost"), .default())
      let asked = Locked(0)
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        asked.withLock { $0 += 1 }
        return challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) } ?? NSNull()
      }
      for _ in 0..<3 { #expect(await get(manager).status == 200) }
      #expect(asked.withLock { $0 } == 1)
    }
  }

  // MARK: The rule

  struct Row: CustomTestStringConvertible, Sendable {
    var what: String
    /// Seconds from now.
    var days: [(Double, Double)]
    var limit: Double?
    var period: (Double, Double)
    var testDescription: String { what }
  }

  static let far = Double.infinity

  @Test(arguments: [
    Row(what: "nothing", days: [], period: (-far, far)),
    Row(what: "one certificate", days: [(-10, 20)], period: (-10, 20)),
    Row(what: "the leaf ends first", days: [(-10, 20), (-50, 300)], period: (-10, 20)),
    Row(what: "the authority ends first", days: [(-10, 200), (-50, 30)], period: (-10, 30)),
    Row(what: "decided at the last moment", days: [(-10, 0)], period: (-10, 0)),
    Row(what: "decided at the first moment", days: [(0, 10)], period: (0, 10)),
    Row(what: "the leaf had expired", days: [(-20, -10), (-50, 300)], period: (-10, 300)),
    Row(what: "the leaf was not valid yet", days: [(10, 20), (-50, 300)], period: (-50, 10)),
    Row(what: "everything had expired", days: [(-20, -10), (-30, -5)], period: (-5, far)),
    Row(what: "a list ends", days: [(-10, 20)], limit: 5, period: (-10, 5)),
    Row(what: "a list ends later", days: [(-10, 20)], limit: 50, period: (-10, 20)),
    Row(what: "a list had ended", days: [(-10, 20)], limit: -5, period: (-10, 20)),
  ])
  func `F61 how long a decision counts`(row: Row) {
    let now = Date(timeIntervalSince1970: 1_000_000)
    func moment(_ seconds: Double) -> Date {
      seconds.isInfinite ? (seconds < 0 ? .distantPast : .distantFuture) : now + seconds
    }
    let period = TrustPeriod(
      of: row.days.map { (moment($0.0), moment($0.1)) }, until: row.limit.map(moment), now: now)
    #expect(period.start == moment(row.period.0) && period.end == moment(row.period.1))
    #expect(period.contains(now))
    if row.period.1 != Self.far {
      #expect(period.contains(moment(row.period.1)) && !period.contains(moment(row.period.1 + 1)))
    }
    if row.period.0 != -Self.far { #expect(!period.contains(moment(row.period.0 - 1))) }
  }

  private func policy(_ arrangement: Arrangement) throws -> AFSecurityPolicy {
    let policy: AFSecurityPolicy =
      switch arrangement {
      case .emptySubclass: Empty()
      case .subclassAsksSuper, .composedWithSubclass: AskingSuper()
      case .subclassOverridesSetting: Overriding()
      default: AFSecurityPolicy()
      }
    policy.anchorCertificates = [try AFCertificate(derRepresentation: authority.certificate)]
    policy.usesSystemAnchors = false
    return arrangement == .composedWithSubclass ? try .perHost(["localhost": policy]) : policy
  }

  private func install(_ arrangement: Arrangement, _ manager: AFHTTPSessionManager) {
    switch arrangement {
    case .basicHandler:
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
          ? URLCredential(user: "u", password: "p", persistence: .none)
          : NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
    case .emptyHandler:
      manager.setAuthenticationChallengeHandler { _, _, _, completion in
        completion(.performDefaultHandling, nil)
        return NSNull()
      }
    case .sessionBlockLeavesIt:
      manager.setSessionDidReceiveAuthenticationChallenge { _, _, _ in .performDefaultHandling }
    default: break
    }
  }
}

private final class Empty: AFSecurityPolicy, @unchecked Sendable {}

private final class AskingSuper: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.
  override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
    super.evaluateServerTrust(serverTrust, forDomain: domain)
  }
}

private final class Overriding: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.
  override var validatesDomainName: Bool {
    get { true }
    set {}
  }
}
