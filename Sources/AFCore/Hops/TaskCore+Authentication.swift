import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// A 401 or 407 that credentials might answer.
struct ChallengeQuestion: Sendable {
  var offer: AuthenticationOffer
  var isProxy: Bool

  /// What a 401 or 407 asks for; nil if it offers nothing that the package can do.
  init?(_ head: ResponseHead) {
    isProxy = head.statusCode == 407
    let offers = AuthenticationOffer.all(in: head.values(isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"))
    guard let offer = offers.first else { return nil }
    self.offer = offer
  }

  /// Who asks, where `url` is what was asked for.
  func asker(_ url: String) -> Asker? { isProxy ? .proxy : Origin(url).map { .server($0) } }
}

/// What becomes of a challenge.
enum ChallengeAnswer: Sendable {
  case use(user: String, password: String)
  /// The response is the result.
  case decline
  case cancel(any Error)
}

extension TaskCore {
  /// Tries again with credentials, asks for them, or lets the response be the result.
  func answer(_ question: ChallengeQuestion, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    if question.isProxy, hasNewProxyCredentials(session) {
      return proceed(with: state.withLock { $0.current }, transfer, session)
    }
    let answer = decide(question, transfer, session, httpResponse) { answer in
      transfer.route(self.route(for: answer, question, transfer, session))
    }
    return answer.map { route(for: $0, question, transfer, session) } ?? .undecided
  }

  private func route(
    for answer: ChallengeAnswer, _ question: ChallengeQuestion, _ transfer: TransferHandle, _ session: SessionCore
  ) -> ResponseRoute {
    switch answer {
    case .decline: return finalRoute(transfer, session)
    case .cancel(let error): return .cancel(error)
    case .use(let user, let password):
      var next = state.withLock { $0.current }
      let authentication = TransferAuthentication(
        scheme: question.offer.scheme.transfer, user: user, password: password)
      if question.isProxy {
        rememberForProxy(authentication, session)
      } else if question.offer.scheme == .basic {
        next.set("Authorization", "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
        note(nil, question)
      } else {
        next.remove(["Authorization"])
        note(authentication, question)
      }
      return proceed(with: next, transfer, session)
    }
  }

  /// What libcurl computes for the hops to who asks, and to nobody else.
  private func note(_ authentication: TransferAuthentication?, _ question: ChallengeQuestion) {
    state.withLock { state in
      guard let asker = question.asker(state.current.url) else { return }
      state.authentication[asker, default: AuthenticationState()].transfer = authentication
    }
  }

  /// Finds credentials, or asks for them; between two hops without a transfer. `response` is what asks, for the challenge
  /// handler.
  /// - Returns: The answer; nil if somebody has to be asked, and `later` gets it.
  func decide(
    _ question: ChallengeQuestion, _ transfer: TransferHandle?, _ session: SessionCore, _ response: HTTPURLResponse?,
    _ later: @escaping @Sendable (ChallengeAnswer) -> Void
  ) -> ChallengeAnswer? {
    let (current, known, blocks, manager) = state.withLock { state in
      (state.current, state.noteChallenge(question), state.blocks, state.manager)
    }
    guard let known, let space = protectionSpace(question, current.url, session) else { return .decline }
    let proposed = known.failures == 0 ? credential(for: space, url: current.url, session) : nil
    guard blocks.interests.contains(.challenge), let manager else { return accept(proposed, question) }
    let number = ask(session, transfer)
    let handler: AFURLSessionManager.ChallengeAnswer = { disposition, credential in
      guard self.close(number) else { return }
      switch disposition {
      case .useCredential: later(self.accept(credential ?? proposed, question))
      case .performDefaultHandling: later(self.accept(proposed, question))
      case .rejectProtectionSpace: later(.decline)
      case .cancelAuthenticationChallenge:
        let error = self.state.withLock { $0.challengeError }
        later(.cancel(error ?? URLError.cancelled(url: current.url, "The authentication challenge was cancelled")))
      }
    }
    session.callbackQueue.async {
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: proposed ?? known.current, previousFailureCount: known.failures,
        failureResponse: response, error: nil, sender: ChallengeSender.shared)
      self.put(challenge, about: question.offer.scheme, to: manager, session, handler)
    }
    return nil
  }

  /// Asks the task's handler; for schemes that authenticate a connection, the session's before it, as URLSession does.
  private func put(
    _ challenge: URLAuthenticationChallenge, about scheme: AuthenticationOffer.Scheme, to manager: AFURLSessionManager,
    _ session: SessionCore, _ answer: @escaping AFURLSessionManager.ChallengeAnswer
  ) {
    guard scheme == .ntlm || scheme == .negotiate else {
      return manager.urlSession(
        session.shell, task: shell, didReceive: challenge, completionHandler: answer)
    }
    let hasBlock = manager.core.blocks.blocks.sessionChallenge != nil
    manager.urlSession(session.shell, didReceive: challenge) { disposition, credential in
      guard disposition == .performDefaultHandling, !hasBlock else { return answer(disposition, credential) }
      manager.urlSession(session.shell, task: self.shell, didReceive: challenge, completionHandler: answer)
    }
  }

  /// Takes credentials that are complete, and not those that were just refused.
  private func accept(_ credential: URLCredential?, _ question: ChallengeQuestion) -> ChallengeAnswer {
    guard let credential, let user = credential.user, let password = credential.password else { return .decline }
    return state.withLock { state in
      guard let asker = question.asker(state.current.url) else { return .decline }
      var known = state.authentication[asker] ?? AuthenticationState()
      let isRefused = known.failures > 0 && known.current?.user == user && known.current?.password == password
      guard known.failures < 10, !isRefused else { return .decline }
      known.current = credential
      state.authentication[asker] = known
      return .use(user: user, password: password)
    }
  }

  private func protectionSpace(_ question: ChallengeQuestion, _ url: String, _ session: SessionCore)
    -> URLProtectionSpace?
  {
    guard let origin = Origin(url) else { return nil }
    let method = question.offer.method
    guard question.isProxy else {
      return URLProtectionSpace(
        host: origin.host, port: origin.port, protocol: origin.scheme, realm: question.offer.realm,
        authenticationMethod: method)
    }
    let isSecure = origin.scheme == "https"
    guard let place = session.settings.proxy(for: url).place else { return nil }
    return URLProtectionSpace(
      proxyHost: place.host, port: place.port,
      type: isSecure ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy, realm: question.offer.realm,
      authenticationMethod: method)
  }

  /// Credentials that nobody has to be asked for: those of the URL, then those of the session's storage.
  private func credential(for space: URLProtectionSpace, url: String, _ session: SessionCore) -> URLCredential? {
    if !space.isProxy(), let parts = URLComponents(string: url), let user = parts.user {
      return URLCredential(user: user, password: parts.password ?? "", persistence: .none)
    }
    guard let storage = session.settings.credentials,
      // Foundation on Linux compares protection spaces by identity.
      let stored = storage.allCredentials.keys.first(where: { $0.isSame(as: space) })
    else { return nil }
    return storage.defaultCredential(for: stored) ?? storage.credentials(for: stored)?.values.first
  }
}

extension TaskState {
  /// Counts a challenge that answers credentials of ours; not one that answers a request which carried none.
  fileprivate mutating func noteChallenge(_ question: ChallengeQuestion) -> AuthenticationState? {
    guard let asker = question.asker(current.url) else { return nil }
    var known = authentication[asker] ?? AuthenticationState()
    let wasSent = question.isProxy || known.transfer != nil || current.value("Authorization") != nil
    if known.current != nil, wasSent { known.failures += 1 }
    authentication[asker] = known
    return known
  }
}

extension URLProtectionSpace {
  /// Which kind of proxy it is plays no part: one proxy is used for several.
  fileprivate func isSame(as other: URLProtectionSpace) -> Bool {
    host.equalsIgnoringCase(other.host) && port == other.port && realm == other.realm
      && isProxy() == other.isProxy()
      && (`protocol` ?? "").equalsIgnoringCase(other.`protocol` ?? "")
      && (authenticationMethod == other.authenticationMethod
        || authenticationMethod == NSURLAuthenticationMethodDefault)
  }
}

extension AuthenticationOffer.Scheme {
  var transfer: TransferAuthentication.Scheme {
    switch self {
    case .basic: .basic
    case .digest: .digest
    case .ntlm: .ntlm
    case .negotiate: .negotiate
    }
  }
}

/// What `URLAuthenticationChallenge` wants as its sender; answers come through the completion handler instead.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
  static let shared = ChallengeSender()

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
  func cancel(_ challenge: URLAuthenticationChallenge) {}
  func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
