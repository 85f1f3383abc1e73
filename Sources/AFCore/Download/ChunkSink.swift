import AFSupport
import AFTransport
import Dispatch
import Foundation

/// A response body that is gathered for the completion and, on the way, shown to the user piece by piece.
///
/// Pieces are gathered while the user is busy with the last one; the engine is held back when they are too many.
final class ChunkSink: BodySink {
  private struct State {
    var all = Data()
    var fresh = Data()
    var isDelivering = false
    var isFull = false
    var onRoom: (@Sendable () -> Void)?
  }

  private static let highWater = 1 << 20

  private let queue: DispatchQueue
  private let deliver: @Sendable (Data) -> Void
  private let state = Locked(State())

  init(queue: DispatchQueue, deliver: @escaping @Sendable (Data) -> Void) {
    self.queue = queue
    self.deliver = deliver
  }

  func connect(onRoom: @escaping @Sendable () -> Void) {
    state.withLock { $0.onRoom = onRoom }
  }

  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (starts, hasRoom) = state.withLock { state in
      state.all.append(contentsOf: bytes)
      state.fresh.append(contentsOf: bytes)
      state.isFull = state.fresh.count >= Self.highWater
      defer { state.isDelivering = true }
      return (!state.isDelivering, !state.isFull)
    }
    if starts { queue.async { self.drain() } }
    return hasRoom
  }

  /// Calls `completion` on the queue, behind the last piece, with the whole body.
  func finish(_ completion: @escaping @Sendable (Data) -> Void) {
    queue.async {
      self.drain()
      let all = self.state.withLock { state in
        defer { state = State() }
        return state.all
      }
      completion(all)
    }
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
