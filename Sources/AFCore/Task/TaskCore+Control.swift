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
      lookForCookies()
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

  /// Gives the current request to the engine. The phase is `.starting`.
  func startHop() {
    let (session, manager, current, options, hop, bearer, wantsStream) = state.withLock { state in
      (
        state.session, state.manager, state.current, state.hopOptions(kind), state.hopCount, state.blocks.bearer,
        state.wantsFirstStream
      )
    }
    guard let session else { return }
    // Nothing is asked for before there is a way.
    if wantsStream { guard !holdsFirstHop(session), hasFirstStream(session) else { return } }
    var request = current
    if let bearer { guard !holdsFirstHop(session), authorize(&request, bearer, session) else { return } }
    authenticate(&request, session)
    let handle: TransferHandle
    let stub = session.settings.protocolClass(for: request)
    switch useCache(for: request, session, isStubbed: stub != nil) {
    case .isAsked, .isRefused: return
    case .serves(let answer): handle = serve(answer)
    case .loads where holdsFirstHop(session): return
    case .loads(let stored, let fields):
      guard hasBodyDigests(request, session) else { return }
      let digest = digestField(request)
      if let digest { request.set(digest.name, digest.value) }
      if case (let type, var urlRequest)? = stub {
        if let digest { urlRequest.setValue(digest.value, forHTTPHeaderField: digest.name) }
        if session.cache != nil { note(sent: session.headers(of: request), request, session) }
        handle = ProtocolTransfer(type, urlRequest, cached: stored?.cached, task: self).start()
        break
      }
      var transfer: TransferRequest
      do {
        transfer = try session.prepare(request.with(fields), options: options)
      } catch let error as URLError {
        return fail(error)
      } catch {
        let text = "The request body cannot be read: \(String(describing: error))"
        return fail(URLError.make(URLError.code(forBody: error), url: request.url, text, underlying: error))
      }
      if session.cache != nil { note(sent: transfer.headers, request, session) }
      transfer.options.authentication = state.withLock { $0.hopAuthentication }
      if transfer.options.proxy != .direct { authenticateProxy(&transfer, request.body, session) }
      handle = session.trust.start(transfer, handler: self, session.engine, manager)
    }
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
