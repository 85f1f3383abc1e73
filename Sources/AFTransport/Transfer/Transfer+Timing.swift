import AFSupport
import CCurl

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
    if request.options.deadline <= now {
      _ = machine.fail(TransferFailure(kind: .totalTimeout, message: "The time for the whole transfer is up"))
    } else if idleDeadline <= now {
      _ = machine.fail(
        TransferFailure(kind: .idleTimeout, message: "Not a byte moved for \(request.options.idleTimeout) seconds"))
    }
    return nextDue
  }

  /// The soonest moment at which something of this transfer can be due.
  var nextDue: MonotonicTime {
    var soonest = min(request.options.deadline, min(sendAgainAt, receiveAgainAt))
    let idle = request.options.idleTimeout
    guard idle > 0, machine.countsIdleTime else { return soonest }
    soonest = min(soonest, lastActivity + idle)
    // libcurl buffers up to 1 MiB of an upload: only its own count shows that the wire still moves. It is looked at often
    // enough that the idle timeout is at most an eighth late.
    if source.isSent, (source.length ?? 1) > 0 { soonest = min(soonest, now + max(0.05, idle / 8)) }
    return soonest
  }

  private var idleDeadline: MonotonicTime {
    let idle = request.options.idleTimeout
    guard idle > 0, machine.countsIdleTime else { return .distantFuture }
    let count = easy.off(CURLINFO_SIZE_UPLOAD_T) + easy.off(CURLINFO_SIZE_DOWNLOAD_T)
    if count != lastWireCount {
      lastWireCount = count
      lastActivity = now
    }
    return lastActivity + idle
  }
}
