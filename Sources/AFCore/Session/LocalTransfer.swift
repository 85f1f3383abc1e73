import AFTransport
import Dispatch
import Foundation

/// A hop that is carried out in this process and not by the engine: a stub's, or one that is answered from the cache.
///
/// It behaves like the engine's hops: one head, a body by the route that the task chose, one completion, all in order on a
/// queue of its own.
final class LocalTransfer: TransferControl, @unchecked Sendable {
  // Unchecked because everything that changes is only touched on `queue`.
  private let queue = DispatchQueue(label: "af.local-transfer")
  private let task: TaskCore
  private var stop: (() -> Void)?
  private var route: ResponseRoute?
  private var hasBegun = false
  private var hasHead = false
  private var isSuspended = false
  private var isComplete = false
  private var pending = Data()
  private var body = Data()
  private var received: Int64 = 0
  private var expected: Int64?
  private var end: TransferFailure??

  init(task: TaskCore) {
    self.task = task
  }

  var handle: TransferHandle { TransferHandle(id: 0, control: self) }

  /// Begins, on the queue. `stop` is called when the hop is over, however it ends.
  func start(_ begin: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void = {}) -> TransferHandle {
    queue.async { [self] in
      guard !hasBegun, !isComplete else { return }
      hasBegun = true
      self.stop = stop
      begin()
    }
    return handle
  }

  // MARK: What the task asks for

  func cancel() {
    queue.async { [self] in
      complete(TransferFailure(kind: .cancelled, message: "The task was cancelled"))
    }
  }

  func setSuspended(_ isSuspended: Bool) {
    queue.async { [self] in
      self.isSuspended = isSuspended
      flow()
    }
  }

  func route(_ route: ResponseRoute) {
    queue.async { [self] in take(route) }
  }

  func resumeReceiving() {
    queue.async { [self] in flow() }
  }

  // MARK: What comes

  /// The head has come. `length` is the length of the body, if it is known.
  func receive(_ head: ResponseHead, length: Int64? = nil) {
    queue.async { [self] in
      guard !hasHead, end == nil else { return }
      hasHead = true
      expected = length
      take(task.transfer(handle, didReceive: head))
    }
  }

  func receive(_ data: Data) {
    queue.async { [self] in
      guard end == nil else { return }
      if pending.isEmpty { pending = data } else { pending.append(data) }
      flow()
    }
  }

  /// Nothing more will come.
  func finish(_ failure: TransferFailure? = nil) {
    queue.async { [self] in
      guard end == nil else { return }
      end = .some(failure)
      if !hasHead, failure == nil {
        return complete(TransferFailure(kind: .connectionLost, message: "The URL protocol gave no response"))
      }
      flow()
    }
  }

  // MARK: On the queue

  private func take(_ route: ResponseRoute) {
    guard self.route == nil else { return }
    switch route {
    case .undecided: return
    case .cancel(let error):
      complete(TransferFailure(kind: .refusedByHandler, message: "The response was refused", underlying: error))
    default:
      self.route = route
      flow()
    }
  }

  /// Moves what has come to where it is wanted, and completes when that was all.
  private func flow() {
    guard !isSuspended, route != nil || end.flatMap({ $0 }) != nil else { return }
    if !pending.isEmpty {
      received += Int64(pending.count)
      let piece = pending
      pending = Data()
      switch route {
      case .memory: if body.isEmpty { body = piece } else { body.append(piece) }
      case .sink(let sink): _ = piece.withUnsafeBytes { sink.receive($0) }
      default: break
      }
      task.transfer(handle, didReceive: received, expected: expected)
    }
    if let end { complete(end) }
  }

  private func complete(_ failure: TransferFailure?) {
    guard !isComplete else { return }
    isComplete = true
    end = .some(failure)
    stop?()
    stop = nil
    var outcome = TransferOutcome(failure: failure)
    if case .memory = route { outcome.body = body }
    outcome.bytesReceived = received
    task.transfer(handle, didComplete: outcome)?()
  }
}
