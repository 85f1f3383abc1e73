import AFSupport

/// Origins whose HTTP/2 connection may be dead: a transfer ended after a long silence while others still wait on the same
/// connection. New transfers keep off it, and share another; the ones that wait go on waiting, as they were told to.
///
/// libcurl cannot be told which connection to take, but it keeps those apart whose TLS options differ. So each connection that
/// is given up makes the next ``label`` the one of new transfers.
struct SilenceRegister {
  /// Where nothing was ever given up, and at most so many origins elsewhere.
  private static let limit = 1024

  private var labels: [AdmissionQueue.Origin: ConnectionLabel] = [:]

  /// What new transfers to `origin` are marked with.
  func label(for origin: AdmissionQueue.Origin) -> ConnectionLabel {
    labels.isEmpty ? ConnectionLabel() : labels[origin] ?? ConnectionLabel()
  }

  /// `transfer` is about to be taken from libcurl, having heard nothing for long.
  mutating func note(_ transfer: Transfer, _ running: [TransferID: Transfer]) {
    // New ones keep off an older connection already.
    guard transfer.label == label(for: transfer.origin) else { return }
    let others = running.values.filter {
      $0.origin == transfer.origin && $0.label == transfer.label && $0.id != transfer.id
    }
    guard !others.isEmpty, !others.contains(where: { $0.hasHeard(since: transfer.lastActivity) }) else { return }
    if labels.count >= Self.limit { labels = [:] }
    labels[transfer.origin] = transfer.label.next
  }
}

/// Keeps connections to one origin apart. Over TLS alone: elsewhere libcurl has nothing that would do so.
struct ConnectionLabel: Equatable {
  private var number = 0

  /// The one after it; after some it begins again, when the connection of that label has long gone.
  var next: ConnectionLabel {
    var next = self
    next.number = (number + 1) % 8
    return next
  }

  var isFirst: Bool { number == 0 }

  /// `CURLOPT_SSL_OPTIONS`: bits that OpenSSL has no use for (they are Schannel's).
  var tlsOptions: Int {
    zip([1, 3, 5], 0...).reduce(0) { $0 | (number >> $1.1 & 1) << $1.0 }
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
