import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

extension TaskCore {
  /// Starts the task or lets it go on.
  /// - Returns: Whether it was suspended before.
  @discardableResult
  func resume() -> Bool {
    if isInert { return false }
    let blocks = state.withLock({ $0.machine.hasBegun }) ? nil : begin()
    let (action, transfer, old) = state.withLock { state -> (TaskMachine.Action?, TransferHandle?, BlockTable?) in
      let isFirst = !state.machine.hasBegun
      guard let action = state.machine.resume() else { return (nil, nil, nil) }
      state.shell.running = state.shell.any
      // What the old table holds may be the user's, and goes after the lock.
      let old = isFirst ? state.begin(blocks) : nil
      switch action {
      case .startHop: state.prepareHop()
      case .finish: state.failure.reason = state.failure.refusal
      default: break
      }
      return (action, state.transfer, old)
    }
    withExtendedLifetime(old) {}
    guard let action else { return false }
    if action == .startHop, let session = state.withLock({ $0.owner.session }) {
      HopCookies(task: self, session: session).look()
    }
    perform(action, transfer)
    return action != .finish
  }

  /// What the first `resume()` finds out before it takes the lock.
  /// - Returns: The manager's blocks at this moment, if the app sees the task.
  private func begin() -> BlockTable? {
    let (session, manager, isSilent) = state.withLock { ($0.owner.session, $0.owner.manager, $0.options.isSilent) }
    session?.keep(self)
    return isSilent ? nil : manager?.core.blocks
  }

  /// Stops the flow of bytes. Time does not count against the idle timeout meanwhile.
  /// - Returns: Whether it was running before.
  @discardableResult
  func suspend() -> Bool {
    let (action, transfer) = state.withLock { ($0.machine.suspend(), $0.transfer) }
    guard let action else { return false }
    perform(action, transfer)
    return true
  }

  /// Ends the task with `URLError.cancelled`, or with `reason`. Never waits.
  func cancel(_ reason: (any Error)? = nil) {
    if isInert { return }
    let (manager, url, counts) = state.withLock {
      ($0.machine.hasBegun ? nil : $0.owner.manager, $0.current.url, $0.machine.canBeCancelled)
    }
    guard counts else { return }
    // A task that was never resumed tells those who listen now.
    let blocks = manager?.core.blocks
    let reason = reason ?? URLError.cancelled(url: url)
    let (action, transfer, old) = state.withLock { state -> (TaskMachine.Action?, TransferHandle?, BlockTable?) in
      let hasBegun = state.machine.hasBegun
      guard let action = state.machine.cancel() else { return (nil, nil, nil) }
      state.failure.reason = reason
      let old = state.owner.blocks
      if let blocks, !hasBegun { state.owner.blocks = blocks }
      return (action, state.transfer, old)
    }
    withExtendedLifetime(old) {}
    if let action { perform(action, transfer) }
  }

  /// Cancels, and calls the handler with resume data, or nil if the download cannot be resumed.
  func cancelProducingResumeData(_ handler: @escaping @Sendable (Data?) -> Void) {
    let queue = state.withLock { state -> DispatchQueue? in
      guard state.machine.canBeCancelled, let queue = state.owner.session?.callbackQueue else { return nil }
      state.downloading.onResumeData = { data in queue.async { handler(data) } }
      return queue
    }
    guard queue != nil else {
      DispatchQueue.global().async { handler(nil) }
      return
    }
    cancel()
  }

  /// Carries out what the machine asks for.
  private func perform(_ action: TaskMachine.Action, _ transfer: TransferHandle?) {
    switch action {
    case .none: break
    case .startHop: startHop()
    case .suspendTransfer: transfer?.setSuspended(true)
    case .resumeTransfer: transfer?.setSuspended(false)
    case .cancelTransfer: transfer?.cancel()
    case .finish: finish()
    }
  }

  func setPriority(_ priority: Float) {
    let transfer = state.withLock { state -> TransferHandle? in
      state.options.priority = min(max(priority, 0), 1)
      return state.transfer
    }
    transfer?.setPriority(priority)
  }

  // MARK: Hops

  /// Starts the present hop, as far as its gates let it.
  private func startHop() {
    let (start, number) = state.withLock { (HopStart(self, $0), $0.machine.hop) }
    guard let handle = start?.begin() else { return }
    let action = state.withLock { state -> TaskMachine.Action in
      guard state.machine.hop == number else { return .none }
      state.adopt(handle)
      return state.machine.started(number)
    }
    perform(action, handle)
  }

  /// The present hop, which waited for an answer before it had a transfer, starts now or when the task is resumed.
  func startWaitingHop() {
    perform(state.withLock { $0.machine.startWaitingHop() }, nil)
  }

  /// Ends the task before, or between, hops.
  func fail(_ error: any Error) {
    state.withLock { if $0.failure.reason == nil { $0.failure.reason = error } }
    finish()
  }

  /// The same as ``goOn(with:)``, from the engine's thread: to make the next hop may open a file, ask a `URLProtocol` class, and
  /// read properties that a subclass has overridden.
  func goOnElsewhere(with request: HopRequest) {
    DispatchQueue.global(qos: .userInitiated).async { self.goOn(with: request) }
  }

  /// Starts `request` as the next hop, now or when the task is resumed.
  func goOn(with request: HopRequest) {
    let (action, old) = state.withLock { state -> (TaskMachine.Action?, HopRequest?) in
      let action = state.machine.goOn()
      guard let action, action != .finish else { return (action, nil) }
      let old = state.current
      state.current = request
      state.next = nil
      if action == .startHop { state.prepareHop() }
      return (action, old)
    }
    // The app's own request may have been in it.
    withExtendedLifetime(old) {}
    if let action { perform(action, nil) }
  }
}

extension TaskState {
  /// The first `resume()`.
  /// - Returns: The blocks that made way for `blocks`.
  fileprivate mutating func begin(_ blocks: BlockTable?) -> BlockTable? {
    let old = owner.blocks
    if let blocks { owner.blocks = blocks }
    if owner.blocks.interests.contains(.metrics) { options.collectsMetrics = true }
    if options.collectsMetrics { record.began = Date() }
    options.deadline = .now + (owner.session?.settings.resourceTimeout ?? 0)
    noteBearer()
    return old
  }
}
