import AFCore
import AFSupport
import Foundation
import FoundationNetworking

/// The sender of the challenge that an operation's block gets: what the block calls on it is the answer. The first call counts.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender, Sendable {
  typealias Answer = @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let answer: Locked<Answer?>

  init(_ answer: @escaping Answer) {
    self.answer = Locked(answer)
  }

  private func give(_ disposition: AFURLSession.AuthChallengeDisposition, _ credential: URLCredential? = nil) {
    let answer = answer.withLock { answer in
      defer { answer = nil }
      return answer
    }
    answer?(disposition, credential)
  }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) { give(.useCredential, credential) }

  /// For a TLS server this leaves the decision to the policy: there is no way on without one.
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
    let isAboutTrust = challenge.protectionSpace.serverTrust != nil
    give(isAboutTrust ? .performDefaultHandling : .rejectProtectionSpace)
  }

  func cancel(_ challenge: URLAuthenticationChallenge) { give(.cancelAuthenticationChallenge) }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { give(.performDefaultHandling) }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { give(.rejectProtectionSpace) }
}
