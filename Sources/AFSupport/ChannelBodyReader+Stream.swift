import Dispatch
package import Foundation

extension ChannelBodyReader {
  /// Reads `stream`, once, on a queue of its own: a foreign stream may block in `read`. The caller must not touch it any
  /// more. It is read at most 256 KiB ahead, 64 KiB at a time, and with a declared length by exactly so many bytes.
  package convenience init(stream: InputStream, length: Int64?) {
    let pump = StreamPump(stream: stream)
    self.init(length: length, isReplayable: false) { pump.start(filling: $0) }
  }

  /// Reads the stream that `provider` opens, and after a rewind another one. The closure is called on a queue, may block,
  /// and must give the same bytes each time.
  package convenience init(length: Int64?, provider: @escaping @Sendable () -> InputStream?) {
    self.init(length: length, isReplayable: true) { channel in
      DispatchQueue(label: "AFNetworking.StreamProvider").async {
        guard let stream = provider() else { return channel.finish(StreamBodyError.missing) }
        StreamPump(stream: stream).start(filling: channel)
      }
    }
  }
}

/// Moves what a stream gives into a channel, on a queue of its own: the one place where a foreign `read` may block.
private final class StreamPump: @unchecked Sendable {
  // Unchecked because InputStream is not Sendable: it was handed over, and after that only the queue touches it.
  private let stream: InputStream
  private let queue = DispatchQueue(label: "AFNetworking.StreamPump")

  private static let readSize = 64 << 10

  init(stream: InputStream) {
    self.stream = stream
  }

  func start(filling channel: ByteChannel) {
    queue.async {
      switch self.stream.streamStatus {
      case .notOpen: self.stream.open()
      case .closed: return channel.finish(StreamBodyError.closed)
      default: break
      }
      self.fill(channel)
    }
  }

  private func fill(_ channel: ByteChannel) {
    let scratch = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.readSize)
    defer { scratch.deallocate() }
    while let room = channel.room(upTo: Self.readSize, orCall: { self.queue.async { self.fill(channel) } }) {
      guard room > 0 else { return }
      let count = stream.read(scratch, maxLength: room)
      if count > 0 {
        channel.offer(UnsafeRawBufferPointer(start: scratch, count: min(count, room)))
      } else if count == 0 {
        channel.finish()
      } else {
        // `streamError` of a corelibs stream traps when there is none.
        channel.finish(StreamBodyError.failed(stream.streamStatus == .error ? stream.streamError : nil))
      }
    }
    stream.close()
  }
}
