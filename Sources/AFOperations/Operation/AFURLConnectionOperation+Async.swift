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
    let end = OneEnd()
    whenFinished { end.come() }
    await withTaskCancellationHandler {
      await end.wait()
    } onCancel: {
      cancel()
      // Its queue may be suspended: the caller does not wait for it.
      if isWaiting { end.come() }
    }
    if let error = error ?? cancellation { throw error }
  }

  /// Whether the operation has not begun.
  var isWaiting: Bool { core.withLock { !$0.machine.hasStarted } }

  /// What a cancelled operation fails with that has not finished yet.
  var cancellation: URLError? { isCancelled && !isFinished ? URLError.cancelled(url: request.url) : nil }

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

/// An end that comes once or more, and the callers that wait for it.
private final class OneEnd: Sendable {
  private struct State {
    var hasCome = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Locked(State())

  func come() {
    let waiting = state.withLock { state in
      state.hasCome = true
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let hasCome = state.withLock { state in
        if !state.hasCome { state.waiting = continuation }
        return state.hasCome
      }
      if hasCome { continuation.resume() }
    }
  }
}
