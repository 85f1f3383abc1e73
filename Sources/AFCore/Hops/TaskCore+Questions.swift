import AFSupport
import AFTransport
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
    limit(question, seconds: timeout) { task in
      let url = task.state.withLock { $0.current.url }
      task.cancel(
        URLError.make(.timedOut, url: url, "Nobody answered a question about the request within \(timeout) s"))
    }
    return question
  }

  /// Has `late` called if a question is still open after so many seconds.
  func limit(_ question: Int, seconds: Double, late: @escaping @Sendable (TaskCore) -> Void) {
    guard seconds > 0, seconds < 1e8 else { return }
    let limit = TimeLimit(seconds: seconds) { [weak self] in
      guard let self, state.withLock({ $0.openQuestion == question }) else { return }
      late(self)
    }
    let unneeded = state.withLock { state -> TimeLimit? in
      guard state.openQuestion == question else { return limit }
      defer { state.questionLimit = limit }
      return state.questionLimit
    }
    unneeded?.cancel()
  }

  /// Takes an answer.
  /// - Returns: Whether it counts: the first one, and the task still waits for it.
  func close(_ question: Int) -> Bool {
    let (counts, limit) = state.withLock { state -> (Bool, TimeLimit?) in
      guard state.openQuestion == question, !state.isOver, !state.isCancelled else { return (false, nil) }
      state.openQuestion = nil
      defer { state.questionLimit = nil }
      return (true, state.questionLimit)
    }
    limit?.cancel()
    return counts
  }
}
