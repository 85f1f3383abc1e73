import AFSecurity
import AFSupport
import AFTransport
import Foundation

/// Puts the manager's security policy in force on every TLS connection of a session.
///
/// When the policy has changed, the engine's connections are retired before the next hop, so that no request travels on a
/// connection which an older policy accepted. Where user code must decide about a server, or choose a client certificate, the
/// handshake fails with "undecided", the task asks, and the hop starts again with the answer. ``PoolAnswers`` says what of it is
/// remembered; what user code leaves to the policy is judged here for every connection.
final class TrustGate: Sendable {
  private let base: EngineConfiguration

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
      engine.retire(newConfiguration: configuration(policy.snapshot(), core))
    }
  }

  private func configuration(_ snapshot: SecurityPolicySnapshot, _ core: ManagerCore) -> EngineConfiguration {
    let answers = PoolAnswers(snapshot)
    var configuration = base
    configuration.generation = snapshot.generation
    configuration.context = answers
    configuration.evaluateTrust = { [weak core] peer in
      guard let core else { return .refuse(AFSecurityVerdictError()) }
      let blocks = core.blocks
      if snapshot.runsUserCode(forHost: peer.host) || blocks.interests.contains(.challenge) {
        switch answers.decision(about: peer, epoch: blocks.challengeEpoch, at: Date()) {
        case nil: return .ask
        case .accept: return .accept
        case .policyDecides: break
        }
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
    configuration.identifyClient = { [weak core] ssl, peer in
      // An identity of the policy is set already, and nobody is asked.
      guard snapshot.requirements(forHost: peer.host).clientIdentity == nil else { return .proceed }
      guard let answer = answers.identity(for: peer) else {
        return core?.blocks.interests.contains(.challenge) == true ? .ask : .proceed
      }
      do {
        try answer?.apply(toConnection: ssl)
        return .proceed
      } catch {
        return .refuse(error)
      }
    }
    return configuration
  }
}

extension PeerTrust {
  /// The answers of the pool in which the peer was met.
  var answers: PoolAnswers? { context as? PoolAnswers }
}

/// The manager is gone, and nobody can judge a server.
struct AFSecurityVerdictError: Error, CustomStringConvertible {
  var description: String { "the manager, whose security policy would have to decide, no longer exists" }
}
