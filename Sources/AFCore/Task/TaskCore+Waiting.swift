import AFSupport
import AFTransport
import Foundation

extension TaskCore {
  /// Starts the task and waits for its end.
  ///
  /// On the caller's actor, if it is on one: the closure would otherwise be run elsewhere, and a request from the main actor
  /// would wake two threads more. What makes it stay is that it captures `isolation`.
  func run(isolation: isolated (any Actor)? = #isolation) async -> TaskResult {
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) { continuation in
        let result = state.withLock { state -> TaskResult? in
          if state.isOver { return TaskResult(task: self, error: state.failure.error) }
          state.owner.completion = .continuation(continuation)
          return nil
        }
        guard let result else {
          resume()
          return
        }
        continuation.resume(returning: result)
      }
    } onCancel: {
      cancel()
    }
  }

  /// Starts the task with its body going to `sink`, and waits for the final head, or for the end if that comes first.
  /// On the caller's actor, as ``run(isolation:)``.
  func runToHead(_ sink: StreamSink, isolation: isolated (any Actor)? = #isolation) async -> TaskResult {
    await withTaskCancellationHandler {
      await withUnsafeContinuation(isolation: isolation) { continuation in
        let isOver = state.withLock { state in
          guard !state.isOver else { return true }
          state.body.stream = sink
          state.owner.completion = .continuation(continuation)
          return false
        }
        if isOver { continuation.resume(returning: TaskResult(task: self, error: state.withLock { $0.failure.error })) }
        resume()
      }
    } onCancel: {
      cancel()
    }
  }

  /// The final head is there: what waits for it goes on.
  func headArrived() {
    let completion = state.withLock { state in
      defer { state.owner.completion = .none }
      return state.owner.completion
    }
    if case .continuation(let continuation) = completion { continuation.resume(returning: TaskResult(task: self)) }
  }
}
