import AFSupport
import AFTransport
import Dispatch
import Foundation

/// A hop that is carried out in this process and not by the engine: a stub's, or one that is answered from the cache.
///
/// It behaves like the engine's hops: one head, a body by the route that the task chose, one completion, all in order on a
/// queue of its own. A reader that has enough holds the body back, and the limits of bodies count.
final class LocalTransfer: TransferControl, @unchecked Sendable {
  // Unchecked because everything that changes is only touched on `queue`.
  private let queue = DispatchQueue(label: "af.local-transfer")
  private let task: TaskCore
  private let limits: BodyLimits
  private var stop: (() -> Void)?
  private var route: ResponseRoute?
  private var hasBegun = false
  private var hasHead = false
  private var isSuspended = false
  private var isComplete = false
  /// What has come and is not where it is wanted, the oldest first.
  private var pending: [Data] = []
  /// A body that came in one piece, as it came.
  private var whole: Data?
  /// One that came in several.
  private var gathered = MemoryBody()
  private var received: Int64 = 0
  private var expected: Int64?
  private var end: TransferFailure??

  /// A sink gets so many bytes at a time, as from the engine.
  private static let pieceSize = 64 << 10

  init(task: TaskCore) {
    self.task = task
    limits = task.state.withLock { $0.owner.session }?.settings.options.bodyLimits ?? BodyLimits()
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
      guard end == nil, !data.isEmpty else { return }
      pending.append(data)
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

  /// Moves what has come to where it is wanted, as far as there is room, and completes when that was all.
  private func flow() {
    guard !isSuspended, !isComplete, route != nil || end.flatMap({ $0 }) != nil else { return }
    let before = received
    var hasRoom = true
    var moved = 0
    while hasRoom, moved < pending.count {
      let piece = pending[moved]
      let taken: Int
      switch route {
      case .memory:
        if let failure = keep(piece) { return complete(failure) }
        taken = piece.count
      case .sink(let sink):
        taken = min(piece.count, Self.pieceSize)
        hasRoom = piece.prefix(taken).withUnsafeBytes { sink.receive($0) }
      default: taken = piece.count
      }
      received += Int64(taken)
      if taken == piece.count { moved += 1 } else { pending[moved] = piece.dropFirst(taken) }
    }
    pending.removeFirst(moved)
    if received > before { task.transfer(handle, didReceive: received, expected: expected) }
    if pending.isEmpty, let end { complete(end) }
  }

  /// Adds to the body that is gathered in memory. Returns why it cannot be kept, if so.
  private func keep(_ piece: Data) -> TransferFailure? {
    guard limits.allowsInMemory(received + Int64(piece.count)) else { return limits.memoryFailure }
    guard received > 0 else {
      whole = piece
      return nil
    }
    let first = whole
    whole = nil
    for part in [first, piece] {
      guard let part else { continue }
      guard part.withUnsafeBytes({ gathered.append($0) }) else {
        return TransferFailure(kind: .noMemory, message: "There is no memory for the body after \(received) bytes")
      }
    }
    return nil
  }

  private func complete(_ failure: TransferFailure?) {
    guard !isComplete else { return }
    isComplete = true
    end = .some(failure)
    pending = []
    stop?()
    stop = nil
    var outcome = TransferOutcome(failure: failure)
    if case .memory = route { outcome.body = whole ?? gathered.take() }
    outcome.bytesReceived = received
    task.transfer(handle, didComplete: outcome)?()
  }
}
