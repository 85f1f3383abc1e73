import AFSupport
import Foundation

/// Goes through a multipart body without blocking: bytes / wait until / end / failure.
///
/// The lock is held while the reader of a part is asked for bytes. That is safe because the order is always body, then
/// part: a part's reader never calls its wake-up closure from within `read`, and the closure is the caller's, not ours.
final class MultipartBodyReader: BodyReader {
  let contentLength: Int64?
  let isReplayable: Bool
  private let body: MultipartBody
  private let isThrottled: Bool
  private let state: Locked<State>

  private enum Phase {
    /// In the head of the part, at `offset`.
    case head
    /// In the content of the part, at `offset`.
    case content
    /// In the closing delimiter, at `offset`.
    case closing
    case done
  }

  private struct State {
    var phase: Phase
    var index = 0
    var offset: Int64 = 0
    /// The reader of the present part, from its first byte to its last.
    var reader: (any BodyReader)?
    /// The readers of the parts that can be had only once, by index: claimed before the first byte is given.
    var claimed: [Int: any BodyReader] = [:]
    var hasStarted = false
    var failure: AFMultipartError?
    var pacer: PacketPacer
    /// Our turn at the bandwidth limit, from the first read to the end.
    var share: (any RateLimiter)?
    var wakeUp: (@Sendable () -> Void)?
  }

  init(_ body: MultipartBody) {
    self.body = body
    contentLength = body.contentLength
    isReplayable = body.isReplayable
    isThrottled = body.throttle.isActive
    state = Locked(State(phase: body.parts.isEmpty ? .closing : .head, pacer: PacketPacer(body.throttle.packets)))
  }

  /// Whether the last byte has been given.
  var isAtEnd: Bool {
    state.withLock { $0.phase == .done }
  }

  func setWakeUp(_ wakeUp: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.wakeUp = wakeUp
      state.reader?.setWakeUp(wakeUp)
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyPull {
    state.withLock { state in
      if state.phase == .done { return .end }
      if let failure = state.failure { return .failed(failure) }
      if !state.hasStarted { start(&state) }
      var limit = buffer.count
      if isThrottled {
        switch allowance(upTo: limit, &state) {
        case .wait(let moment): return .wait(until: moment)
        case .bytes(let count): limit = count
        }
      }
      var filled = 0
      let stop = fill(UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit]), &filled, &state)
      if isThrottled { spend(filled, of: limit, &state) }
      // What stopped it is told when nothing has to be told before.
      return filled > 0 ? .bytes(filled) : stop
    }
  }

  func rewind() throws {
    try state.withLock { state throws(AFMultipartError) in
      guard isReplayable || !state.hasStarted else {
        let index = body.parts.firstIndex { !$0.content.isReplayable }
        throw error(StreamBodyError.notReplayable, index: index ?? 0)
      }
      state.reader?.close()
      state = State(
        phase: body.parts.isEmpty ? .closing : .head,
        pacer: state.pacer,
        share: state.share,
        wakeUp: state.wakeUp
      )
    }
  }

  func close() {
    state.withLock { state in
      state.reader?.close()
      state.reader = nil
      for reader in state.claimed.values { reader.close() }
      state.claimed = [:]
      state.share = nil
      state.wakeUp = nil
      state.phase = .done
    }
  }
}

extension MultipartBodyReader {
  /// Claims what can be had only once, so that a body that cannot be completed fails before its first byte.
  private func start(_ state: inout State) {
    state.hasStarted = true
    for (index, part) in body.parts.enumerated() {
      if let name = part.invalidName {
        let failure = AFMultipartError(
          .invalidHeaderName, reason: "\(String(name.prefix(200)).debugDescription) is not the name of a header field")
        state.failure = error(failure, index: index)
        return
      }
      switch part.content.storage {
      case .data, .reader: continue
      case .unusable(let reason): state.failure = error(reason, index: index)
      case .oneShot(let reader):
        do { state.claimed[index] = try reader.claim() } catch { state.failure = self.error(error, index: index) }
      }
      if state.failure != nil { return }
    }
  }

  private func allowance(upTo count: Int, _ state: inout State) -> RateGrant {
    let now = MonotonicTime.now
    let grant = state.pacer.allowance(upTo: count, now: now)
    guard case .bytes(let count) = grant, let limit = body.throttle.limit else { return grant }
    let share = state.share ?? limit.makeShare()
    state.share = share
    return share.take(upTo: count, now: now)
  }

