import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// Has the app choose a client certificate for a TLS server that asks for one, or waits for the answer to another task's question.
struct IdentityInquiry: Sendable {
  let task: TaskCore
  let session: SessionCore
  let manager: AFURLSessionManager

  /// Asks, and says what follows.
  /// - Returns: What follows, where there is nothing to ask.
  func begin(_ peer: PeerTrust, _ later: @escaping @Sendable (FollowUp) -> Void) -> FollowUp? {
    guard let answers = peer.answers else { return .final }
    guard let question = TaskQuestion.open(.identity, of: task) else { return nil }
    let waiter: @Sendable () -> Void = { [task] in
      if question.close() { later(.again(task.state.withLock { $0.current })) }
    }
    switch answers.takeTurn(peer, waiter: waiter) {
    case .tryAgain: return question.close() ? .again(task.state.withLock { $0.current }) : nil
    case .wait: return nil
    case .ask: break
    }
    // Whatever ends the task before there is an answer, others are not to wait for it.
    question.whenEnded { answers.settle(peer, nil) }
    let space = ClientCertificateSpace(issuers: peer.acceptableIssuers, host: peer.host, port: peer.port)
    PeerChallenge(space: space).put(to: task, session, manager) { [task, session] disposition, credential in
      guard question.close() else { return }
      guard disposition != .cancelAuthenticationChallenge else {
        answers.settle(peer, nil)
        let url = task.state.withLock { $0.current.url }
        return later(.fail(task.challengeRefused(PeerChallenge.cancelled(url))))
      }
      let identity = disposition == .useCredential ? credential?.identity : nil
      // Later tasks meet the connection without being asked, so it is the session that knows.
      if identity != nil { session.noteCertificate(shownTo: peer.host) }
      answers.settle(peer, .some(identity))
      later(.again(task.state.withLock { $0.current }))
    }
    return nil
  }
}
