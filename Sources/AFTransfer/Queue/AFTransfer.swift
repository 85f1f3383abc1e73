public import Foundation

/// A transfer of a queue: a handle, which can be copied and compared, and does nothing by itself. It holds the queue.
public struct AFTransfer: Sendable, Hashable, Identifiable {
  /// Its identifier, the same after every restart.
  public let id: UUID
  let core: QueueCore

  /// Whether both are the same transfer.
  public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Where it stands; nil once it has been purged.
  public var state: AFTransferState? { get async { await core.state(id) } }

  /// How far it is; nil once it has been purged.
  public var progress: AFTransferProgress? { get async { await core.progress(id) } }

  /// What was asked for; nil once it has been purged.
  public var request: AFTransferRequest? { get async { await core.record(id)?.request } }

  /// How many attempts there were.
  public var attempts: Int { get async { await core.record(id)?.attempts ?? 0 } }

  /// What stood in the way of the last attempt, if it failed.
  public var lastError: AFTransferError? { get async { await core.record(id)?.lastError } }

  /// How it ended, once it has. Waits until then; cancelling the task ends the waiting, not the transfer.
  public var outcome: AFTransferOutcome { get async throws { try await core.outcome(id) } }

  /// The result, once it is complete.
  ///
  /// Throws ``AFTransferError`` if it fails, `CancellationError` if it or the task is cancelled, and ``AFTransferStoreError/closed`` if
  /// the queue is closed before.
  public var result: AFTransferResult {
    get async throws {
      switch try await outcome {
      case .completed(let result): return result
      case .failed(let error): throw error
      case .cancelled: throw CancellationError()
      }
    }
  }

  /// Ends it. It is durable when this returns. Does nothing to one that has ended.
  /// - Throws: ``AFTransferStoreError``.
  public func cancel() async throws { try await core.cancel(id) }

  /// Stops it until ``resume()``, over restarts.
  /// - Throws: ``AFTransferStoreError``.
  public func suspend() async throws { try await core.suspend(id) }

  /// Lets one go on that was suspended.
  /// - Throws: ``AFTransferStoreError``.
  public func resume() async throws { try await core.resume(id) }

  /// Ends its wait, and its origin's, now. One that has failed is begun again.
  /// - Throws: ``AFTransferStoreError``.
  public func retryNow() async throws { try await core.retryNow(id) }

  /// Takes note of its end, which is then not told again. It is purged a day after it ended.
  /// - Throws: ``AFTransferStoreError``.
  public func acknowledge() async throws { try await core.acknowledge(id) }

  /// Gives it another priority.
  /// - Throws: ``AFTransferStoreError``.
  public func setPriority(_ priority: AFTransferRequest.Priority) async throws {
    try await core.setPriority(priority, id)
  }
}