  private func spend(_ count: Int, of granted: Int, _ state: inout State) {
    if count > 0 { state.pacer.spend(count, now: .now) }
    if count < granted { state.share?.giveBack(granted - count) }
    // Whoever has all its bytes must not keep its place in the queue.
    if state.phase == .done { state.share = nil }
  }

  /// Fills as much of `buffer` as there is at hand; the result says why no more, and counts if that is nothing at all.
  private func fill(_ buffer: UnsafeMutableRawBufferPointer, _ filled: inout Int, _ state: inout State) -> BodyPull {
    while filled < buffer.count {
      if let failure = state.failure { return .failed(failure) }
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      switch state.phase {
      case .head:
        let head = body.parts[state.index].head
        filled += copy(head, into: rest, &state)
        if state.offset == Int64(head.count) { move(&state, to: .content) }
      case .content:
        if let stop = readContent(into: rest, &filled, &state) { return stop }
      case .closing:
        filled += copy(body.closing, into: rest, &state)
        if state.offset == Int64(body.closing.count) { move(&state, to: .done) }
      case .done:
        return .end
      }
    }
    return .bytes(filled)
  }

  private func copy(_ bytes: [UInt8], into buffer: UnsafeMutableRawBufferPointer, _ state: inout State) -> Int {
    bytes.withUnsafeBytes { copy($0, into: buffer, &state) }
  }

  private func copy(
    _ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer, _ state: inout State
  ) -> Int {
    let start = Int(state.offset)
    let count = min(buffer.count, bytes.count - start)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    state.offset += Int64(count)
    return count
  }

  private func move(_ state: inout State, to phase: Phase) {
    state.phase = phase
    state.offset = 0
  }

  private func finishPart(_ state: inout State) {
    state.reader?.close()
    state.reader = nil
    state.index += 1
    move(&state, to: state.index < body.parts.count ? .head : .closing)
  }

  /// Reads from the present part; the result is not nil if nothing more can be had now.
  private func readContent(
    into buffer: UnsafeMutableRawBufferPointer, _ filled: inout Int, _ state: inout State
  ) -> BodyPull? {
    let content = body.parts[state.index].content
    if case .data(let data) = content.storage {
      filled += data.withUnsafeBytes { copy($0, into: buffer, &state) }
      if state.offset == Int64(data.count) { finishPart(&state) }
      return nil
    }
    if state.offset == content.length {
      finishPart(&state)
      return nil
    }
    let reader: any BodyReader
    do { reader = try openReader(content, &state) } catch { return fail(error, &state) }
    // Never more than was declared, whatever the source still has.
    let limit = content.length.map { Int(min($0 - state.offset, Int64(buffer.count))) } ?? buffer.count
    switch reader.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<limit])) {
    case .bytes(let count):
      filled += count
      state.offset += Int64(count)
      return nil
    case .wait(let moment):
      return .wait(until: moment)
    case .failed(let error):
      return fail(error, &state)
    case .end:
      if let length = content.length {
        return fail(StreamBodyError.endedEarly(expected: length, actual: state.offset), &state)
      }
      finishPart(&state)
      return nil
    }
  }

  private func openReader(_ content: AFMultipartContent, _ state: inout State) throws -> any BodyReader {
    if let reader = state.reader { return reader }
    let reader: any BodyReader
    switch content.storage {
    case .reader(let make): reader = try make()
    case .oneShot, .data, .unusable:
      guard let claimed = state.claimed.removeValue(forKey: state.index) else { throw StreamBodyError.notReplayable }
      reader = claimed
    }
    if let wakeUp = state.wakeUp { reader.setWakeUp(wakeUp) }
    state.reader = reader
    return reader
  }

  private func fail(_ cause: any Error, _ state: inout State) -> BodyPull {
    let failure = error(cause, index: state.index)
    state.failure = failure
    state.reader?.close()
    state.reader = nil
    return .failed(failure)
  }

  private func error(_ cause: any Error, index: Int) -> AFMultipartError {
    let name = body.parts.indices.contains(index) ? body.parts[index].name : nil
    return AFMultipartError(wrapping: cause, partName: name, partIndex: index)
  }
}
