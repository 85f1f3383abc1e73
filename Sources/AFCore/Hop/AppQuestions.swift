import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// Asks the app what it wants to say about a hop: whether a redirect is followed, and which stream is the body. The answers are what
/// follows.
struct AppQuestions: Sendable {
  let task: TaskCore
  let session: SessionCore
  let manager: AFURLSessionManager
  /// The running hop; nil between two hops.
  let transfer: TransferHandle?

  /// Asks whether `request` is to follow a redirect. An answer of nil makes the redirect itself the result.
  func redirect(
    _ request: HopRequest, _ proposed: URLRequest, _ rules: FollowUp.Rules,
    _ later: @escaping @Sendable (FollowUp) -> Void
  ) {
    guard let question = TaskQuestion.open(.redirect, of: task, during: transfer) else { return }
    session.callbackQueue.async { [task, session, manager] in
      guard let response = task.httpResponse else { return }
      manager.urlSession(
        session.shell, task: task.shell, willPerformHTTPRedirection: response, newRequest: proposed
      ) { answer in
        guard question.close() else { return }
        guard let answer else { return later(.final) }
        let url = task.state.withLock { $0.current.url }
        later(FollowUp.redirected(from: url, to: request.replaced(by: answer, proposed: proposed), rules))
      }
    }
  }

  /// Asks for a new stream: that of `request` has been read.
  func bodyStream(for request: HopRequest, _ later: @escaping @Sendable (FollowUp) -> Void) {
    guard let question = TaskQuestion.open(.bodyStream, of: task, during: transfer) else { return }
    session.callbackQueue.async { [task, session, manager] in
      manager.urlSession(session.shell, task: task.shell) { stream in
        guard question.close() else { return }
        guard let stream else { return later(.fail(FollowUp.spent(request))) }
        var next = request
        next.body = .stream(StreamBody(stream))
        later(.again(next))
      }
    }
  }

  /// Asks for the first stream of a streamed upload. Without one the request's own is taken.
  func firstBodyStream(for request: HopRequest) {
    guard let question = TaskQuestion.open(.bodyStream, of: task) else { return }
    session.callbackQueue.async { [task, session, manager] in
      manager.urlSession(session.shell, task: task.shell) { stream in
        guard question.close() else { return }
        var next = request
        if let stream { next.body = .stream(StreamBody(stream)) }
        if next.body.isEmpty { task.fail(Self.noStream(request)) } else { task.goOn(with: next) }
      }
    }
  }

  static func noStream(_ request: HopRequest) -> URLError {
    URLError.make(
      .requestBodyStreamExhausted, url: request.url, "Neither the request nor the app has a body stream for the upload")
  }
}
