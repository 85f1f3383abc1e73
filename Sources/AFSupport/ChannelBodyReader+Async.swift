import Dispatch
package import Foundation

extension ChannelBodyReader {
  /// Reads what `produce` writes into the sink, in a task that is suspended while 256 KiB wait to be read, and cancelled
  /// when the body is closed, rewound or complete. With `isReplayable` it is called again after a rewind.
  package convenience init(
    length: Int64?, isReplayable: Bool, produce: @escaping @Sendable (AsyncBodySink) async throws -> Void
  ) {
    self.init(length: length, isReplayable: isReplayable) { channel in
      let task = Task(executorPreference: QueueExecutor.shared) {
        do {
          try await produce(AsyncBodySink(channel: channel))
          channel.finish()
        } catch {
          channel.finish(error)
        }
      }
      // Not at once: a cancellation can run handlers of the sequence, and whoever closes a body may hold a lock.
      channel.whenCancelled { DispatchQueue.global().async { task.cancel() } }
    }
  }
}

/// Where the bytes of an asynchronous body go. Writing suspends while the reader is behind.
package struct AsyncBodySink: Sendable {
  let channel: ByteChannel

  /// Writes one byte, if that is possible at once: without the cost of an asynchronous call.
  package func writeAtOnce(_ byte: UInt8) -> Bool {
    withUnsafeBytes(of: byte) { channel.offerSparingly($0) }
  }

  /// Writes one byte.
  /// - Throws: `CancellationError` when no more are wanted.
  package func write(_ byte: UInt8) async throws {
    while !writeAtOnce(byte) { try await waitForRoom(upTo: 1) }
  }

  /// Writes all bytes.
  /// - Throws: `CancellationError` when no more are wanted.
  package func write(_ bytes: some DataProtocol) async throws {
    for region in bytes.regions {
      var offset = 0
      while offset < region.count {
        let room = try await waitForRoom(upTo: region.count - offset)
        let isAccepted = region.withUnsafeBytes {
          channel.offerSparingly(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + room]))
        }
        if isAccepted { offset += room }
      }
    }
  }

  @discardableResult
  private func waitForRoom(upTo count: Int) async throws -> Int {
    if let room = channel.room(upTo: count), room > 0 { return room }
    while true {
      let room = await withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
        let room = channel.room(upTo: count) { continuation.resume(returning: 0) }
        if room != 0 { continuation.resume(returning: room) }
      }
      guard let room else { throw CancellationError() }
      if room > 0 { return room }
    }
  }
}
