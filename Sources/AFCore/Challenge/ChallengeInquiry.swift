import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// The search for the answer to one challenge: in what the session knows, with the challenge handler, in storages.
struct ChallengeInquiry: Sendable {
  let question: ChallengeQuestion
  let task: TaskCore
  /// Nil between two hops.
  let transfer: TransferHandle?
  let session: SessionCore
  /// What asks, for the challenge handler.
  let response: HTTPURLResponse?
  let rules: FollowUp.Rules
  let later: @Sendable (FollowUp) -> Void

  private var url: String { task.state.withLock { $0.current.url } }

  private func ledger<Result: Sendable>(_ body: (inout AskerLedger) -> Result) -> Result {
    task.state.withLock { $0.ledger.with(question.asker, body) }
  }

  /// Finds credentials, or asks for them.
  /// - Returns: What follows; nil if the app has to be asked, and `later` gets it.
  func begin(with first: AuthenticationOffer) -> FollowUp? { consider(first).map { followUp($0) } }

  private func followUp(_ answer: ChallengeAnswer) -> FollowUp {
    switch answer {
    case .decline: return .final
    case .cancel(let error): return .fail(error)
    case .use(let answer):
      let request = task.state.withLock { state in
        state.ledger.with(question.asker) { $0.chosen = answer }
        return state.current
      }
      return FollowUp.sending(request, answering: question.asker, rules)
    }
  }

  /// What to say to `offer`, or to a weaker one; nil if `later` gets it.
  private func consider(_ offer: AuthenticationOffer) -> ChallengeAnswer? {
    if let answer = knownAnswer(offer) { return .use(answer) }
    let (blocks, manager) = task.state.withLock { ($0.owner.blocks, $0.owner.manager) }
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

  private func answer(
    _ offer: AuthenticationOffer, _ login: Login, _ source: AuthenticationAnswer.Source
  ) -> AuthenticationAnswer? {
    question.answer(offer, login, source, url: url)
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
        let (error, url) = task.state.withLock { ($0.failure.challengeError, $0.current.url) }
        answer = .cancel(error ?? URLError.cancelled(url: url, "The authentication challenge was cancelled"))
      }
      if let answer { later(followUp(answer)) }
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

  // MARK: Without a question

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
