import AFSecurity
import AFSupport
import AFTransport
public import Foundation
import FoundationNetworking

extension AFURLSessionManager {
  typealias ChallengeAnswer = @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void

  /// The session's answer. Default handling without a block means: ask the task.
  func answer(_ challenge: URLAuthenticationChallenge, _ session: AFURLSession, _ completion: ChallengeAnswer) {
    guard let block = core.blocks.blocks.sessionChallenge else { return completion(.performDefaultHandling, nil) }
    var credential: URLCredential?
    let disposition = block(session, challenge, &credential)
    completion(disposition, credential)
  }

  /// The task's answer.
  func answer(
    _ challenge: URLAuthenticationChallenge, _ session: AFURLSession, _ task: AFURLSessionTask,
    _ completion: @escaping ChallengeAnswer
  ) {
    guard let handler = core.blocks.blocks.taskChallenge else {
      return byDefault(challenge, task, completion)
    }
    switch handler(session, task, challenge, completion) {
    case is NSNull: break
    case let credential as URLCredential: completion(.useCredential, credential)
    case let value as AFURLSession.AuthChallengeDisposition: take(value, challenge, task, completion)
    case let error as NSError: cancel(task, error, completion)
    case let number as NSNumber: take(disposition(number.intValue), challenge, task, completion)
    case let number as Int: take(disposition(number), challenge, task, completion)
    case let error as any Error: cancel(task, error, completion)
    case let value: cancel(task, AFChallengeHandlerError(value), completion)
    }
  }

  private func disposition(_ rawValue: Int) -> AFURLSession.AuthChallengeDisposition? {
    AFURLSession.AuthChallengeDisposition(rawValue: rawValue)
  }

  private func take(
    _ disposition: AFURLSession.AuthChallengeDisposition?, _ challenge: URLAuthenticationChallenge,
    _ task: AFURLSessionTask, _ completion: ChallengeAnswer
  ) {
    switch disposition {
    case .performDefaultHandling?: byDefault(challenge, task, completion)
    case .cancelAuthenticationChallenge?, .rejectProtectionSpace?:
      completion(disposition ?? .cancelAuthenticationChallenge, nil)
    // A number cannot carry the credential to use.
    case .useCredential?, nil: cancel(task, AFChallengeHandlerError(disposition as Any), completion)
    }
  }

  private func cancel(_ task: AFURLSessionTask, _ error: any Error, _ completion: ChallengeAnswer) {
    // A second call's error takes the place of the first one's, which may be the app's.
    let old = task.core.state.withLock { state in
      defer { state.failure.challengeError = error }
      return state.failure.challengeError
    }
    withExtendedLifetime(old) {}
    completion(.cancelAuthenticationChallenge, nil)
  }

  /// TLS servers are judged by the security policy; the rest is the session's business.
  private func byDefault(
    _ challenge: URLAuthenticationChallenge, _ task: AFURLSessionTask, _ completion: ChallengeAnswer
  ) {
    guard let trust = challenge.protectionSpace.serverTrust else { return completion(.performDefaultHandling, nil) }
    let host = challenge.protectionSpace.host
    do {
      try core.securityPolicy.evaluate(trust, forDomain: host)
      completion(.useCredential, ServerTrustCredential(trust, isPolicys: true))
    } catch {
      let url = task.core.state.withLock { $0.current.url }
      cancel(task, URLError.serverUntrusted(host: host, url: url, trust: trust, reason: error), completion)
    }
  }
}

/// What an authentication challenge handler returned cannot be understood.
public struct AFChallengeHandlerError: Error, LocalizedError, CustomStringConvertible, Sendable {
  /// What was returned, as text.
  public let returned: String

  init(_ value: Any) {
    returned = String(describing: type(of: value))
  }

  /// What may be returned, and what was.
  public var description: String {
    "Invalid Return Value: an authentication challenge handler returns a URLCredential, an NSError, NSNull or a disposition "
      + "other than useCredential as NSNumber, not \(returned)"
  }

  /// ``description``.
  public var errorDescription: String? { description }
}

extension AFURLSessionManager {
  /// Calls the block, then posts the notification.
  func didBecomeInvalid(_ session: AFURLSession, _ error: (any Error)?) {
    let error =
      error
      ?? URLError(.cancelled, userInfo: [NSLocalizedDescriptionKey: "The session has been invalidated"])
    core.blocks.blocks.sessionDidBecomeInvalid?(session, error)
    NotificationCenter.default.post(name: .AFURLSessionDidInvalidate, object: session)
  }
}
