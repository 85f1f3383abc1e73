/// A body that a producer brings through a channel: begun with the first read, abandoned on a rewind, begun again after it.
package final class ChannelBodyReader: BodyReader {
  package let contentLength: Int64?
  package let isReplayable: Bool
  private let start: @Sendable (ByteChannel) -> Void
  private let state = Locked(State())

  private struct State {
    /// From the first read on.
    var channel: ByteChannel?
    var isClosed = false
    var wakeUp: (@Sendable () -> Void)?
  }

  /// `start` sets a producer to work and returns at once. It is called once, or with `isReplayable` once per rewind.
  package init(length: Int64?, isReplayable: Bool, start: @escaping @Sendable (ByteChannel) -> Void) {
    contentLength = length.map { max(0, $0) }
    self.isReplayable = isReplayable
    self.start = start
  }

  deinit {
    close()
  }

  package func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {
    let channel = state.withLock { state in
      state.wakeUp = wakeUp
      return state.channel
    }
    channel?.setWakeUp(wakeUp)
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    let (channel, isNew) = state.withLock { state -> (ByteChannel?, Bool) in
      if let channel = state.channel { return (channel, false) }
      guard !state.isClosed else { return (nil, false) }
      let channel = ByteChannel(length: contentLength, wakeUp: state.wakeUp)
      state.channel = channel
      return (channel, true)
    }
    guard let channel else { return .end }
    if isNew { start(channel) }
    return channel.take(into: buffer)
  }

  package func rewind() throws {
    let abandoned = try state.withLock { state throws(StreamBodyError) -> ByteChannel? in
      guard isReplayable || state.channel == nil else { throw .notReplayable }
      defer { state.channel = nil }
      return state.channel
    }
    abandoned?.cancel()
  }

  package func close() {
    let abandoned = state.withLock { state -> ByteChannel? in
      state.isClosed = true
      state.wakeUp = nil
      defer { state.channel = nil }
      return state.channel
    }
    abandoned?.cancel()
  }
}
