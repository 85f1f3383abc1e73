import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Asks user code about a TLS server, then starts the hop again or ends the task.
  func askAboutTrust(_ peer: PeerTrust) {
    let (session, manager, url) = state.withLock { ($0.session, $0.manager, $0.current.url) }
    guard let session, let manager, let answers = peer.answers else { return finish() }
    let trust: AFServerTrust
    do {
      trust = try AFServerTrust(derRepresentations: peer.chain, stapledOCSPResponse: peer.stapledOCSPResponse)
    } catch {
      return fail(URLError.serverUntrusted(host: peer.host, url: url, trust: nil, reason: error))
    }
    guard let question = TaskQuestion.open(.trust, of: self) else { return }
    let space = ServerTrustSpace(trust, host: peer.host, port: peer.port)
    let epoch = manager.core.blocks.challengeEpoch
    put(space, session, manager) { disposition, credential in
      var answer = TrustAnswer(disposition, credential, about: trust)
      var refusal: AFSecurityError?
      if answer == .policyDecides {
        do throws(AFSecurityError) {
          try answers.policy.judge(trust, host: peer.host)
          answer = .policyAccepted
        } catch {
          refusal = error
          answer = .refuse
        }
      }
      guard question.close() else { return }
      switch answer {
      case .accept, .policyAccepted, .policyDecides:
        let isUsers = answer == .accept || answers.policy.runsUserCode(forHost: peer.host)
        answers.remember(
          TrustDecision(
            outcome: isUsers ? .accept : .policyDecides, period: TrustPeriod(of: trust, now: Date()), epoch: epoch),
          about: peer)
        self.goOn(with: self.state.withLock { $0.current })
      case .refuse:
        self.end(untrusted: URLError.serverUntrusted(host: peer.host, url: url, trust: trust, reason: refusal))
      case .cancel:
        self.end(untrusted: URLError.cancelled(url: url, "The authentication challenge was cancelled"))
      }
    }
  }

  /// Ends the task because of its answer to a challenge; an error that the handler returned is the task's.
  private func end(untrusted error: URLError) {
    let challengeError = state.withLock { state in
      state.rawError = URLError.cancelled(url: state.current.url)
      return state.challengeError
    }
    fail(challengeError ?? error)
  }

  /// Puts a question about a connection to the session's block; without one to the task's handler.
  func put(
    _ space: URLProtectionSpace, _ session: SessionCore, _ manager: AFURLSessionManager,
    answer: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    session.callbackQueue.async {
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
        sender: ChallengeSender.shared)
      let hasBlock = manager.core.blocks.blocks.sessionChallenge != nil
      manager.urlSession(session.shell, didReceive: challenge) { disposition, credential in
        guard disposition == .performDefaultHandling, !hasBlock else { return answer(disposition, credential) }
        manager.urlSession(session.shell, task: self.shell, didReceive: challenge, completionHandler: answer)
      }
    }
  }
}
