import AFSupport
public import Foundation

extension AFURLConnectionOperation {
  /// Has the operation run, and waits until it has finished.
  ///
  /// Cancelling the Swift task cancels the operation. One that runs already, has finished, or was enqueued by a client, is only waited for.
  /// - Parameter queue: Where it waits for its turn; nil starts it at once.
  /// - Throws: The operation's ``error``.
  public func run(in queue: OperationQueue? = nil) async throws {
    if let queue { enqueue(in: queue) } else if isUnclaimed { start() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        whenFinished { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
    if let error { throw error }
  }

  /// Adds the operation to a queue, unless it has been added to one, or started, before: Foundation would end the program.
  func enqueue(in queue: OperationQueue) {
    if isUnclaimed { queue.addOperation(self) }
  }

  /// Whether the operation has neither been started nor given to a queue of ours; from now on it counts as given.
  private var isUnclaimed: Bool {
    core.withLock { state in
      guard !state.isEnqueued, !state.machine.hasStarted else { return false }
      state.isEnqueued = true
      return true
    }
  }

  /// Those of the operations that may be added to a queue, each once.
  static func claimed(_ operations: [AFURLConnectionOperation]) -> [AFURLConnectionOperation] {
    operations.filter(\.isUnclaimed)
  }
}
