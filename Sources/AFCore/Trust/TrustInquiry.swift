import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// Asks the app about a TLS server, once its handshake has ended undecided.
struct TrustInquiry: Sendable {
  let task: TaskCore
  let session: SessionCore
  let manager: AFURLSessionManager

  /// Asks, and says what follows.
  /// - Returns: What follows, where there is nothing to ask.
  func begin(_ peer: PeerTrust, _ later: @escaping @Sendable (FollowUp) -> Void) -> FollowUp? {
    let url = task.state.withLock { $0.current.url }
    guard let answers = peer.answers else { return .final }
    let trust: AFServerTrust
    do {
      trust = try AFServerTrust(derRepresentations: peer.chain, stapledOCSPResponse: peer.stapledOCSPResponse)
    } catch {
      return .fail(URLError.serverUntrusted(host: peer.host, url: url, trust: nil, reason: error))
    }
    guard let question = TaskQuestion.open(.trust, of: task) else { return nil }
    let epoch = manager.core.blocks.challengeEpoch
    let challenge = PeerChallenge(space: ServerTrustSpace(trust, host: peer.host, port: peer.port))
    challenge.put(to: task, session, manager) { [task] disposition, credential in
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
        later(.again(task.state.withLock { $0.current }))
      case .refuse:
        let error = URLError.serverUntrusted(host: peer.host, url: url, trust: trust, reason: refusal)
        later(.fail(task.challengeRefused(error)))
      case .cancel: later(.fail(task.challengeRefused(PeerChallenge.cancelled(url))))
      }
    }
    return nil
  }
}

/// A question about a connection: to the session's block; without one to the task's handler.
struct PeerChallenge: Sendable {
  let space: URLProtectionSpace

  func put(
    to task: TaskCore, _ session: SessionCore, _ manager: AFURLSessionManager,
    answer: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    session.callbackQueue.async {
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
        sender: ChallengeSender.shared)
      let hasBlock = manager.core.blocks.blocks.sessionChallenge != nil
      manager.urlSession(session.shell, didReceive: challenge) { disposition, credential in
        guard disposition == .performDefaultHandling, !hasBlock else { return answer(disposition, credential) }
        manager.urlSession(session.shell, task: task.shell, didReceive: challenge, completionHandler: answer)
      }
    }
  }

  static func cancelled(_ url: String) -> URLError {
    URLError.cancelled(url: url, "The authentication challenge was cancelled")
  }
}
