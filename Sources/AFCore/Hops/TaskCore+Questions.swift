import AFSupport
import AFTransport
import Dispatch
import Foundation

extension TaskCore {
  /// Opens a question to the user: the hop waits for the answer, no longer than the request's timeout.
  /// - Returns: The question's number, for ``close(_:)``.
  func ask(_ session: SessionCore, _ transfer: TransferHandle?) -> Int {
    let (question, timeout, isCancelled) = state.withLock { state -> (Int, Double, Bool) in
      state.questions += 1
      state.openQuestion = state.questions
      state.hasQueuedCallbacks = true
      if transfer == nil { state.phase = .asking(state.questions) }
      return (state.questions, state.current.timeout ?? session.settings.requestTimeout, state.isCancelled)
    }
    // Whoever cancelled between two hops found nothing to end.
    if isCancelled, transfer == nil { finish() }
    guard timeout > 0, timeout < 1e8 else { return question }
    DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [weak self] in
      guard let self, state.withLock({ $0.openQuestion == question }) else { return }
      let url = state.withLock { $0.current.url }
      cancel(URLError.make(.timedOut, url: url, "Nobody answered a question about the request within \(timeout) s"))
    }
    return question
  }

  /// Takes an answer.
  /// - Returns: Whether it counts: the first one, and the task still waits for it.
  func close(_ question: Int) -> Bool {
    state.withLock { state in
      guard state.openQuestion == question, !state.isOver, !state.isCancelled else { return false }
      state.openQuestion = nil
      return true
    }
  }
}
