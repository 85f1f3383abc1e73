import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// The proxy made no tunnel for want of credentials: the hop starts again with them, or `failure` is how the task ends.
  func answerTunnel(_ head: ResponseHead, _ session: SessionCore, _ failure: URLError) {
    let request = state.withLock { $0.current }
    guard let question = ChallengeQuestion(head, url: request.url, proxy: session.settings.proxy(for: request.url))
    else { return fail(failure) }
    let take: @Sendable (ChallengeAnswer) -> Void = { answer in
      switch answer {
      case .decline: self.fail(failure)
      case .cancel(let error): self.fail(error)
      case .use(let answer):
        self.choose(answer, for: question.asker)
        self.goOn(with: request)
      }
    }
    let response = TaskResponse(head, url: request.url)
    if let answer = decide(question, nil, session, response, take) { take(answer) }
  }
}
