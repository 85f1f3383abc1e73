import AFSecurity
import AFSupport
import AFTransport
import Foundation

/// What user code answered about the TLS peers of one pool of connections.
///
/// A pool lasts as long as its policy does, and so do the answers: one that comes too late is kept where nobody looks any more.
final class PoolAnswers: Sendable {
  private struct State {
    var decisions: [Presented: TrustDecision] = [:]
    var identities: [Server: Identity] = [:]

    /// They may be asked about again: a connection to one of them carries nobody's identity.
    mutating func forgetServersShownNothing() {
      identities = identities.filter { entry in
        if case .answered(nil) = entry.value { false } else { true }
      }
    }
  }

  /// What a decision is about.
  private struct Presented: Hashable {
    var server: Server
    var chain: [Data]
    /// Nil where the policy does not look at it: servers staple a new response now and then.
    var stapledResponse: Data?
  }

  private struct Server: Hashable {
    var host: String
    var port: Int

    init(_ peer: PeerTrust) {
      host = peer.host
      port = peer.port
    }
  }

  private enum Identity {
    /// A task has put the question; others wait for the answer.
    case asked([Waiter])
    case answered(AFClientIdentity?)
  }

  private static let limit = 1024

  /// The policy of the pool.
  let policy: SecurityPolicySnapshot

  private let state = Locked(State())

  init(_ policy: SecurityPolicySnapshot) {
    self.policy = policy
  }

  // MARK: Servers

  // Only what user code decided is remembered, about exactly what was presented, and for as long as that is valid. What it leaves
  // to the policy is judged for every connection.

  func remember(_ decision: TrustDecision, about peer: PeerTrust) {
    let presented = presented(by: peer)
    state.withLock { state in
      if state.decisions.count >= Self.limit { state.decisions = [:] }
      state.decisions[presented] = decision
    }
  }

  /// What those who are to be asked now have decided about a peer, if that still counts.
  func decision(about peer: PeerTrust, epoch: Int, at moment: Date) -> TrustDecision.Outcome? {
    let presented = presented(by: peer)
    guard let decision = state.withLock({ $0.decisions[presented] }), decision.epoch == epoch,
      decision.period.contains(moment)
    else { return nil }
    return decision.outcome
  }

  private func presented(by peer: PeerTrust) -> Presented {
    let looksAtStaple = policy.requirements(forHost: peer.host).wantsStapledResponse
    return Presented(
      server: Server(peer), chain: peer.chain, stapledResponse: looksAtStaple ? peer.stapledOCSPResponse : nil)
  }

  // MARK: Client certificates

  // Connections and TLS sessions made with an identity serve every task that meets the pool, so a server has one answer, and
  // is asked about once at a time.

  typealias Waiter = @Sendable () -> Void

  /// What a task does when a server asks for a client certificate.
  enum Turn {
    /// The question is the task's to put, and to ``settle(_:_:)``.
    case ask
    /// Another task has put it; the waiter is called when that is over.
    case wait
    /// There is an answer by now.
    case tryAgain
  }

  /// The answer for a server: nil if there is none, and one without an identity if no certificate is to be shown.
  func identity(for peer: PeerTrust) -> AFClientIdentity?? {
    state.withLock { state in
      guard case .answered(let identity) = state.identities[Server(peer)] else { return nil }
      return .some(identity)
    }
  }

  func takeTurn(_ peer: PeerTrust, waiter: @escaping Waiter) -> Turn {
    state.withLock { state in
      switch state.identities[Server(peer)] {
      case .answered: return .tryAgain
      case .asked(let waiters):
        state.identities[Server(peer)] = .asked(waiters + [waiter])
        return .wait
      case nil:
        if state.identities.count >= Self.limit { state.forgetServersShownNothing() }
        state.identities[Server(peer)] = .asked([])
        return .ask
      }
    }
  }

  /// Ends a question with an answer, or without one: then it is the waiting tasks' turn.
  func settle(_ peer: PeerTrust, _ answer: AFClientIdentity??) {
    let waiters = state.withLock { state -> [Waiter] in
      guard case .asked(let waiters) = state.identities[Server(peer)] else { return [] }
      state.identities[Server(peer)] = answer.map { .answered($0) }
      return waiters
    }
    for waiter in waiters { waiter() }
  }
}
