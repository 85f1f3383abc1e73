import AFSecurity
import AFSupport
import AFTransport
import Foundation

/// Puts the manager's security policy in force on every TLS connection of a session.
///
/// When the policy has changed, the engine's connections are retired before the next hop, so that no request travels on a
/// connection which an older policy accepted. Where user code must decide, the handshake fails with "undecided", the task
/// asks, and the hop starts again with the answer, which holds for this server and certificate until the policy changes.
final class TrustGate: Sendable {
  private struct State {
    var generation: UInt64?
    var accepted: Set<Peer> = []
  }

  private struct Peer: Hashable {
    var host: String
    var port: Int
    var leaf: Data
  }

  private static let answerLimit = 1024

  private let base: EngineConfiguration
  private let state = Locked(State())

  init(_ base: EngineConfiguration) {
    self.base = base
  }

  /// Makes sure that a hop over TLS meets the manager's present policy.
  func prepare(_ engine: Engine, _ manager: AFURLSessionManager?) {
    guard let core = manager?.core else { return }
    let policy = core.securityPolicy
    let generation = policy.generation
    guard state.withLock({ $0.generation != generation }) else { return }
    let snapshot = policy.snapshot()
    var configuration = base
    configuration.evaluateTrust = { [weak self, weak core] peer in
      guard let self, let core else { return .refuse(AFSecurityVerdictError()) }
      if snapshot.runsUserCode || core.blocks.interests.contains(.challenge) { return recall(peer) }
      do {
        try snapshot.evaluate(
          chain: peer.chain, host: peer.host, stapledOCSPResponse: peer.stapledOCSPResponse)
        return .accept
      } catch {
        return .refuse(error)
      }
    }
    configuration.configureTLS = { context, host, _ in
      do {
        try snapshot.requirements(forHost: host).apply(to: context)
        return nil
      } catch {
        return error
      }
    }
    let isFirst = state.withLock { state -> Bool in
      guard state.generation != generation else { return false }
      state = State(generation: generation)
      return true
    }
    if isFirst { engine.retire(newConfiguration: configuration) }
  }

  /// Remembers that user code accepted a server.
  func accept(_ peer: PeerTrust) {
    guard let leaf = peer.chain.first else { return }
    state.withLock { state in
      if state.accepted.count >= Self.answerLimit { state.accepted = [] }
      state.accepted.insert(Peer(host: peer.host, port: peer.port, leaf: leaf))
    }
  }

  private func recall(_ peer: PeerTrust) -> TrustVerdict {
    guard let leaf = peer.chain.first else { return .ask }
    let isAccepted = state.withLock { $0.accepted.contains(Peer(host: peer.host, port: peer.port, leaf: leaf)) }
    return isAccepted ? .accept : .ask
  }
}

/// The manager is gone, and nobody can judge a server.
struct AFSecurityVerdictError: Error, CustomStringConvertible {
  var description: String { "the manager, whose security policy would have to decide, no longer exists" }
}
