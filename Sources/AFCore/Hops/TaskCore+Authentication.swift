import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// A 401 or 407 that credentials might answer.
struct ChallengeQuestion: Sendable {
  var offer: AuthenticationOffer
  var isProxy: Bool
}

extension TaskCore {
  /// What a 401 or 407 asks for; nil if it offers nothing that the package can do.
  func challenge(for head: ResponseHead) -> ChallengeQuestion? {
    let isProxy = head.statusCode == 407
    let offers = AuthenticationOffer.all(in: head.values(isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"))
    return offers.first.map { ChallengeQuestion(offer: $0, isProxy: isProxy) }
  }

  /// Tries again with credentials, asks for them, or lets the response be the result.
  func answer(_ question: ChallengeQuestion, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    let (current, authentication, blocks, manager) = state.withLock { state in
      if state.authentication.current != nil { state.authentication.failures += 1 }
      return (state.current, state.authentication, state.blocks, state.manager)
    }
    guard let space = protectionSpace(question, current.url) else { return finalRoute(transfer, session) }
    let proposed = authentication.failures == 0 ? credential(for: space, url: current.url, session) : nil
    guard blocks.interests.contains(.challenge), let manager else {
      return use(proposed, question, current, transfer, session)
    }
    let number = ask(session, transfer)
    session.callbackQueue.async {
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: proposed ?? authentication.current,
        previousFailureCount: authentication.failures, failureResponse: self.httpResponse, error: nil,
        sender: ChallengeSender.shared)
      manager.urlSession(session.shell, task: self.shell, didReceive: challenge) { disposition, credential in
        guard self.close(number) else { return }
        switch disposition {
        case .useCredential:
          transfer.route(self.use(credential ?? proposed, question, current, transfer, session))
        case .performDefaultHandling:
          transfer.route(self.use(proposed, question, current, transfer, session))
        case .rejectProtectionSpace:
          transfer.route(self.finalRoute(transfer, session))
        case .cancelAuthenticationChallenge:
          let error = self.state.withLock { $0.challengeError }
          transfer.route(
            .cancel(error ?? URLError.cancelled(url: current.url, "The authentication challenge was cancelled")))
        }
      }
    }
    return .undecided
  }

  /// Repeats the request with `credential`; without one, or with the one that was just refused, the response is final.
  private func use(
    _ credential: URLCredential?, _ question: ChallengeQuestion, _ current: HopRequest, _ transfer: TransferHandle,
    _ session: SessionCore
  ) -> ResponseRoute {
    let refused = state.withLock { $0.authentication }
    guard let credential, let user = credential.user, let password = credential.password, refused.failures < 10,
      refused.current?.user != user || refused.current?.password != password, !question.isProxy
    else { return finalRoute(transfer, session) }
    var next = current
    var authentication: TransferAuthentication?
    switch question.offer.scheme {
    case .basic:
      next.set("Authorization", "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    case .digest, .ntlm, .negotiate:
      next.remove(["Authorization"])
      authentication = TransferAuthentication(
        scheme: question.offer.scheme.transfer, user: user, password: password)
    }
    state.withLock {
      $0.authentication.current = credential
      $0.authentication.transfer = authentication
    }
    return proceed(with: next, transfer, session)
  }

  private func protectionSpace(_ question: ChallengeQuestion, _ url: String) -> URLProtectionSpace? {
    guard let origin = Origin(url) else { return nil }
    return URLProtectionSpace(
      host: origin.host, port: origin.port, protocol: origin.scheme, realm: question.offer.realm,
      authenticationMethod: question.offer.method)
  }

  /// Credentials that nobody has to be asked for: those of the URL, then those of the session's storage.
  private func credential(for space: URLProtectionSpace, url: String, _ session: SessionCore) -> URLCredential? {
    if let parts = URLComponents(string: url), let user = parts.user {
      return URLCredential(user: user, password: parts.password ?? "", persistence: .none)
    }
    guard let storage = session.settings.credentials,
      // Foundation on Linux compares protection spaces by identity.
      let stored = storage.allCredentials.keys.first(where: { $0.isSame(as: space) })
    else { return nil }
    return storage.defaultCredential(for: stored) ?? storage.credentials(for: stored)?.values.first
  }
}

extension URLProtectionSpace {
  fileprivate func isSame(as other: URLProtectionSpace) -> Bool {
    host.equalsIgnoringCase(other.host) && port == other.port && realm == other.realm
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
