import AFSupport
import CCurl
import CLinux

extension Transfer {
  /// What is due, done; returns the moment at which to look again. A failure, if time is up, is in the state machine.
  func tick() -> MonotonicTime {
    if sendAgainAt <= now {
      sendAgainAt = .distantFuture
      lastActivity = now
      if machine.holdSending(.rate, false) { applyFlow() }
    }
    if receiveAgainAt <= now {
      receiveAgainAt = .distantFuture
      lastActivity = now
      if machine.holdReceiving(.rate, false) { applyFlow() }
    }
    if reportAgainAt <= now {
      reportAgainAt = .distantFuture
      if source.isSent { reportSending(isLast: false) }
      reportReceiving(isLast: false)
    }
    if var stall = uploadStall {
      hasStalledAfterAnswer = stall.isStalled(
        sent: easy.off(CURLINFO_SIZE_UPLOAD_T) - unacknowledgedBytes, isUnderWay: hasBytesUnderWay,
        isHeldBack: !machine.sending.isEmpty, now: now)
      uploadStall = stall
    }
    if hasStalledAfterAnswer { return .distantFuture }
    if request.options.deadline <= now {
      _ = machine.fail(TransferFailure(kind: .totalTimeout, message: "The time for the whole transfer is up"))
    } else if discardsUntil <= now {
      abandon()
    } else if idleDeadline <= now {
      _ = machine.fail(
        TransferFailure(kind: .idleTimeout, message: "Not a byte moved for \(request.options.idleTimeout) seconds"))
    }
    return nextDue
  }

  /// Has the reports made up for, 50 ms after `last`.
  func reportLater(_ last: MonotonicTime) {
    if reportAgainAt == .distantFuture { reportAgainAt = last + 0.05 }
  }

  /// The soonest moment at which something of this transfer can be due.
  var nextDue: MonotonicTime {
    var soonest = min(
      min(request.options.deadline, reportAgainAt), min(min(sendAgainAt, receiveAgainAt), discardsUntil))
    if uploadStall != nil { soonest = min(soonest, now + UploadStall.interval) }
    let idle = request.options.idleTimeout
    guard idle > 0, machine.countsIdleTime else { return soonest }
    soonest = min(soonest, lastActivity + idle)
    // libcurl and the kernel buffer megabytes of an upload; only their own counts show that the wire still moves. They are
    // looked at often enough that the idle timeout is at most an eighth late.
    if source.isSent, (source.length ?? 1) > 0 { soonest = min(soonest, now + max(0.05, idle / 8)) }
    return soonest
  }

  private var idleDeadline: MonotonicTime {
    let idle = request.options.idleTimeout
    guard idle > 0, machine.countsIdleTime else { return .distantFuture }
    let count = easy.off(CURLINFO_SIZE_UPLOAD_T) + easy.off(CURLINFO_SIZE_DOWNLOAD_T) - unacknowledgedBytes
    if count != lastWireCount {
      lastWireCount = count
      lastActivity = now
    }
    return lastActivity + idle
  }

  /// Bytes that the kernel holds and the peer has not acknowledged.
  private var unacknowledgedBytes: Int64 {
    guard source.isSent, let socket else { return 0 }
    return Int64(af_unacknowledged_bytes(socket))
  }

  private var hasBytesUnderWay: Bool { socket.map { af_bytes_under_way($0) > 0 } ?? false }

  /// The response is complete, perhaps before the request's body has been sent. Whether that is all; if not, whether the server
  /// reads on is looked at from now on.
  ///
  /// RFC 9110 §7.5: what fails, or leads elsewhere, needs no more of the body.
  var isOverOnceAnswered: Bool {
    guard source.isSent, status < 300, !request.options.endsBodyWithAnswer else { return true }
    if uploadStall == nil { uploadStall = UploadStall(now: now) }
    return false
  }
}
