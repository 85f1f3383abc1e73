import AFSupport
import CCurl
import Foundation

extension Transfer {
  func headerLineArrived(_ line: UnsafeRawBufferPointer) -> Int {
    lastActivity = now
    if line.starts(with: "HTTP/".utf8) { isRefusalOfExpect = false }
    switch machine.headerLine(line) {
    case .none: return line.count
    // libcurl goes by the framing of an answer that nobody sees, too.
    case .holdHead: return readFraming(of: ResponseHead(bytes: machine.head)) ? line.count : 0
    case .abort: return 0
    case .deliverHead where refusesExpect(): return line.count
    case .deliverHead: return deliverHead() ? line.count : 0
    }
  }

  /// Shows the handler the head and takes the route from it. False: the hop ends here.
  func deliverHead() -> Bool {
    let head = ResponseHead(bytes: machine.head)
    guard readFraming(of: head) else { return false }
    if !origin.isHTTP1 { turn.answered.append(id) }
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
      take(route, head)
    }
    return machine.failure == nil
  }

  /// The route is known now.
  func decide(_ route: ResponseRoute) {
    if case .cancel(let error) = route {
      _ = machine.fail(
        TransferFailure(kind: .refusedByHandler, message: "The response was refused", underlying: error))
    } else {
      take(route, ResponseHead(bytes: machine.head))
    }
    lastActivity = now
    if machine.holdReceiving(.route, false) { applyFlow() }
  }

  private func take(_ route: ResponseRoute, _ head: ResponseHead) {
    self.route = route
    // What is dropped need not be decoded.
    if case .discard = route {
      if !isResponseComplete { discardsUntil = now + Self.discardedSeconds }
      return
    }
    if request.options.decodesContent, announcedLength != 0, head.value("Content-Encoding") != nil {
      decode(ContentCodingList(head.values("Content-Encoding")))
    }
    guard case .memory = route, let announcedLength else { return }
    if decoder == nil, !request.options.bodyLimits.allowsInMemory(announcedLength) { return failOversized() }
    memory.reserve(announcedLength)
  }

  private func decode(_ list: ContentCodingList) {
    switch list {
    case .asItIs: break
    case .undo(let codings):
      decoder = ContentDecoder(codings, limits: request.options.bodyLimits)
      if decoder == nil {
        fail(.noMemory, "There is no memory for undoing the body's content coding")
      }
    case .tooMany:
      fail(.badContent, "The body has more than \(ContentCodingList.maximum) content codings")
    }
  }

  private func fail(_ kind: TransferFailure.Kind, _ message: String) {
    _ = machine.fail(TransferFailure(kind: kind, message: message))
  }

  private func failOversized() { _ = machine.fail(request.options.bodyLimits.memoryFailure) }

  func bodyArrived(_ bytes: UnsafeRawBufferPointer) -> Int {
    if isRefusalOfExpect { return machine.failure == nil ? bytes.count : 0 }
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
      decodeStep { decoder.decode(bytes, $0) }
    } else if !accept(bytes) {
      _ = machine.holdReceiving(.peer, true)
    }
  }

  /// Decodes as much as there is room for, and as may be done before others have their turn.
  private func decodeStep(_ decode: ((UnsafeRawBufferPointer) -> Bool) -> ContentDecoder.Step) {
    var hasRoom = true
    var left = Self.decodedAtOnce
    let step = decode { decoded in
      hasRoom = accept(decoded)
      left -= decoded.count
      return hasRoom && left > 0
    }
    if step == .failed, let failure = decoder?.failure { _ = machine.fail(failure) }
    if !hasRoom || step == .stopped { _ = machine.holdReceiving(.peer, true) }
    // A small message can grow to gigabytes: the rest comes when the loop has looked after the other transfers.
    if hasRoom, step == .stopped { handle.resumeReceiving() }
  }

  /// So many bytes are decoded before other transfers have their turn.
  private static let decodedAtOnce = 4 << 20

  private func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytesReceived += Int64(bytes.count)
    switch route {
    case .memory:
      let (total, overflows) = Int64(memory.count).addingReportingOverflow(Int64(bytes.count))
      guard !overflows, request.options.bodyLimits.allowsInMemory(total) else {
        failOversized()
        return false
      }
      guard memory.append(bytes) else {
        fail(.noMemory, "There is no memory for the body after \(memory.count) bytes")
        return false
      }
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
      // Suspended: nothing moves before the app lets it.
      isDecodingDue = machine.receiving.contains(.user)
      guard !isDecodingDue else { return }
      decodeStep { decoder.resume($0) }
      reportReceiving(isLast: false)
      guard !decoder.hasPending else { return }
    }
    if machine.holdReceiving(.peer, false) { applyFlow() }
  }

  /// Whether libcurl's end is not the body's: the decoder holds back what the sink has no room for.
  var holdsDecoded: Bool { machine.failure == nil && decoder?.hasPending == true }

  /// All of the body has been taken. Returns what is wrong with its coding, if anything.
  func finishDecoding() -> TransferFailure? { decoder?.finish() }

  func reportReceiving(isLast: Bool) {
    guard bytesReceived != reportedReceived else { return }
    guard isLast || now - lastReceiveReport >= 0.05 else { return reportLater(lastReceiveReport) }
    lastReceiveReport = now
    reportedReceived = bytesReceived
    handler.transfer(handle, didReceive: bytesReceived, expected: decoder == nil ? announcedLength : nil)
  }
}
