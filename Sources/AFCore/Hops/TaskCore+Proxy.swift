import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Takes note of the credentials that the proxy of the next hop gets.
  func noteProxy(_ options: TransferOptions) {
    let credential: URLCredential? =
      if let own = options.proxyAuthentication {
        URLCredential(user: own.user, password: own.password, persistence: .none)
      } else if let given = options.proxy.credentials {
        URLCredential(user: given.user, password: given.password, persistence: .none)
      } else {
        nil
      }
    state.withLock { state in
      state.authentication[.proxy, default: AuthenticationState()].current = credential
      state.authentication[.proxy]?.transfer = options.proxyAuthentication
    }
  }

  /// Whether the session has other credentials for the proxy by now than those that it refused. Each task may find so a few
  /// times; a proxy that refuses them all must not keep tasks busy.
  func hasNewProxyCredentials(_ session: SessionCore) -> Bool {
    let (url, refused, isFirst) = state.withLock { state in
      state.proxyRepeats += 1
      return (state.current.url, state.authentication[.proxy]?.transfer, state.proxyRepeats <= 5)
    }
    let route = session.settings.proxy(for: url)
    if let refused { session.proxies.forget(refused, for: route) }
    guard isFirst, let known = session.proxies.credentials(for: route) else { return false }
    return known != refused
  }

  func rememberForProxy(_ authentication: TransferAuthentication, _ session: SessionCore) {
    let url = state.withLock { $0.current.url }
    session.proxies.remember(authentication, for: session.settings.proxy(for: url))
  }

  /// The proxy made no tunnel for want of credentials: the hop starts again with them, or `failure` is how the task ends.
  func answerTunnel(_ head: ResponseHead, _ session: SessionCore, _ failure: URLError) {
    let request = state.withLock { $0.current }
    guard let question = ChallengeQuestion(head) else { return fail(failure) }
    if hasNewProxyCredentials(session) { return goOn(with: request) }
    let take: @Sendable (ChallengeAnswer) -> Void = { answer in
      switch answer {
      case .decline: self.fail(failure)
      case .cancel(let error): self.fail(error)
      case .use(let user, let password):
        self.rememberForProxy(
          TransferAuthentication(scheme: question.offer.scheme.transfer, user: user, password: password), session)
        self.goOn(with: request)
      }
    }
    let response = TaskResponse(head, url: request.url)
    if let answer = decide(question, nil, session, response, take) { take(answer) }
  }
}
