import Dispatch
package import Foundation

/// Why an `InputStream` cannot be the body, or the part of a body, that it was meant to be.
package enum StreamBodyError: Error, CustomStringConvertible {
  /// There is no stream: none was given, or the closure that opens one gave none.
  case missing
  /// The stream was closed before the body was read.
  case closed
  /// The stream reported an error, or failed without saying why.
  case failed((any Error)?)
  /// The stream ended after `actual` of the `expected` bytes that were declared.
  case endedEarly(expected: Int64, actual: Int64)
  /// The stream can be read only once, and its reading has begun.
  case notReplayable

  package var description: String {
    switch self {
    case .missing: "there is no stream to read"
    case .closed: "the stream was closed before it was read"
    case .failed(let error?): "the stream failed: \(error)"
    case .failed(nil): "the stream failed and gave no reason"
    case .endedEarly(let expected, let actual): "the stream ended after \(actual) of the \(expected) bytes declared"
    case .notReplayable: "the stream can be read only once, and its reading has begun"
    }
  }
}

/// An `InputStream` as a body that never blocks the thread that pulls it.
///
/// A foreign stream may block in `read`, so a queue of its own reads ahead, at most 256 KiB and 64 KiB at a time. With a
/// declared length exactly that many bytes are asked of the stream; one that ends before is a failure.
package final class StreamBodyReader: BodyReader {
  package let contentLength: Int64?
  package let isReplayable: Bool

  private let makeStream: @Sendable () -> InputStream?
  private let state: Locked<State>

  private struct State {
    var ring: ByteRing
    var source: Source?
    /// How many bytes the stream has given.
    var received: Int64 = 0
    var outcome: Outcome?
    var isPumping = false
    var isWaiting = false
    var hasStarted = false
    var isClosed = false
    var wakeUp: (@Sendable () -> Void)?
  }

  private enum Outcome {
    case end
    case failed(any Error)
  }

  private static let capacity = 256 << 10
  private static let readSize = 64 << 10

  /// Reads `stream`, once. The caller must not touch the stream any more.
  package convenience init(stream: InputStream, length: Int64?) {
    let handedOver = StreamBox(stream: stream)
    self.init(length: length, isReplayable: false) { handedOver.stream }
  }

  /// Reads the stream that `provider` opens, and after a ``rewind()`` another one. The closure is called on a queue, may
  /// block, and must give the same bytes each time.
  package convenience init(length: Int64?, provider: @escaping @Sendable () -> InputStream?) {
    self.init(length: length, isReplayable: true, makeStream: provider)
  }

  private init(length: Int64?, isReplayable: Bool, makeStream: @escaping @Sendable () -> InputStream?) {
    contentLength = length
    self.isReplayable = isReplayable
    self.makeStream = makeStream
    state = Locked(State(ring: ByteRing(capacity: Int(min(Int64(Self.capacity), max(1, length ?? .max))))))
  }

  package func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {
    state.withLock { $0.wakeUp = wakeUp }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    let (pull, toPump) = state.withLock { state -> (BodyPull, Source?) in
      state.hasStarted = true
      let count = state.ring.take(into: buffer)
      if count > 0 {
        // Not before half is free, so that the stream is asked for a few large pieces and not for many crumbs.
        let isWorthIt = state.ring.free >= state.ring.capacity / 2
        return (.bytes(count), isWorthIt ? beginPumping(&state) : nil)
      }
      switch state.outcome {
      case .end: return (.end, nil)
      case .failed(let error): return (.failed(error), nil)
      case nil:
        if contentLength == 0 {
          state.outcome = .end
          return (.end, nil)
        }
        state.isWaiting = true
        return (.wait(until: nil), beginPumping(&state))
      }
    }
    if let toPump { toPump.queue.async { self.pump(toPump) } }
    return pull
  }

  package func rewind() throws {
    let abandoned = try state.withLock { state throws(StreamBodyError) -> Source? in
      guard isReplayable || !state.hasStarted else { throw .notReplayable }
      let idle = state.isPumping ? nil : state.source
      state.ring.removeAll()
      state.source = nil
      state.received = 0
      state.outcome = nil
      state.isPumping = false
      state.isWaiting = false
      state.hasStarted = false
      return idle
    }
    if let abandoned { abandoned.queue.async { abandoned.closeStream() } }
  }

  package func close() {
    let abandoned = state.withLock { state -> Source? in
      state.isClosed = true
      state.wakeUp = nil
      return state.isPumping ? nil : state.source
    }
    if let abandoned { abandoned.queue.async { abandoned.closeStream() } }
  }

  /// The source to pump from, if it should be pumped and is not already.
  private func beginPumping(_ state: inout State) -> Source? {
    guard !state.isPumping, state.outcome == nil, !state.isClosed else { return nil }
    let source = state.source ?? Source()
    state.source = source
    state.isPumping = true
    return source
  }

  /// Runs on the source's queue: the one place where this class may block.
  private func pump(_ source: Source) {
    guard let stream = source.openStream(makeStream) else {
      return finish(source, with: .failed(StreamBodyError.missing))
    }
    guard stream.streamStatus != .closed else { return finish(source, with: .failed(StreamBodyError.closed)) }
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
    defer { scratch.deallocate() }
    let bytes = scratch.assumingMemoryBound(to: UInt8.self)
    while let room = roomToFill(source), let start = bytes.baseAddress {
      let count = stream.read(start, maxLength: room)
      if count < 0 {
        // `streamError` of a corelibs stream traps when there is none.
        let reason = stream.streamStatus == .error ? stream.streamError : nil
        return finish(source, with: .failed(StreamBodyError.failed(reason)))
      }
      if count == 0 {
        let received = state.withLock { $0.received }
        guard let contentLength, received < contentLength else { return finish(source, with: .end) }
        return finish(source, with: .failed(StreamBodyError.endedEarly(expected: contentLength, actual: received)))
      }
      deliver(UnsafeRawBufferPointer(rebasing: scratch[0..<min(count, room)]), from: source)
    }
  }

  /// How much to read next; nil when the ring is full or the source is no longer wanted, which ends the pumping.
  private func roomToFill(_ source: Source) -> Int? {
    let (room, isAbandoned) = state.withLock { state -> (Int?, Bool) in
      guard state.source === source, !state.isClosed else { return (nil, true) }
      let remaining = contentLength.map { $0 - state.received } ?? .max
      let room = Int(min(Int64(min(Self.readSize, state.ring.free)), remaining))
      if room > 0 { return (room, false) }
      state.isPumping = false
      if remaining == 0 { state.outcome = .end }
      return (nil, remaining == 0)
    }
    if isAbandoned { source.closeStream() }
    return room
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer, from source: Source) {
    let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.source === source else { return nil }
      state.received += Int64(state.ring.append(bytes))
      // The end is known with the last byte of a declared length: say so now, not after one more wake-up.
      if state.received == contentLength { state.outcome = .end }
      defer { state.isWaiting = false }
      return state.isWaiting ? state.wakeUp : nil
    }
    wakeUp?()
  }

  private func finish(_ source: Source, with outcome: Outcome) {
    source.closeStream()
    let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
      guard state.source === source else { return nil }
      state.isPumping = false
      state.isWaiting = false
      state.outcome = outcome
      return state.wakeUp
    }
    wakeUp?()
  }
}

/// One opening of the stream, with the queue that is the only one to touch it.
private final class Source: Sendable {
  let queue = DispatchQueue(label: "AFNetworking.StreamBodyReader")
  private let opened = Locked<StreamBox?>(nil)

  func openStream(_ make: () -> InputStream?) -> InputStream? {
    if let box = opened.withLock({ $0 }) { return box.stream }
    guard let stream = make() else { return nil }
    let box = StreamBox(stream: stream)
    opened.withLock { $0 = box }
    if stream.streamStatus == .notOpen { stream.open() }
    return stream
  }

  func closeStream() {
    let box = opened.withLock { box in
      defer { box = nil }
      return box
    }
    box?.stream.close()
  }
}

/// Carries a stream to the queue that reads it.
private final class StreamBox: @unchecked Sendable {
  // Unchecked because InputStream is not Sendable: whoever made the box has handed the stream over to one queue.
  let stream: InputStream

  init(stream: InputStream) {
    self.stream = stream
  }
}
