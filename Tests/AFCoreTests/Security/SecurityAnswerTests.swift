import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// F98: no answer to a challenge takes pins away by accident.
@Suite struct SecurityAnswerTests {
  /// Who answers.
  enum Place: CaseIterable {
    case sessionBlock, taskHandler, taskHandlerLater, overriddenSession, overriddenTask, overriddenTaskAsksSuper
  }

  /// What comes back that is no decision to accept.
  enum Accident: CaseIterable {
    case defaultHandling, noCredential, password, anothersTrust, emptyPassword, kept
  }

  private let authority: TestAuthority
  private let identity: TestIdentity
  private let other: TestIdentity

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issue(names: ["localhost"])
    other = try authority.issue(names: ["localhost"])
  }

  @Test(arguments: Place.allCases, Accident.allCases)
  func `F98 an answer that is no decision leaves the server to the session's policy`(place: Place, accident: Accident)
    async throws
  {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let url = server.url("", host: "localhost")
      let manager = make(place, url)
      let kept = Locked<URLCredential?>(nil)
      let other = try other.trust()
      answer(manager, place) { trust in
        switch accident {
        case .defaultHandling: return (.performDefaultHandling, nil)
        case .noCredential: return (.useCredential, nil)
        case .password: return (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        case .emptyPassword: return (.useCredential, URLCredential(user: "", password: "", persistence: .none))
        case .anothersTrust: return (.useCredential, URLCredential(trust: other))
        case .kept:
          // What default handling answered once is no decision about the next connection.
          let policys = kept.withLock { $0 } ?? ServerTrustCredential(other, isPolicys: true)
          return (.useCredential, policys)
        }
      }
      let policy = try AFSecurityPolicy.trusting(authority, .publicKey, pins: [other.certificates[0].derRepresentation])
      manager.securityPolicy = policy
      let refused = await get(manager)
      #expect(refused.refusal == .pinMismatch, "\(refused)")
      #expect(server.requestBytes == 0)
      policy.pinnedCertificates = [identity.certificate]
      let accepted = await get(manager)
      #expect(accepted.status == 200, "\(accepted)")
    }
  }

  @Test(arguments: Place.allCases)
  func `a credential for the very server accepts it, as AFNetworking's does`(place: Place) async throws {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let manager = make(place, server.url("", host: "localhost"))
      answer(manager, place) { trust in (.useCredential, URLCredential(trust: trust)) }
      manager.securityPolicy = try .trusting(authority, .publicKey, pins: [other.certificate])
      let outcome = await get(manager)
      #expect(outcome.status == 200, "\(outcome)")
    }
  }

  @Test func `F98 a handler that is replaced is not bound by what the one before it decided`() async throws {
    var options = TestServer.Options(tls: TestTLS(identity))
    options.requestsPerConnection = 1
    try await withTestServer(options, handler: { _ in .text("reached") }) { server in
      let manager = makeManager(
        for: server.url("", host: "localhost"), try .trusting(authority, .publicKey, pins: [other.certificate]))
      manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
        challenge.protectionSpace.serverTrust.map { URLCredential(trust: $0) } ?? NSNull()
      }
      #expect(await get(manager).status == 200)
      manager.setAuthenticationChallengeHandler { _, _, _, _ in
        NSNumber(value: AFURLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
      }
      #expect(await get(manager).refusal == .pinMismatch)
      #expect(server.requestCount == 1)
    }
  }

  @Test func `F98 a manager that overrides its policy is judged by the overridden one`() async throws {
    try await withTestServer(.init(tls: TestTLS(identity)), handler: { _ in .text("reached") }) { server in
      let manager = OwnPolicy(baseURL: server.url("", host: "localhost"), sessionConfiguration: quietConfiguration())
      manager.completionQueue = DispatchQueue(label: "test.completions")
      manager.responseSerializer = AFHTTPResponseSerializer()
      manager.own.withLock { $0 = try? .trusting(authority, .publicKey, pins: [other.certificate]) }
      #expect(await get(manager).refusal == .pinMismatch)
      manager.own.withLock { $0 = try? .trusting(authority) }
      #expect(await get(manager).status == 200)
      manager.own.withLock { $0 = try? .trusting(authority, .publicKey, pins: [other.certificate]) }
      #expect(await get(manager).refusal == .pinMismatch)
      #expect(server.requestCount == 1)
    }
  }

  @Test func `F98 a copied or archived manager keeps its pins`() throws {
    let policy = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [identity.certificate])
    for manager in [AFURLSessionManager(), AFHTTPSessionManager()] {
      manager.securityPolicy = policy
      let copy = try #require(manager.copy() as? AFURLSessionManager)
      #expect(copy.securityPolicy !== policy && copy.securityPolicy.sslPinningMode == .publicKey)
      #expect(copy.securityPolicy.pinnedCertificates == [identity.certificate])
      let data = try NSKeyedArchiver.archivedData(withRootObject: manager, requiringSecureCoding: true)
      let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: type(of: manager), from: data)
      #expect(restored?.securityPolicy.sslPinningMode == .publicKey)
      #expect(restored?.securityPolicy.pinnedCertificates == [identity.certificate])
    }
  }

  private func make(_ place: Place, _ url: URL) -> AFHTTPSessionManager {
    let manager =
      switch place {
      case .overriddenSession: OwnSessionAnswer(baseURL: url, sessionConfiguration: quietConfiguration())
      case .overriddenTask, .overriddenTaskAsksSuper:
        OwnTaskAnswer(baseURL: url, sessionConfiguration: quietConfiguration())
      default: AFHTTPSessionManager(baseURL: url, sessionConfiguration: quietConfiguration())
      }
    manager.completionQueue = DispatchQueue(label: "test.completions")
    manager.responseSerializer = AFHTTPResponseSerializer()
    return manager
  }

  private func answer(_ manager: AFHTTPSessionManager, _ place: Place, _ decide: @escaping Decide) {
    switch place {
    case .sessionBlock:
      manager.setSessionDidReceiveAuthenticationChallenge { _, challenge, credential in
        guard let trust = challenge.protectionSpace.serverTrust else { return .performDefaultHandling }
        let (disposition, answer) = decide(trust)
        credential?.pointee = answer
        return disposition
      }
    case .taskHandler:
      manager.setAuthenticationChallengeHandler { _, _, challenge, completion in
        guard let trust = challenge.protectionSpace.serverTrust else { return NSNull() }
        let (disposition, answer) = decide(trust)
        if disposition == .performDefaultHandling { return NSNumber(value: disposition.rawValue) }
        if let answer { return answer }
        completion(disposition, nil)
        return NSNull()
      }
    case .taskHandlerLater:
      manager.setAuthenticationChallengeHandler { _, _, challenge, completion in
        guard let trust = challenge.protectionSpace.serverTrust else { return NSNull() }
        let (disposition, answer) = decide(trust)
        DispatchQueue.global().async { completion(disposition, answer) }
        return NSNull()
      }
    case .overriddenSession, .overriddenTask, .overriddenTaskAsksSuper:
      (manager as? Answering)?.decide.withLock { $0 = decide }
      (manager as? Answering)?.asksSuper.withLock { $0 = place == .overriddenTaskAsksSuper }
    }
  }
}

