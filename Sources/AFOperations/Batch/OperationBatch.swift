import AFSupport
import Dispatch
import Foundation

/// Counts the operations of a batch as they finish, and lets the operation that waits for them all begin.
///
/// For each operation, in order: its completion block, then the progress block; when the last progress block has run, the waiting
/// operation. Counts go up by one and end at the total.
final class OperationBatch: Sendable {
  typealias Progress = @Sendable (_ finished: UInt, _ total: UInt) -> Void

  private struct State {
    var finished = 0
    var told = 0
  }

  // Unchecked because an operation is not Sendable; the batch only starts it, once.
  private struct Gate: @unchecked Sendable {
    /// Finishes when all have; what waits depends on it alone, since Foundation searches a list for each dependency.
    let gate = Operation()
    weak var waiting: Operation?
  }

  private let total: Int
  private let progress: Progress?
  private let gate: Gate
  private let state = Locked(State())
  /// Keeps the counts in order on their way to the progress block.
  private let queue = DispatchQueue(label: "af.operation.batch")

  private init(_ total: Int, _ progress: Progress?, _ waiting: Operation) {
    self.total = total
    self.progress = progress
    gate = Gate(waiting: waiting)
    waiting.addDependency(gate.gate)
  }

  /// The operation that runs `completion` on the main queue when all of `operations` have finished.
  static func waiting(
    for operations: [AFURLConnectionOperation], progress: Progress?, completion: @escaping @Sendable () -> Void
  ) -> Operation {
    let waiting = BlockOperation { DispatchQueue.main.async(execute: completion) }
    guard !operations.isEmpty else { return waiting }
    let batch = OperationBatch(operations.count, progress, waiting)
    for operation in operations {
      operation.whenFinished { [unowned operation] in batch.finished(on: operation.callbackQueue) }
    }
    return waiting
  }

  private func finished(on callbacks: DispatchQueue) {
    queue.async { [self] in
      let count = state.withLock { state in
        state.finished += 1
        return state.finished
      }
      guard let progress else { return told() }
      callbacks.async { [self] in
        progress(UInt(count), UInt(total))
        told()
      }
    }
  }

  private func told() {
    let isLast = state.withLock { state in
      state.told += 1
      return state.told == total
    }
    // Foundation does not hold what waits. It is gone if the app has not put it into a queue.
    guard isLast, let waiting = gate.waiting else { return }
    withExtendedLifetime(waiting) { gate.gate.start() }
  }
}

extension AFURLConnectionOperation {
  /// Where a success block of the operation runs.
  var callbackQueue: DispatchQueue {
    (self as? AFHTTPRequestOperation)?.successCallbackQueue ?? completionQueue ?? .main
  }
}
