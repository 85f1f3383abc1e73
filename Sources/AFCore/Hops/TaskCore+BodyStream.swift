import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Gets the first stream of a streamed upload: from the block or the method that a subclass overrides, if there is one, else
  /// the request's own. The hop that is about to start waits for it.
  /// - Returns: Whether the hop may go on with the request as it is.
  func hasFirstStream(_ session: SessionCore) -> Bool {
    let (request, blocks, manager) = state.withLock { state in
      state.wantsFirstStream = false
      return (state.current, state.blocks, state.manager)
    }
    guard blocks.interests.contains(.bodyStream), let manager else {
      if request.body.isEmpty { fail(noStream(request)) }
      return !request.body.isEmpty
    }
    guard let question = TaskQuestion.open(.bodyStream, of: self) else { return false }
    session.callbackQueue.async {
      manager.urlSession(session.shell, task: self.shell) { stream in
        guard question.close() else { return }
        var next = request
        if let stream { next.body = .stream(StreamBody(stream)) }
        if next.body.isEmpty { self.fail(self.noStream(request)) } else { self.goOn(with: next) }
      }
    }
    return false
  }

  /// Lets `request` follow the running hop, whose body is of no interest.
  func proceed(with request: HopRequest, _ transfer: TransferHandle, _ session: SessionCore) -> ResponseRoute {
    guard case .stream(let body) = request.body, !body.canBeSent else {
      state.withLock { $0.next = request }
      return .discard
    }
    let (blocks, manager) = state.withLock { ($0.blocks, $0.manager) }
    guard blocks.interests.contains(.bodyStream), let manager else { return .cancel(spent(request)) }
    guard let question = TaskQuestion.open(.bodyStream, of: self, during: transfer) else { return .undecided }
    session.callbackQueue.async {
      manager.urlSession(session.shell, task: self.shell) { stream in
        guard question.close() else { return }
        guard let stream else { return transfer.route(.cancel(self.spent(request))) }
        var next = request
        next.body = .stream(StreamBody(stream))
        self.state.withLock { $0.next = next }
        transfer.route(.discard)
      }
    }
    return .undecided
  }

  private func spent(_ request: HopRequest) -> URLError {
    URLError.make(
      .requestBodyStreamExhausted, url: request.url,
      "The body has to be sent again and its stream can be read only once",
      underlying: StreamBody.Spent())
  }

  private func noStream(_ request: HopRequest) -> URLError {
    URLError.make(
      .requestBodyStreamExhausted, url: request.url,
      "Neither the request nor anybody else has a body stream for the upload")
  }
}
