import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Asks user code about a TLS server, then starts the hop again or ends the task.
  func askAboutTrust(_ peer: PeerTrust) {
    let (session, manager, url) = state.withLock { ($0.session, $0.manager, $0.current.url) }
    guard let session, let manager else { return finish() }
    let trust: AFServerTrust
    do {
      trust = try AFServerTrust(derRepresentations: peer.chain, stapledOCSPResponse: peer.stapledOCSPResponse)
    } catch {
      return fail(URLError.serverUntrusted(host: peer.host, url: url, trust: nil, reason: error))
    }
    let question = ask(session, nil)
    let decide: AFURLSessionManager.ChallengeAnswer = { disposition, _ in
      guard self.close(question) else { return }
      guard disposition == .useCredential else {
        let challengeError = self.state.withLock { $0.challengeError }
        self.state.withLock { $0.rawError = URLError.cancelled(url: url) }
        return self.fail(challengeError ?? Self.refusal(disposition, peer, url, trust))
      }
      peer.answers?.accept(peer)
      self.goOn(with: self.state.withLock { $0.current })
    }
    let space = ServerTrustSpace(trust, host: peer.host, port: peer.port)
    put(space, session, manager) { disposition, credential, level in
      guard disposition == .performDefaultHandling else { return decide(disposition, credential) }
      // The session's block replaces the manager's policy; what it leaves to the default is judged by the default policy.
      decide(self.judge(trust, peer, url, by: level == .session ? .default() : manager.core.securityPolicy), nil)
    }
  }

  /// Who answered a question about a connection.
  enum ChallengeLevel { case session, task }

  /// Puts a question about a connection to the session's block; without one to the task's handler.
  func put(
    _ space: URLProtectionSpace, _ session: SessionCore, _ manager: AFURLSessionManager,
    answer: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?, ChallengeLevel) -> Void
  ) {
    session.callbackQueue.async {
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
        sender: ChallengeSender.shared)
      let hasBlock = manager.core.blocks.blocks.sessionChallenge != nil
      manager.urlSession(session.shell, didReceive: challenge) { disposition, credential in
        guard disposition == .performDefaultHandling, !hasBlock else {
          return answer(disposition, credential, .session)
        }
        manager.urlSession(session.shell, task: self.shell, didReceive: challenge) {
          answer($0, $1, .task)
        }
      }
    }
  }

  private func judge(
    _ trust: AFServerTrust, _ peer: PeerTrust, _ url: String, by policy: AFSecurityPolicy
  ) -> AFURLSession.AuthChallengeDisposition {
    do {
      try policy.evaluate(trust, forDomain: peer.host)
      return .useCredential
    } catch {
      let refusal = URLError.serverUntrusted(host: peer.host, url: url, trust: trust, reason: error)
      state.withLock { $0.challengeError = refusal }
      return .cancelAuthenticationChallenge
    }
  }

  private static func refusal(
    _ disposition: AFURLSession.AuthChallengeDisposition, _ peer: PeerTrust, _ url: String, _ trust: AFServerTrust
  ) -> URLError {
    disposition == .rejectProtectionSpace
      ? URLError.serverUntrusted(host: peer.host, url: url, trust: trust, reason: nil)
      : URLError.cancelled(url: url, "The authentication challenge was cancelled")
  }
}
