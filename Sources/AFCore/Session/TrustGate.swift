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
  /// What user code accepted, under one generation of the policy.
  private struct Answers {
    var generation: UInt64 = 0
    var accepted: Set<Peer> = []
  }

  private struct Peer: Hashable {
    var host: String
    var port: Int
    var leaf: Data
  }

  private static let answerLimit = 1024

  private let base: EngineConfiguration
  private let answers = Locked(Answers())

  init(_ base: EngineConfiguration) {
    self.base = base
  }

  /// Starts a hop under the manager's present policy, whatever other threads do to it meanwhile.
  func start(
    _ transfer: TransferRequest, handler: any TransferHandler, _ engine: Engine, _ manager: AFURLSessionManager?
  ) -> TransferHandle {
    guard let core = manager?.core else { return engine.start(transfer, handler: handler) }
    while true {
      let policy = core.securityPolicy
      if let handle = engine.start(transfer, handler: handler, under: policy.generation) { return handle }
      let snapshot = policy.snapshot()
      answers.withLock { answers in
        if answers.generation != snapshot.generation { answers = Answers(generation: snapshot.generation) }
      }
      engine.retire(newConfiguration: configuration(snapshot, core))
    }
  }

  private func configuration(_ snapshot: SecurityPolicySnapshot, _ core: ManagerCore) -> EngineConfiguration {
    var configuration = base
    configuration.generation = snapshot.generation
    configuration.evaluateTrust = { [weak self, weak core] peer in
      guard let self, let core else { return .refuse(AFSecurityVerdictError()) }
      if snapshot.runsUserCode || core.blocks.interests.contains(.challenge) {
        return recall(peer, snapshot.generation)
      }
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
    return configuration
  }

  /// Remembers that user code accepted a server, unless the policy under which it was asked is no longer in force.
  func accept(_ peer: PeerTrust) {
    guard let leaf = peer.chain.first else { return }
    answers.withLock { answers in
      guard answers.generation == peer.generation else { return }
      if answers.accepted.count >= Self.answerLimit { answers.accepted = [] }
      answers.accepted.insert(Peer(host: peer.host, port: peer.port, leaf: leaf))
    }
  }

  private func recall(_ peer: PeerTrust, _ generation: UInt64) -> TrustVerdict {
    guard let leaf = peer.chain.first else { return .ask }
    let isAccepted = answers.withLock { answers in
      answers.generation == generation && answers.accepted.contains(Peer(host: peer.host, port: peer.port, leaf: leaf))
    }
    return isAccepted ? .accept : .ask
  }
}

/// The manager is gone, and nobody can judge a server.
struct AFSecurityVerdictError: Error, CustomStringConvertible {
  var description: String { "the manager, whose security policy would have to decide, no longer exists" }
}
