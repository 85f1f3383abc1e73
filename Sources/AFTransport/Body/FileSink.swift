import AFSupport
import Dispatch
import Glibc

/// Writes a response body to a file: gathered into blocks on the engine's thread, written on a queue, held back when the
/// disk is slower than the network.
package final class FileSink: BodySink {
  private struct State {
    var block: Block?
    var filled = 0
    /// Written blocks, to be filled again: the pages of a fresh one would have to be cleared first.
    var spare: [Block] = []
    var queued = 0
    var isFull = false
    var failure: (any Error)?
    var written: Int64
    var onRoom: (@Sendable () -> Void)?
    var onFailure: (@Sendable (any Error) -> Void)?
  }

  /// What one call of `receive` leaves to be done outside the lock.
  private struct Receipt {
    var blocks: [Block] = []
    var hasRoom = true
    var failure: (any Error)?
    var onFailure: (@Sendable (any Error) -> Void)?
  }

  private static let blockSize = 512 << 10
  private static let highWater = 4 << 20
  private static let lowWater = 1 << 20
  private static let maximumSpare = 4

  private let descriptor: Int32
  private let path: String
  private let queue: DispatchQueue
  private let state: Locked<State>

  /// Takes over an open descriptor, which is written from `offset` on and closed at the end; `path` names it in errors.
  package init(descriptor: Int32, path: String, offset: Int64 = 0) {
    self.descriptor = descriptor
    self.path = path
    queue = DispatchQueue(label: "af.file-sink", qos: .userInitiated)
    state = Locked(State(written: offset))
  }

  deinit {
    close(descriptor)
    state.withLock { state in
      state.block?.deallocate()
      for block in state.spare { block.deallocate() }
    }
  }

  /// Sets what is called, on a queue, when there is room again after `receive` said false, and when writing fails.
  package func connect(
    onRoom: @escaping @Sendable () -> Void, onFailure: @escaping @Sendable (any Error) -> Void
  ) {
    state.withLock {
      $0.onRoom = onRoom
      $0.onFailure = onFailure
    }
  }

  package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let receipt = state.withLock { state -> Receipt in
      guard state.failure == nil else { return Receipt() }
      var receipt = Receipt()
      var rest = bytes
      while !rest.isEmpty {
        guard let block = state.block ?? state.spare.popLast() ?? Block.allocate(Self.blockSize) else {
          let failure = POSIXFailure(call: "find memory for", path: path, code: ENOMEM)
          state.failure = failure
          receipt.failure = failure
          receipt.onFailure = state.onFailure
          return receipt
        }
        let count = min(rest.count, block.count - state.filled)
        UnsafeMutableRawBufferPointer(rebasing: block.bytes[state.filled...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        state.filled += count
        state.block = block
        guard state.filled == block.count else { continue }
        receipt.blocks.append(block)
        state.queued += block.count
        state.block = nil
        state.filled = 0
      }
      state.isFull = state.queued >= Self.highWater
      receipt.hasRoom = !state.isFull
      return receipt
    }
    for block in receipt.blocks { queue.async { self.write(block) } }
    if let failure = receipt.failure, let onFailure = receipt.onFailure { queue.async { onFailure(failure) } }
    return receipt.hasRoom
  }

  /// Writes what is left; then calls `completion`, on a queue, with the file's length up to the last byte written.
  package func finish(_ completion: @escaping @Sendable (Result<Int64, any Error>) -> Void) {
    let last = state.withLock { state -> Block? in
      defer {
        state.block = nil
        state.filled = 0
      }
      return state.block.map { Block(bytes: $0.bytes, count: state.filled) }
    }
    queue.async {
      if let last { self.write(last) }
      let result = self.state.withLock { state -> Result<Int64, any Error> in
        state.onRoom = nil
        state.onFailure = nil
        return state.failure.map { .failure($0) } ?? .success(state.written)
      }
      completion(result)
    }
  }

  // Unchecked because the compiler cannot see that a block is handed over whole: from the engine's thread to the queue.
  private struct Block: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    let count: Int

    /// Nil: there is no memory.
    static func allocate(_ count: Int) -> Block? {
      malloc(count).map { Block(bytes: UnsafeMutableRawBufferPointer(start: $0, count: count), count: count) }
    }

    func deallocate() { free(bytes.baseAddress) }
  }

  private func write(_ block: Block) {
    var (position, failure) = state.withLock { ($0.written, $0.failure) }
    var done = 0
    while failure == nil, done < block.count {
      let count = pwrite(descriptor, block.bytes.baseAddress.map { $0 + done }, block.count - done, off_t(position))
      if count >= 0 {
        done += count
        position += Int64(count)
      } else if errno != EINTR {
        failure = POSIXFailure(call: "write", path: path)
      }
    }
    let (end, failed) = (position, failure)
    let callback = state.withLock { state -> (@Sendable () -> Void)? in
      state.queued = max(0, state.queued - block.count)
      if state.spare.count < Self.maximumSpare {
        state.spare.append(Block(bytes: block.bytes, count: block.bytes.count))
      } else {
        block.deallocate()
      }
      state.written = end
      if let failed {
        guard state.failure == nil else { return nil }
        state.failure = failed
        guard let onFailure = state.onFailure else { return nil }
        return { onFailure(failed) }
      }
      guard state.isFull, state.queued <= Self.lowWater else { return nil }
      state.isFull = false
      return state.onRoom
    }
    callback?()
  }
}