/// What is answered about a server.
private typealias Decide = @Sendable (AFServerTrust) -> (AFURLSession.AuthChallengeDisposition, URLCredential?)
private typealias Answer = @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void

private class Answering: AFHTTPSessionManager, @unchecked Sendable {
  // Unchecked because its superclass is; what is added are locks.
  let decide = Locked<Decide?>(nil)
  let asksSuper = Locked(false)

  func answer(_ challenge: URLAuthenticationChallenge, _ completion: Answer) {
    guard let trust = challenge.protectionSpace.serverTrust, let decide = decide.withLock({ $0 }) else {
      return completion(.performDefaultHandling, nil)
    }
    let (disposition, credential) = decide(trust)
    completion(disposition, credential)
  }
}

private final class OwnSessionAnswer: Answering, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, completionHandler)
  }
}

private final class OwnTaskAnswer: Answering, @unchecked Sendable {
  // Unchecked as above.
  override func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge) { disposition, credential in
      guard asksSuper.withLock({ $0 }), (credential as? ServerTrustCredential)?.isPolicys != false,
        disposition == .performDefaultHandling
      else { return completionHandler(disposition, credential) }
      super.urlSession(session, task: task, didReceive: challenge, completionHandler: completionHandler)
    }
  }
}

private final class OwnPolicy: AFHTTPSessionManager, @unchecked Sendable {
  // Unchecked because its superclass is; what is added is a lock.
  let own = Locked<AFSecurityPolicy?>(nil)

  override var securityPolicy: AFSecurityPolicy {
    get { own.withLock { $0 } ?? super.securityPolicy }
    set { super.securityPolicy = newValue }
  }
}

extension TestIdentity {
  /// What a server with this identity presents.
  fileprivate func trust() throws -> AFServerTrust { try AFServerTrust(derRepresentations: chain) }
}
