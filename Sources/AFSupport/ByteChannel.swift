import Dispatch

/// A bounded pipe from one producer, which may block or suspend, to a reader, which must not.
///
/// With a declared length the producer is stopped after exactly so many bytes, and an end before is a failure.
package final class ByteChannel: Sendable {
  private let length: Int64?
  private let state: Locked<State>

  private struct State {
    var ring: ByteRing
    /// How many bytes have been offered.
    var received: Int64 = 0
    var outcome: Outcome?
    var isReaderWaiting = false
    var isFlushScheduled = false
    var isCancelled = false
    /// The producer has called ``finish(_:)``.
    var isFinished = false
    var whenRoom: (@Sendable () -> Void)?
    var whenCancelled: (@Sendable () -> Void)?
    var wakeUp: (@Sendable () -> Void)?
  }

  private static let worthwhile = 16 << 10
  private static let patience = DispatchTimeInterval.milliseconds(2)

  private enum Outcome {
    case end
    case failed(any Error)
  }

  package init(length: Int64?, capacity: Int = 256 << 10, wakeUp: (@Sendable () -> Void)? = nil) {
    self.length = length
    let needed = Int(clamping: length ?? .max)
    state = Locked(State(ring: ByteRing(capacity: min(capacity, needed)), wakeUp: wakeUp))
    if length == 0 { state.withLock { $0.outcome = .end } }
  }

  // MARK: The reader's side

  package func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {
    state.withLock { $0.wakeUp = wakeUp }
  }

  /// The next bytes, as a body reader gives them.
  package func take(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    let (pull, whenRoom) = state.withLock { state -> (BodyPull, (@Sendable () -> Void)?) in
      let count = state.ring.take(into: buffer)
      if count > 0 {
        // Not before half is free, so that the producer is asked for a few large pieces and not for many crumbs.
        guard state.ring.free >= state.ring.capacity / 2 else { return (.bytes(count), nil) }
        defer { state.whenRoom = nil }
        return (.bytes(count), state.whenRoom)
      }
      switch state.outcome {
      case .end: return (.end, nil)
      case .failed(let error): return (.failed(error), nil)
      case nil:
        state.isReaderWaiting = true
        return (.wait(until: nil), nil)
      }
    }
    whenRoom?()
    return pull
  }

  /// The reader wants no more; the producer learns it from ``room(upTo:orCall:)``.
  package func cancel() {
    let (whenCancelled, whenRoom) = state.withLock { state in
      state.isCancelled = true
      state.wakeUp = nil
      defer { (state.whenCancelled, state.whenRoom) = (nil, nil) }
      return (state.whenCancelled, state.whenRoom)
    }
    whenCancelled?()
    whenRoom?()
  }

  // MARK: The producer's side

  /// Sets a closure to call, once, if the reader goes away; at once if it has already.
  package func whenCancelled(_ whenCancelled: @escaping @Sendable () -> Void) {
    let isCancelled = state.withLock { state in
      // A producer that has finished needs no cancelling, and a closure kept would keep what it holds.
      if !state.isCancelled, !state.isFinished { state.whenCancelled = whenCancelled }
      return state.isCancelled
    }
    if isCancelled { whenCancelled() }
  }

  /// How many bytes, at most `count`, can be offered now. 0: none, and the closure will be called once, from any thread,
  /// when that has changed. nil: no more are wanted.
  package func room(upTo count: Int, orCall whenRoom: (@Sendable () -> Void)? = nil) -> Int? {
    state.withLock { state in
      guard !state.isCancelled, state.outcome == nil else { return nil }
      let wanted = min(Int64(min(count, state.ring.free)), length.map { $0 - state.received } ?? .max)
      if wanted == 0 { state.whenRoom = whenRoom }
      return Int(wanted)
    }
  }

  /// Adds bytes for which there is ``room(upTo:orCall:)``.
  package func offer(_ bytes: UnsafeRawBufferPointer) {
    wake { add(bytes, &$0) }
  }

  /// Adds bytes, of which there may be few and often, if there is room for all of them. The reader is woken up when enough
  /// have come together, or a little later: a wake-up, and a packet on the wire, for each byte would cost more than the
  /// bytes.
  package func offerSparingly(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let (wakeUp, isAccepted, isDue) = state.withLock { state -> ((@Sendable () -> Void)?, Bool, Bool) in
      guard !state.isCancelled, state.outcome == nil, state.ring.free >= bytes.count else { return (nil, false, false) }
      add(bytes, &state)
      guard state.isReaderWaiting else { return (nil, true, false) }
      if state.outcome != nil || state.ring.count >= min(Self.worthwhile, state.ring.capacity / 2) {
        state.isReaderWaiting = false
        return (state.wakeUp, true, false)
      }
      defer { state.isFlushScheduled = true }
      return (nil, true, !state.isFlushScheduled)
    }
    wakeUp?()
    if isDue { DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { self.flush() } }
    return isAccepted
  }

  private func flush() {
    let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
      state.isFlushScheduled = false
      guard state.isReaderWaiting, !state.ring.isEmpty else { return nil }
      state.isReaderWaiting = false
      return state.wakeUp
    }
    wakeUp?()
  }

  private func add(_ bytes: UnsafeRawBufferPointer, _ state: inout State) {
    state.received += Int64(state.ring.append(bytes))
    // The end is known with the last byte of a declared length: say so now, not after one more wake-up.
    if state.received == length { state.outcome = .end }
  }

  /// Ends the body: an error, or nil for its regular end.
  package func finish(_ error: (any Error)? = nil) {
    wake { state in
      state.isFinished = true
      state.whenCancelled = nil
      guard state.outcome == nil else { return }
      if let error {
        state.outcome = .failed(error)
      } else if let length, state.received < length {
        state.outcome = .failed(StreamBodyError.endedEarly(expected: length, actual: state.received))
      } else {
        state.outcome = .end
      }
    }
  }

  private func wake(_ change: (inout State) -> Void) {
    let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
      change(&state)
      defer { state.isReaderWaiting = false }
      return state.isReaderWaiting ? state.wakeUp : nil
    }
    wakeUp?()
  }
}
