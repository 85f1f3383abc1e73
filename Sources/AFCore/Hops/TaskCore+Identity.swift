import AFSecurity
import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// A TLS server asks for a client certificate: has user code choose one, or waits for the answer to another task's question,
  /// and starts the hop again.
  func askForIdentity(_ peer: PeerTrust) {
    let (session, manager, url) = state.withLock { ($0.session, $0.manager, $0.current.url) }
    guard let session, let manager, let answers = peer.answers else { return finish() }
    guard let question = TaskQuestion.open(.identity, of: self) else { return }
    let goOn: @Sendable () -> Void = {
      guard question.close() else { return }
      self.goOn(with: self.state.withLock { $0.current })
    }
    switch answers.takeTurn(peer, waiter: goOn) {
    case .tryAgain: return goOn()
    case .wait: return
    case .ask: break
    }
    // Whatever ends the task before there is an answer, others are not to wait for it.
    question.whenEnded { answers.settle(peer, nil) }
    let space = ClientCertificateSpace(issuers: peer.acceptableIssuers, host: peer.host, port: peer.port)
    put(space, session, manager) { disposition, credential in
      guard question.close() else { return }
      guard disposition != .cancelAuthenticationChallenge else {
        answers.settle(peer, nil)
        let challengeError = self.state.withLock { $0.challengeError }
        self.state.withLock { $0.rawError = URLError.cancelled(url: url) }
        return self.fail(
          challengeError ?? URLError.cancelled(url: url, "The authentication challenge was cancelled"))
      }
      let identity = disposition == .useCredential ? credential?.identity : nil
      // Later tasks meet the connection without being asked, so it is the session that knows.
      if identity != nil { session.noteCertificate(shownTo: peer.host) }
      answers.settle(peer, .some(identity))
      self.goOn(with: self.state.withLock { $0.current })
    }
  }
}
