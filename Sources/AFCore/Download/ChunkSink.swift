import AFSupport
import AFTransport
import Dispatch
import Foundation

/// A response body that is gathered for the completion and, on the way, shown to the user piece by piece.
///
/// Pieces are gathered while the user is busy with the last one; the engine is held back when they are too many.
final class ChunkSink: BodySink {
  private struct State {
    var all = MemoryBox()
    var failure: TransferFailure?
    var fresh = Data()
    var isDelivering = false
    var isFull = false
    var onRoom: (@Sendable () -> Void)?
    var onFailure: (@Sendable (TransferFailure) -> Void)?
  }

  /// A place for what cannot be copied.
  private final class MemoryBox: @unchecked Sendable {
    // Unchecked because it stands behind the lock, like the state that holds it.
    var body = MemoryBody()
  }

  private static let highWater = 1 << 20

  private let queue: DispatchQueue
  private let limits: BodyLimits
  private let deliver: @Sendable (Data) -> Void
  private let state = Locked(State())

  init(queue: DispatchQueue, limits: BodyLimits, deliver: @escaping @Sendable (Data) -> Void) {
    self.queue = queue
    self.limits = limits
    self.deliver = deliver
  }

  /// Sets what is called when there is room again, and, on the queue, when the body is too large.
  func connect(onRoom: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable (TransferFailure) -> Void) {
    state.withLock {
      $0.onRoom = onRoom
      $0.onFailure = onFailure
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (starts, hasRoom, failure, onFailure) = state.withLock {
      state -> (Bool, Bool, TransferFailure?, (@Sendable (TransferFailure) -> Void)?) in
      // The transfer is being ended.
      guard state.failure == nil else { return (false, true, nil, nil) }
      if let failure = keep(bytes, state.all) {
        state.failure = failure
        return (false, true, failure, state.onFailure)
      }
      state.fresh.append(contentsOf: bytes)
      state.isFull = state.fresh.count >= Self.highWater
      defer { state.isDelivering = true }
      return (!state.isDelivering, !state.isFull, nil, nil)
    }
    if let failure, let onFailure { queue.async { onFailure(failure) } }
    if starts { queue.async { self.drain() } }
    return hasRoom
  }

  /// Calls `completion` on the queue, behind the last piece, with the whole body, or with why it could not be kept whole.
  func finish(_ completion: @escaping @Sendable (Result<Data, TransferFailure>) -> Void) {
    queue.async {
      self.drain()
      let all = self.state.withLock { state -> Result<Data, TransferFailure> in
        defer { state = State() }
        if let failure = state.failure { return .failure(failure) }
        return .success(state.all.body.take())
      }
      completion(all)
    }
  }

  /// Adds to what is kept for the completion. Returns why it cannot be kept, if so.
  private func keep(_ bytes: UnsafeRawBufferPointer, _ box: MemoryBox) -> TransferFailure? {
    guard limits.allowsInMemory(Int64(box.body.count) + Int64(bytes.count)) else { return limits.memoryFailure }
    guard box.body.append(bytes) else {
      return TransferFailure(kind: .noMemory, message: "There is no memory for the body after \(box.body.count) bytes")
    }
    return nil
  }

  private func drain() {
    let (piece, onRoom) = state.withLock { state -> (Data, (@Sendable () -> Void)?) in
      defer {
        state.fresh = Data()
        state.isDelivering = false
        state.isFull = false
      }
      return (state.fresh, state.isFull ? state.onRoom : nil)
    }
    onRoom?()
    if !piece.isEmpty { deliver(piece) }
  }
}
