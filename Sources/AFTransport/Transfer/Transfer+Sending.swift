import AFSupport
import CCurl
import Foundation

extension Transfer {
  /// libcurl wants body bytes. Never blocks: what is not at hand pauses the transfer.
  func bodyWanted(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch machine.bodyWanted() {
    case .abort: return Int(CURL_READFUNC_ABORT)
    case .pause: return pauseSending()
    case .flow: break
    }
    var room = buffer
    if let limiter = request.options.uploadLimiter {
      switch limiter.take(upTo: buffer.count, now: now) {
      case .bytes(let granted):
        room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(max(1, granted), buffer.count)])
        uploadCredit = granted
      case .wait(let moment):
        _ = machine.holdSending(.rate, true)
        sendAgainAt = moment
        return pauseSending()
      }
    }
    let pull = source.read(into: room)
    if let limiter = request.options.uploadLimiter {
      var used = 0
      if case .bytes(let count) = pull { used = count }
      if uploadCredit > used { limiter.giveBack(uploadCredit - used) }
      uploadCredit = 0
    }
    switch pull {
    case .bytes(let count):
      bytesHandedOver += Int64(count)
      lastActivity = now
      if let length = source.length, bytesHandedOver > length {
        let message = "The body is longer than the \(length) bytes announced"
        return abortSending(TransferFailure(kind: .body, message: message))
      }
      reportSending(isLast: false)
      return count
    case .wait(let moment):
      _ = machine.holdSending(moment == nil ? .peer : .rate, true)
      if let moment { sendAgainAt = moment }
      return pauseSending()
    case .end:
      if let length = source.length, bytesHandedOver < length {
        return abortSending(
          TransferFailure(
            kind: .body, message: "The body ended after \(bytesHandedOver) of the \(length) bytes announced"))
      }
      return 0
    case .failed(let error):
      return abortSending(TransferFailure(kind: .body, message: "The body cannot be read", underlying: error))
    }
  }

  private func pauseSending() -> Int {
    isSendPaused = true
    return Int(CURL_READFUNC_PAUSE)
  }

  private func abortSending(_ failure: TransferFailure) -> Int {
    _ = machine.fail(failure)
    return Int(CURL_READFUNC_ABORT)
  }

  /// libcurl sends the body from its first byte again.
  func rewindBody() -> Bool {
    // From 8.0 libcurl asks also where it has read nothing yet (pitfall 48), and a body that can be read once still can.
    guard bytesHandedOver > 0 else { return true }
    do {
      try source.rewind()
      // What was sent before does not count towards the body that is being sent now (pitfall 30).
      bytesHandedOver = 0
      return true
    } catch {
      _ = machine.fail(
        TransferFailure(
          kind: .bodyNotReplayable, message: "The body has to be sent again and cannot be", underlying: error))
      return false
    }
  }

  /// The body's reader may have more.
  func resumeSending() {
    if machine.holdSending(.peer, false) { applyFlow() }
  }

  /// Tells the handler how far the body is: what has gone to the socket, not what libcurl has taken into its buffer.
  func reportSending(isLast: Bool) {
    guard isLast || now - lastSendReport >= 0.05 else { return reportLater(lastSendReport) }
    lastSendReport = now
    let isWhole = isLast && machine.failure == nil
    let sent = isWhole ? bytesHandedOver : min(bytesHandedOver, easy.off(CURLINFO_SIZE_UPLOAD_T))
    guard sent != reportedSent else { return }
    reportedSent = sent
    handler.transfer(handle, didSend: sent, expected: source.length)
  }
}
