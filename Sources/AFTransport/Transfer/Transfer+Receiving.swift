import AFSupport
import CCurl
import Foundation

extension Transfer {
  func headerLineArrived(_ line: UnsafeRawBufferPointer) -> Int {
    lastActivity = now
    switch machine.headerLine(line) {
    case .none: return line.count
    // libcurl goes by the framing of an answer that nobody sees, too.
    case .holdHead: return readFraming(of: ResponseHead(bytes: machine.head)) ? line.count : 0
    case .abort: return 0
    case .deliverHead: return deliverHead() ? line.count : 0
    }
  }

  /// Shows the handler the head and takes the route from it. False: the hop ends here.
  func deliverHead() -> Bool {
    let head = ResponseHead(bytes: machine.head)
    guard readFraming(of: head) else { return false }
    if request.options.decodesContent, request.method != "HEAD",
      let coding = ContentDecoder.coding(head.value("Content-Encoding"))
    {
      decoder = ContentDecoder(coding)
    }
    isResponseComplete = announcedLength == 0
    let route = handler.transfer(handle, didReceive: head)
    if case .cancel(let error) = route {
      machine.headDelivered(isRouted: true)
      _ = machine.fail(
        TransferFailure(kind: .refusedByHandler, message: "The response was refused", underlying: error))
      return false
    }
    if case .undecided = route {
      machine.headDelivered(isRouted: false)
    } else {
      machine.headDelivered(isRouted: true)
      take(route)
    }
    return true
  }

  /// The route is known now.
  func decide(_ route: ResponseRoute) {
    if case .cancel(let error) = route {
      _ = machine.fail(
        TransferFailure(kind: .refusedByHandler, message: "The response was refused", underlying: error))
    } else {
      take(route)
    }
    lastActivity = now
    if machine.holdReceiving(.route, false) { applyFlow() }
  }

  private func take(_ route: ResponseRoute) {
    self.route = route
    if case .memory = route, let announcedLength { memory.reserve(announcedLength) }
    if case .discard = route, !isResponseComplete { discardsUntil = now + Self.discardedSeconds }
  }

  func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int {
    if machine.hasUndeliveredHead, !deliverHead() { return 0 }
    switch machine.bodyArrived() {
    case .abort: return 0
    case .pause: return pauseReceiving()
    case .flow: break
    }
    if let limiter = request.options.downloadLimiter, downloadCredit < bytes.count {
      // libcurl gives a chunk whole or not at all, so credit is saved up until it covers the chunk.
      switch limiter.take(upTo: bytes.count - downloadCredit, now: now) {
      case .bytes(let granted): downloadCredit += granted
      case .wait(let moment): return waitForRate(until: moment)
      }
      guard downloadCredit >= bytes.count else {
        switch limiter.take(upTo: bytes.count - downloadCredit, now: now) {
        case .bytes(let granted):
          downloadCredit += granted
          return downloadCredit >= bytes.count ? deliver(bytes) : waitForRate(until: now + 0.001)
        case .wait(let moment): return waitForRate(until: moment)
        }
      }
    }
    return deliver(bytes)
  }

  private func deliver(_ bytes: UnsafeRawBufferPointer) -> Int {
    downloadCredit = max(0, downloadCredit - bytes.count)
    lastActivity = now
    wireBytesReceived += Int64(bytes.count)
    if chunks == nil {
      if wireBytesReceived == announcedLength { isResponseComplete = true }
      decode(bytes)
    } else {
      dechunk(bytes)
    }
    reportReceiving(isLast: false)
    return machine.failure == nil ? bytes.count : 0
  }

  func decode(_ bytes: UnsafeRawBufferPointer) {
    if let decoder {
      var hasRoom = true
      let step = decoder.decode(bytes) { decoded in
        hasRoom = accept(decoded)
        return hasRoom
      }
      if step == .damaged { return failDecoding() }
      if !hasRoom { _ = machine.holdReceiving(.peer, true) }
    } else if !accept(bytes) {
      _ = machine.holdReceiving(.peer, true)
    }
  }

  private func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytesReceived += Int64(bytes.count)
    switch route {
    case .memory:
      memory.append(bytes)
      return true
    case .sink(let sink):
      return sink.receive(bytes)
    case .discard:
      if bytesReceived > Self.discardedBytes { abandon() }
      return true
    case .undecided, .cancel, nil:
      return true
    }
  }

  /// A body that nobody wants is read so that the connection can be used again. What is longer, or slower, costs more than
  /// another connection does, and may never end.
  private static let discardedBytes: Int64 = 64 << 10
  private static let discardedSeconds = 2.0

  /// The rest of the body is not read, and the connection goes.
  func abandon() {
    _ = machine.fail(TransferFailure(kind: .abandoned, message: "The rest of the body is of no interest"))
  }

  private func failDecoding() {
    _ = machine.fail(
      TransferFailure(kind: .badContent, message: "The body's content coding is damaged after \(bytesReceived) bytes"))
  }

  private func pauseReceiving() -> Int {
    isReceivePaused = true
    return Int(CURL_WRITEFUNC_PAUSE)
  }

  private func waitForRate(until moment: MonotonicTime) -> Int {
    _ = machine.holdReceiving(.rate, true)
    receiveAgainAt = moment
    return pauseReceiving()
  }

  /// The sink has room again: first for what the decoder still holds.
  func resumeReceiving() {
    lastActivity = now
    if let decoder, decoder.hasPending {
      var hasRoom = true
      let step = decoder.resume { decoded in
        hasRoom = accept(decoded)
        return hasRoom
      }
      if step == .damaged { failDecoding() }
      guard hasRoom, !decoder.hasPending else { return }
    }
    if machine.holdReceiving(.peer, false) { applyFlow() }
  }

  /// libcurl has no more: what the decoder holds goes out whole, and must be complete. Returns why not, if not.
  func finishDecoding() -> TransferFailure? {
    guard let decoder else { return nil }
    let step = decoder.resume { decoded in
      _ = accept(decoded)
      return true
    }
    if step == .damaged { return TransferFailure(kind: .badContent, message: "The body's content coding is damaged") }
    guard decoder.isComplete else {
      return TransferFailure(kind: .badContent, message: "The body's content coding ends early")
    }
    return nil
  }

  func reportReceiving(isLast: Bool) {
    guard bytesReceived != reportedReceived else { return }
    guard isLast || now - lastReceiveReport >= 0.05 else { return reportLater(lastReceiveReport) }
    lastReceiveReport = now
    reportedReceived = bytesReceived
    handler.transfer(handle, didReceive: bytesReceived, expected: decoder == nil ? announcedLength : nil)
  }
}
