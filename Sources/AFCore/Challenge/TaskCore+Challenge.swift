import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// What a response asks for that came over the network.
  func challenge(_ head: ResponseHead, _ session: SessionCore) -> ChallengeQuestion? {
    let (url, isServing) = state.withLock { ($0.current.url, $0.caching.isServing) }
    // What comes through a tunnel is the server's, which has no say about the proxy.
    guard !isServing, head.statusCode == 401 || !url.isSecure else { return nil }
    return ChallengeQuestion(head, url: url, proxy: session.settings.proxy(for: url))
  }

  /// Tries again with credentials, asks for them, or lets the response be the result.
  func answer(_ question: ChallengeQuestion, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
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
    case .use(let answer):
      var next = state.withLock { $0.current }
      // What the caller set himself has been refused.
      if !question.asker.isProxy { next.remove(["Authorization"]) }
      choose(answer, for: question.asker)
      return proceed(with: next, transfer, session)
    }
  }

  /// The task's further requests to `asker` carry this.
  func choose(_ answer: AuthenticationAnswer, for asker: Asker) {
    state.withLock { $0.authentication[asker, default: AskerLedger()].chosen = answer }
  }

  /// Finds credentials, or asks for them; between two hops without a transfer. `response` is what asks, for the challenge
  /// handler.
  /// - Returns: The answer; nil if somebody has to be asked, and `later` gets it.
  func decide(
    _ question: ChallengeQuestion, _ transfer: TransferHandle?, _ session: SessionCore, _ response: HTTPURLResponse?,
    _ later: @escaping @Sendable (ChallengeAnswer) -> Void
  ) -> ChallengeAnswer? {
    let (refused, step) = state.withLock { state in
      let refused = state.authentication[question.asker]?.carried?.answer
      return (refused, state.ledger(question.asker) { $0.challenged(by: question.offers) })
    }
    let inquiry = ChallengeInquiry(
      question: question, task: self, transfer: transfer, session: session, response: response, later: later)
    switch step {
    case .again(let offer, let login):
      guard let refused, let answer = inquiry.answer(offer, login, refused.source) else { return .decline }
      return .use(answer)
    case .ask(let offer):
      if let refused { session.logins.forget(refused.login, in: refused.space, of: question.asker) }
      return inquiry.consider(offer)
    case .end:
      if let refused { session.logins.forget(refused.login, in: refused.space, of: question.asker) }
      return .decline
    }
  }
}

extension TaskState {
  /// Reads or changes what is known of one asker.
  mutating func ledger<Result>(_ asker: Asker, _ body: (inout AskerLedger) -> Result) -> Result {
    body(&authentication[asker, default: AskerLedger()])
  }
}

/// The search for the answer to one challenge: in what the session knows, with the challenge handler, in storages.
struct ChallengeInquiry: Sendable {
  let question: ChallengeQuestion
  let task: TaskCore
  /// Nil between two hops.
  let transfer: TransferHandle?
  let session: SessionCore
  let response: HTTPURLResponse?
  let later: @Sendable (ChallengeAnswer) -> Void

  private var url: String { task.state.withLock { $0.current.url } }

  private func ledger<Result: Sendable>(_ body: (inout AskerLedger) -> Result) -> Result {
    task.state.withLock { $0.ledger(question.asker, body) }
  }

  /// What to say to `offer`, or to a weaker one; nil if `later` gets it.
  func consider(_ offer: AuthenticationOffer) -> ChallengeAnswer? {
    if let answer = knownAnswer(offer) { return .use(answer) }
    let (blocks, manager) = task.state.withLock { ($0.blocks, $0.manager) }
    guard blocks.interests.contains(.challenge), let manager else { return byDefault(from: offer) }
    return ask(offer, manager, blocks.blocks.challengeGeneration)
  }

  /// What needs no question: credentials that came with the proxy, and those that the asker has accepted from others meanwhile.
  private func knownAnswer(_ offer: AuthenticationOffer) -> AuthenticationAnswer? {
    if question.asker.isProxy, let login = session.settings.proxy(for: url).login,
      ledger({ $0.mayTry(login, for: offer) })
    {
      return answer(offer, login, .proxySettings)
    }
    guard let known = session.answer(to: question.asker, in: offer.space, for: task),
      ledger({ $0.mayTakeSilently(known.login, for: offer) })
    else { return nil }
    return answer(offer, known.login, known.source)
  }

