import AFSupport

/// Origins whose HTTP/2 connection may be dead: a transfer ended after a long silence while others still wait on the same
/// connection. Until one of those hears something, new transfers keep off it; the ones that wait go on waiting, as they were
/// told to.
struct SilenceRegister {
  private struct Silence {
    let since: MonotonicTime
    /// The transfers that were left on the connection.
    let witnesses: [TransferID]
  }

  private var silences: [AdmissionQueue.Origin: Silence] = [:]

  /// `transfer` is about to be taken from libcurl, having heard nothing for long.
  mutating func note(_ transfer: Transfer, _ running: [TransferID: Transfer]) {
    guard !isSuspect(transfer.origin, running) else { return }
    let others = running.values.filter { $0.origin == transfer.origin && $0.id != transfer.id }
    guard !others.isEmpty, !others.contains(where: { $0.hasHeard(since: transfer.lastActivity) }) else { return }
    silences[transfer.origin] = Silence(since: transfer.lastActivity, witnesses: others.map(\.id))
  }

  /// Whether a new transfer to `origin` must have a connection of its own.
  mutating func isSuspect(_ origin: AdmissionQueue.Origin, _ running: [TransferID: Transfer]) -> Bool {
    guard !silences.isEmpty, let silence = silences[origin] else { return false }
    let left = silence.witnesses.compactMap { running[$0] }
    if !left.isEmpty, !left.contains(where: { $0.hasHeard(since: silence.since) }) { return true }
    silences[origin] = nil
    return false
  }

  /// A transfer has its response. If it was on a connection that is suspect, that one lives.
  mutating func wentWell(_ transfer: Transfer) {
    guard !silences.isEmpty, silences[transfer.origin]?.witnesses.contains(transfer.id) == true else { return }
    silences[transfer.origin] = nil
  }
}

extension Transfer {
  /// Silence of so many seconds speaks against a connection, whatever ends the transfer.
  private static let longSilence = 5.0

  /// Whether the peer owes us something and has said nothing for so long that its connection may be dead.
  var hasBeenSilent: Bool {
    guard machine.countsIdleTime, !isResponseComplete else { return false }
    return switch machine.failure?.kind {
    case .idleTimeout, .totalTimeout: true
    default: now - lastActivity >= Self.longSilence
    }
  }

  fileprivate func hasHeard(since moment: MonotonicTime) -> Bool {
    machine.responseStarted && lastActivity > moment
  }
}
