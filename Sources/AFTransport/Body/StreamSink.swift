import AFSupport
package import Foundation

/// A response body on its way to an asynchronous reader: bounded by two watermarks.
///
/// The engine is held back when `highWater` bytes wait for the reader and let on when `lowWater` are left. Chunks are
/// gathered into blocks, so that a body of very many small pieces costs neither depth nor a task switch each.
package final class StreamSink: BodySink {
  private struct State {
    var blocks: [Data] = []
    var first = 0
    var buffered = 0
    var isFull = false
    var end: Result<Void, any Error>?
    var waiter: CheckedContinuation<Bool, Never>?
    var onRoom: (@Sendable () -> Void)?
  }

  private struct Step {
    var block: Data?
    var end: Result<Void, any Error>?
    var room: (@Sendable () -> Void)?
  }

  private static let blockSize = 64 << 10

  private let highWater: Int
  private let lowWater: Int
  private let state = Locked(State())

  package init(highWater: Int = 1 << 20, lowWater: Int = 256 << 10) {
    self.highWater = highWater
    self.lowWater = min(lowWater, highWater / 2)
  }

  /// Sets what is called, by the reader, when there is room again.
  package func connect(onRoom: @escaping @Sendable () -> Void) {
    state.withLock { $0.onRoom = onRoom }
  }

  package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (hasRoom, waiter) = state.withLock { state -> (Bool, CheckedContinuation<Bool, Never>?) in
      guard state.end == nil else { return (true, nil) }
      if let last = state.blocks.indices.last, last >= state.first, state.blocks[last].count < Self.blockSize {
        state.blocks[last].append(contentsOf: bytes)
      } else {
        state.blocks.append(Data(bytes))
      }
      state.buffered += bytes.count
      state.isFull = state.buffered >= highWater
      defer { state.waiter = nil }
      return (!state.isFull, state.waiter)
    }
    waiter?.resume(returning: false)
    return hasRoom
  }

  /// Marks the end of the body; a reader gets what is buffered first. Only the first call counts.
  package func finish(_ end: Result<Void, any Error>) {
    let (waiter, _) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, (@Sendable () -> Void)?) in
      if state.end == nil { state.end = end }
      defer {
        state.waiter = nil
        state.onRoom = nil
      }
      return (state.waiter, state.onRoom)
    }
    waiter?.resume(returning: false)
  }

  /// Another reader waits for the next block already.
  package struct ReadTwice: Error {}

  /// The length of the list of blocks, read ones included.
  var listLength: Int { state.withLock { $0.blocks.count } }

  /// The next block, or nil at the end. For one reader at a time.
  /// - Throws: what ``finish(_:)`` was given; ``ReadTwice``.
  package func next() async throws -> Data? {
    while true {
      let step = state.withLock { state -> Step in
        guard state.first < state.blocks.count else { return Step(end: state.end) }
        let block = state.blocks[state.first]
        state.blocks[state.first] = Data()
        state.first += 1
        state.buffered -= block.count
        if state.first == state.blocks.count {
          state.blocks.removeAll(keepingCapacity: true)
          state.first = 0
        } else if state.first >= 32, state.first * 2 >= state.blocks.count {
          // A reader that never quite catches up would otherwise leave a list as long as the body.
          state.blocks.removeFirst(state.first)
          state.first = 0
        }
        guard state.isFull, state.buffered <= lowWater else { return Step(block: block) }
        state.isFull = false
        return Step(block: block, room: state.onRoom)
      }
      step.room?()
      if let block = step.block { return block }
      if let end = step.end {
        try end.get()
        return nil
      }
      let isTaken = await withCheckedContinuation { continuation in
        let answer = state.withLock { state -> Bool? in
          if state.first < state.blocks.count || state.end != nil { return false }
          guard state.waiter == nil else { return true }
          state.waiter = continuation
          return nil
        }
        if let answer { continuation.resume(returning: answer) }
      }
      if isTaken { throw ReadTwice() }
    }
  }
}