  /// What an offer is answered with, given the login; nil if it cannot be.
  func answer(
    _ offer: AuthenticationOffer, _ login: Login, _ source: AuthenticationAnswer.Source
  ) -> AuthenticationAnswer? {
    var paths = ProtectedPaths.all
    if case .server(let origin) = question.asker {
      paths = ProtectedPaths(offer, for: RequestTarget.path(url), of: origin)
    }
    return AuthenticationAnswer(offer, login, source, paths: paths)
  }

  // MARK: The handler

  private func ask(_ offer: AuthenticationOffer, _ manager: AFURLSessionManager, _ generation: Int) -> ChallengeAnswer?
  {
    guard let space = question.asker.protectionSpace(offer.space) else { return .decline }
    let (failures, refused) = ledger { ($0.failureCount(offer.space), $0.lastRefused(offer.space)) }
    let proposed = failures == 0 ? storedLogin(offer) : nil
    guard let asked = TaskQuestion.open(.challenge, of: task, during: transfer) else { return nil }
    let handler: AFURLSessionManager.ChallengeAnswer = { disposition, credential in
      guard asked.close() else { return }
      let answer: ChallengeAnswer?
      switch disposition {
      case .useCredential:
        let login = credential.map { Login($0) } ?? proposed?.login
        answer = take(login, offer, .handler(generation))
      case .performDefaultHandling: answer = byDefault(from: offer)
      case .rejectProtectionSpace: answer = pass(offer)
      case .cancelAuthenticationChallenge:
        let (error, url) = task.state.withLock { ($0.challengeError, $0.current.url) }
        answer = .cancel(error ?? URLError.cancelled(url: url, "The authentication challenge was cancelled"))
      }
      if let answer { later(answer) }
    }
    session.callbackQueue.async {
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: (proposed?.login ?? refused)?.credential,
        previousFailureCount: failures, failureResponse: response, error: nil, sender: ChallengeSender.shared)
      put(challenge, about: offer.scheme, to: manager, handler)
    }
    return nil
  }

  /// Asks the task's handler; for schemes that authenticate a connection, the session's before it, as URLSession does.
  private func put(
    _ challenge: URLAuthenticationChallenge, about scheme: AuthenticationOffer.Scheme, to manager: AFURLSessionManager,
    _ answer: @escaping AFURLSessionManager.ChallengeAnswer
  ) {
    let shell = session.shell
    guard scheme == .ntlm || scheme == .negotiate else {
      return manager.urlSession(shell, task: task.shell, didReceive: challenge, completionHandler: answer)
    }
    let hasBlock = manager.core.blocks.blocks.sessionChallenge != nil
    manager.urlSession(shell, didReceive: challenge) { disposition, credential in
      guard disposition == .performDefaultHandling, !hasBlock else { return answer(disposition, credential) }
      manager.urlSession(shell, task: task.shell, didReceive: challenge, completionHandler: answer)
    }
  }

  /// The handler's login is used, unless it is the one that was just refused: that is not sent again, and the handler is asked
  /// again as if it had been.
  private func take(
    _ login: Login?, _ offer: AuthenticationOffer, _ source: AuthenticationAnswer.Source
  ) -> ChallengeAnswer? {
    guard let login else { return .decline }
    guard ledger({ $0.hasRefused(login, in: offer.space) }) else {
      return answer(offer, login, source).map { .use($0) } ?? pass(offer)
    }
    let next = ledger { ledger -> AuthenticationOffer? in
      ledger.refuse(login, in: offer.space)
      return ledger.next(of: question.offers)
    }
    return next.map { consider($0) } ?? .decline
  }

  /// The next weaker offer.
  private func pass(_ offer: AuthenticationOffer) -> ChallengeAnswer? {
    let next = ledger { ledger -> AuthenticationOffer? in
      ledger.close(offer.space)
      return ledger.next(of: question.offers)
    }
    return next.map { consider($0) } ?? .decline
  }

  // MARK: Nobody is asked

  /// The strongest offer, from `first` on, for which there is a login that has not been tried.
  private func byDefault(from first: AuthenticationOffer) -> ChallengeAnswer {
    for offer in question.offers.drop(while: { $0 != first }) {
      guard let (login, source) = storedLogin(offer), ledger({ $0.mayTry(login, for: offer) }),
        let answer = answer(offer, login, source)
      else { continue }
      return .use(answer)
    }
    return .decline
  }

  /// The login in the URL, or that of the session's storage.
  private func storedLogin(_ offer: AuthenticationOffer) -> (login: Login, source: AuthenticationAnswer.Source)? {
    if !question.asker.isProxy, let login = url.login { return (login, .url) }
    return session.storedLogin(question.asker, offer.space).map { ($0, .storage) }
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
