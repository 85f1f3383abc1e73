import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

extension TaskCore {
  private enum Step {
    case nothing
    case start
    case handle(TransferHandle)
    case finish
  }

  /// Starts the task or lets it go on.
  /// - Returns: Whether it was suspended before.
  @discardableResult
  func resume() -> Bool {
    if isInert { return false }
    // Blocks that have been replaced since the task was made may be the app's last.
    let oldBlocks = state.withLock { $0.blocks }
    defer { withExtendedLifetime(oldBlocks) {} }
    let (step, changed) = state.withLock { state -> (Step, Bool) in
      guard !state.isOver, state.isSuspended else { return (.nothing, false) }
      state.isSuspended = false
      state.runningShell = state.shell
      if state.deadline == nil {
        state.session?.keep(self)
        if !state.isSilent { state.blocks = state.manager?.core.blocks ?? state.blocks }
        if state.blocks.interests.contains(.metrics) { state.collectsMetrics = true }
        if state.collectsMetrics { state.began = Date() }
        state.deadline = .now + (state.session?.settings.resourceTimeout ?? 0)
        state.noteBearer()
      }
      switch state.phase {
      case .ready:
        if let refusal = state.refusal {
          state.reason = refusal
          return (.finish, false)
        }
        state.beginHop()
        return (.start, true)
      case .flying(let handle): return (.handle(handle), true)
      default: return (.nothing, true)
      }
    }
    switch step {
    case .start:
      if let session = state.withLock({ $0.session }) { HopCookies(task: self, session: session).look() }
      startHop()
    case .handle(let handle): handle.setSuspended(false)
    case .finish: finish()
    case .nothing: break
    }
    return changed
  }

  /// Stops the flow of bytes. Time does not count against the idle timeout meanwhile.
  /// - Returns: Whether it was running before.
  @discardableResult
  func suspend() -> Bool {
    let (handle, changed) = state.withLock { state -> (TransferHandle?, Bool) in
      guard !state.isOver, !state.isSuspended else { return (nil, false) }
      state.isSuspended = true
      if case .flying(let handle) = state.phase { return (handle, true) }
      return (nil, true)
    }
    handle?.setSuspended(true)
    return changed
  }

  /// Ends the task with `URLError.cancelled`, or with `reason`. Never waits.
  func cancel(_ reason: (any Error)? = nil) {
    if isInert { return }
    let oldBlocks = state.withLock { $0.blocks }
    defer { withExtendedLifetime(oldBlocks) {} }
    let step = state.withLock { state -> Step in
      guard !state.isOver, !state.isCancelled else { return .nothing }
      if case .closing = state.phase, !state.downloading.goesOn { return .nothing }
      state.isCancelled = true
      state.reason = reason ?? URLError.cancelled(url: state.current.url)
      // A task that was never resumed tells those who listen now.
      if state.deadline == nil { state.blocks = state.manager?.core.blocks ?? state.blocks }
      switch state.phase {
      case .ready, .asking: return .finish
      case .flying(let handle): return .handle(handle)
      default: return .nothing
      }
    }
    switch step {
    case .handle(let handle): handle.cancel()
    case .finish: finish()
    case .nothing, .start: break
    }
  }

  func setPriority(_ priority: Float) {
    let handle = state.withLock { state -> TransferHandle? in
      state.priority = min(max(priority, 0), 1)
      if case .flying(let handle) = state.phase { return handle }
      return nil
    }
    handle?.setPriority(priority)
  }

  /// Starts the present hop. The phase is `.starting`.
  func startHop() {
    let (start, hop) = state.withLock { (HopStart(self, $0), $0.hopCount) }
    guard let handle = start?.begin() else { return }
    let (isCancelled, isSuspended) = state.withLock { state in
      // The hop may be over by now, and the next one starting.
      guard state.hopCount == hop else { return (false, false) }
      state.adopt(handle)
      return (state.isCancelled, state.isSuspended)
    }
    if isCancelled {
      handle.cancel()
    } else if isSuspended {
      handle.setSuspended(true)
    }
  }

  /// The present hop, which waited for an answer before it began, starts now or when the task is resumed.
  func startWaitingHop() {
    let starts = state.withLock { state in
      guard !state.isOver, !state.isCancelled else { return false }
      state.phase = state.isSuspended ? .ready : .starting
      if state.isSuspended { state.hopCount -= 1 }
      return !state.isSuspended
    }
    if starts { startHop() }
  }

  /// Ends the task before, or between, hops.
  func fail(_ error: any Error) {
    state.withLock { if $0.reason == nil { $0.reason = error } }
    finish()
  }

  /// The same as ``goOn(with:)``, from the engine's thread: to make the next hop may open a file, ask a `URLProtocol` class, and
  /// read properties that a subclass has overridden.
  func goOnElsewhere(with request: HopRequest) {
    DispatchQueue.global(qos: .userInitiated).async { self.goOn(with: request) }
  }

  /// Starts `request` as the next hop, now or when the task is resumed.
  func goOn(with request: HopRequest) {
    // With the old request may go the last reference to a body that is the app's.
    let old = state.withLock { ($0.current, $0.next) }
    defer { withExtendedLifetime(old) {} }
    let step = state.withLock { state -> Step in
      guard !state.isOver else { return .nothing }
      if state.isCancelled { return .finish }
      state.current = request
      state.next = nil
      guard !state.isSuspended else {
        state.phase = .ready
        return .nothing
      }
      state.beginHop()
      return .start
    }
    switch step {
    case .start: startHop()
    case .finish: finish()
    case .nothing, .handle: break
    }
  }
}
