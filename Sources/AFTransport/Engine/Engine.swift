import AFSupport
import Foundation

/// Carries out transfers with libcurl on a thread of its own, which begins with the first transfer.
///
/// Safe to use from any thread; nothing here blocks. When the last reference goes, transfers that still run are cancelled
/// and the thread ends.
package final class Engine: Sendable {
  private struct State {
    var configuration: EngineConfiguration
    var lane: Mailbox?
    /// Lanes that were retired and may still run.
    var retired: [Mailbox] = []
    var isShutDown = false

    /// Nil after the shut-down.
    mutating func start(_ request: TransferRequest, _ handler: any TransferHandler) -> Started? {
      guard !isShutDown else { return nil }
      if let lane, let entry = lane.start(request, handler) {
        return Started(handle: TransferHandle(id: entry.id, mailbox: lane), bell: entry.bell)
      }
      let fresh = Mailbox()
      lane = fresh
      // The transfer first: a thread that cannot do its work answers what it was sent, and takes no more.
      let entry = fresh.start(request, handler)
      let isLaunched = EngineLoop.launch(fresh, configuration)
      // The next transfer asks for a thread again.
      if !isLaunched { lane = nil }
      return entry.map {
        Started(
          handle: TransferHandle(id: $0.id, mailbox: fresh), bell: $0.bell, orphan: isLaunched ? nil : fresh)
      }
    }

    var lanes: [Mailbox] { lane.map { retired + [$0] } ?? retired }
  }

  private struct Started {
    let handle: TransferHandle
    let bell: Bell?
    /// Has no thread, so that what is in it ends where it was started: there may be no other thread to do it on.
    var orphan: Mailbox?

    /// What is done once no lock is held.
    func finish() {
      bell?.ring()
      if let orphan { EngineLoop.refuseOrphans(orphan) }
    }
  }

  private let state: Locked<State>

  package init(configuration: EngineConfiguration) {
    state = Locked(State(configuration: configuration))
  }

  deinit {
    for lane in state.withLock({ $0.lanes }) { lane.send(.stop) }
  }

  /// Starts a transfer. Everything about it is reported to `handler`; if the engine has been shut down, that is one
  /// completion with `.cancelled`, on an arbitrary queue.
  @discardableResult
  package func start(_ request: TransferRequest, handler: any TransferHandler) -> TransferHandle {
    let started = state.withLock { $0.start(request, handler) }
    started?.finish()
    return started?.handle ?? refuse(request, handler)
  }

  /// The same, but only under a configuration of this generation: nil, and nothing happens, if the engine has another.
  ///
  /// Looking and starting are one step. Whoever started a transfer after looking could find that another thread had changed
  /// the configuration in between, and a request under the wrong trust.
  package func start(
    _ request: TransferRequest, handler: any TransferHandler, under generation: UInt64
  ) -> TransferHandle? {
    let (started, isOther) = state.withLock { state -> (Started?, Bool) in
      guard state.isShutDown || state.configuration.generation == generation else { return (nil, true) }
      return (state.start(request, handler), false)
    }
    started?.finish()
    return isOther ? nil : started?.handle ?? refuse(request, handler)
  }

  private func refuse(_ request: TransferRequest, _ handler: any TransferHandler) -> TransferHandle {
    let refused = TransferHandle(id: TransferID(raw: 0), mailbox: Mailbox())
    DispatchQueue.global().async {
      if case .reader(let reader) = request.body { reader.close() }
      let failure = TransferFailure(kind: .cancelled, message: "The session has been invalidated")
      handler.transfer(refused, didComplete: TransferOutcome(failure: failure))?()
    }
    return refused
  }

  /// Gives transfers to come a new pool of connections, and `configuration`. Those that run go on in the old pool, under
  /// the old configuration, and its connections are closed when the last is done.
  package func retire(newConfiguration configuration: EngineConfiguration) {
    let lane = state.withLock { state -> Mailbox? in
      // Two threads may have noticed the same change.
      guard configuration.generation == 0 || configuration.generation != state.configuration.generation else {
        return nil
      }
      state.configuration = configuration
      defer { state.lane = nil }
      state.retired.removeAll { !$0.isOpen }
      if let lane = state.lane { state.retired.append(lane) }
      return state.lane
    }
    lane?.send(.finish)
  }

  /// Takes no more transfers; those that run are cancelled, or go on to their end.
  package func shutDown(cancelling: Bool) {
    let lanes = state.withLock { state in
      state.isShutDown = true
      return state.lanes
    }
    for lane in lanes { lane.send(cancelling ? .stop : .finish) }
  }
}
