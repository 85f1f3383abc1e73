import AFSupport
import CCurl
import CLinux
import Foundation

// Over 400 lines because every step of a turn works on the loop's private state, which no other file may touch.

/// The engine's thread: commands in, transfers carried out, reports out.
///
/// One turn: take the commands, see what is due, let waiting transfers in, let libcurl begin them, tell who waits for what has
/// ended, wait for sockets, let libcurl work on them, collect what has ended. Everything in this file, and everything it owns,
/// stays on its thread.
final class EngineLoop {
  private let mailbox: Mailbox
  private let configuration: EngineConfiguration
  private let multi: MultiHandle
  private let turn: EngineTurn
  private var transfers: [TransferID: Transfer] = [:]
  /// Transfers that wait to be admitted.
  private var waiting: [TransferID: Waiting] = [:]
  private var queue: AdmissionQueue
  private var deadlines = DeadlineHeap()
  private var commands: [Command] = []
  /// Origins at which a place has become free.
  private var freed: [AdmissionQueue.Origin] = []
  /// Handles between transfers: making one, with its buffers, costs more than all that is set on it.
  private var spareHandles: [EasyHandle] = []
  private static let spareHandleLimit = 64
  private var silences = SilenceRegister()
  private var isFinishing = false

  /// When a place at an origin last became free, while anything waits. Waiting in a line that moves is not waiting in vain.
  private var movedAt: [AdmissionQueue.Origin: MonotonicTime] = [:]

  private struct Waiting {
    let request: TransferRequest
    let handler: any TransferHandler
    let authority: Authority
    let origin: AdmissionQueue.Origin
    var since: MonotonicTime
    /// Suspended: it takes no part in the line, and no time counts but the total.
    var isParked = false

    /// The moment at which it has waited too long, if the line last moved at `moved`.
    func due(_ moved: MonotonicTime?) -> MonotonicTime {
      let idle = request.options.idleTimeout
      guard idle > 0, !isParked else { return request.options.deadline }
      return min(request.options.deadline, max(since, moved ?? since) + idle)
    }
  }

  /// Starts the thread that serves `mailbox`. It ends by itself after `.stop`, or after `.finish` when nothing runs.
  /// - Returns: Whether there is a thread. If not, ``refuseOrphans(_:)`` is to be called.
  static func launch(_ mailbox: Mailbox, _ configuration: EngineConfiguration) -> Bool {
    configuration.startThread {
      af_set_thread_name("af.engine")
      // libcurl sends with MSG_NOSIGNAL; this is for whatever else might write to a socket here (pitfall 20).
      var pipe = sigset_t()
      sigemptyset(&pipe)
      sigaddset(&pipe, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &pipe, nil)
      if let problem = configuration.libcurl().problem {
        return refuse(mailbox.close(), mailbox, TransferFailure(kind: .unsuitableLibrary, message: problem))
      }
      guard let loop = EngineLoop(mailbox, configuration) else { return refuseAll(mailbox) }
      loop.run()
    }
  }

  /// Ends what is in a mailbox that there is no thread for.
  static func refuseOrphans(_ mailbox: Mailbox) {
    let message = "The system gives no thread for the session's transfers"
    refuse(mailbox.close(), mailbox, TransferFailure(kind: .noThread, message: message))
  }

  private init?(_ mailbox: Mailbox, _ configuration: EngineConfiguration) {
    guard let multi = MultiHandle(mailbox: mailbox, configuration: configuration) else { return nil }
    self.mailbox = mailbox
    self.configuration = configuration
    self.multi = multi
    turn = EngineTurn(sockets: multi.sockets)
    queue = AdmissionQueue(limit: configuration.maximumConnectionsPerHost)
  }

  private func run() {
    while true {
      turn.advance()
      mailbox.drain(into: &commands)
      for command in commands where !carryOut(command) { return stop() }
      commands.removeAll(keepingCapacity: true)
      expireDeadlines()
      admitWaiting()
      turn.advance()
      multi.runDue()
      collectEnded()
      admitWaiting()
      turn.callSequels()
      if isFinishing, transfers.isEmpty, waiting.isEmpty, mailbox.closeIfEmpty() { return close() }
      multi.wait(until: deadlines.next ?? .distantFuture) { turn.advance() }
      collectEnded()
    }
  }

  // MARK: Commands

  /// False: the loop ends.
  private func carryOut(_ command: Command) -> Bool {
    switch command {
    case .start(let id, let request, let handler):
      start(id, request, handler)
    case .cancel(let id):
      let failure = TransferFailure(kind: .cancelled, message: "The transfer was cancelled")
      if let waiting = takeWaiting(id) {
        refuse(id, waiting.request, waiting.handler, failure)
      } else if let transfer = transfers[id], transfer.machine.fail(failure) {
        end(transfer, nil)
      }
    case .setSuspended(let id, let isSuspended):
      setSuspended(id, isSuspended)
    case .route(let id, let route):
      with(id) { $0.decide(route) }
    case .resumeReceiving(let id):
      with(id) { $0.resumeReceiving() }
    case .resumeSending(let id):
      with(id) { $0.resumeSending() }
    case .setPriority(let id, let priority):
      queue.setPriority(priority, of: id)
    case .finish:
      isFinishing = true
    case .stop:
      return false
    }
    return true
  }

  /// Nothing is sent while a transfer is suspended: one whose request has not gone out yet gives its place back, and its connection
  /// if it is making one.
  private func setSuspended(_ id: TransferID, _ isSuspended: Bool) {
    if var entry = waiting[id] {
      guard entry.isParked != isSuspended else { return }
      entry.since = turn.now
      if isSuspended {
        _ = queue.remove(id)
        park(id, entry)
      } else {
        entry.isParked = false
        waiting[id] = nil
        admit(id, entry)
      }
    } else if isSuspended, let transfer = transfers[id], !transfer.machine.wasSent, transfer.machine.failure == nil {
      multi.remove(transfer.easy)
      transfers[id] = nil
      transfer.easy.transfer = nil
      park(
        id,
        Waiting(
          request: transfer.request, handler: transfer.handler, authority: transfer.authority,
          origin: transfer.origin, since: turn.now))
      leave(transfer.origin)
    } else {
      with(id) { $0.setSuspended(isSuspended) }
    }
  }

  private func park(_ id: TransferID, _ entry: Waiting) {
    var entry = entry
    entry.isParked = true
    waiting[id] = entry
    deadlines.set(entry.due(nil), for: id)
  }

  /// Lets `change` act on a running transfer, then ends it if that made it fail, and looks at its deadlines again.
  private func with(_ id: TransferID, _ change: (Transfer) -> Void) {
    guard let transfer = transfers[id] else { return }
    change(transfer)
    guard transfers[id] != nil else { return }
    // What was left of the body, when libcurl was done, has found its way.
    if transfer.machine.isBodyDue, !transfer.holdsDecoded {
      if let damage = transfer.finishDecoding() { _ = transfer.machine.fail(damage) }
      if transfer.machine.endedWhileAwaitingRoute() { return complete(transfer) }
    }
    if transfer.machine.failure != nil { end(transfer, nil) } else { schedule(transfer) }
  }

  private func start(_ id: TransferID, _ request: TransferRequest, _ handler: any TransferHandler) {
    guard let authority = Authority(url: request.url) else {
      let message = "The URL is not one of http or https with a plain host: \(request.url.prefix(200))"
      return refuse(id, request, handler, TransferFailure(kind: .badRequest, message: message))
    }
    if let message = RequestCheck.problem(request) {
      return refuse(id, request, handler, TransferFailure(kind: .badRequest, message: message))
    }
    let origin = AdmissionQueue.Origin(authority: authority, isHTTP1: Transfer.needsHTTP1(request))
    admit(id, Waiting(request: request, handler: handler, authority: authority, origin: origin, since: turn.now))
  }

  private func admit(_ id: TransferID, _ entry: Waiting) {
    if queue.admit(id, to: entry.origin, priority: entry.request.options.priority) {
      begin(id, entry)
    } else {
      waiting[id] = entry
      deadlines.set(entry.due(movedAt[entry.origin]), for: id)
    }
  }

  /// A transfer gives its place back.
  private func leave(_ origin: AdmissionQueue.Origin) {
    queue.finished(origin)
    freed.append(origin)
    if waiting.isEmpty, transfers.count < 2 {
      if !movedAt.isEmpty { movedAt = [:] }
    } else {
      movedAt[origin] = turn.now
    }
  }

  /// Hands a transfer to libcurl.
  private func begin(_ id: TransferID, _ waiting: Waiting) {
    let spare = waiting.request.options.expectsLargeResponse ? nil : spareHandles.popLast()
    guard let easy = spare ?? EasyHandle() else {
      leave(waiting.origin)
      let failure = TransferFailure(kind: .transport, message: "libcurl has no memory for a transfer")
      return refuse(id, waiting.request, waiting.handler, failure)
    }
    let transfer = Transfer(
      id: id, request: waiting.request, handler: waiting.handler, handle: TransferHandle(id: id, mailbox: mailbox),
      authority: waiting.authority, origin: waiting.origin, label: silences.label(for: waiting.origin),
      configuration: configuration, turn: turn, easy: easy)
    transfers[id] = transfer
    if let failure = transfer.configure() {
      _ = transfer.machine.fail(failure)
      return end(transfer, nil)
    }
    let mailbox = mailbox
    transfer.source.connect { mailbox.send(.resumeSending(id)) }
    // Without TLS the label keeps nothing apart.
    if !transfer.label.isFirst, !transfer.authority.isSecure { transfer.easy.set(CURLOPT_FRESH_CONNECT, 1) }
    if !transfer.authority.isSecure, waiting.request.options.proxy != .direct { multi.liftHostLimit() }
    multi.makeRoom(for: transfers.count)
    guard multi.add(transfer.easy) else {
      _ = transfer.machine.fail(TransferFailure(kind: .transport, message: "libcurl does not take the transfer"))
      return end(transfer, nil)
    }
    schedule(transfer)
  }

  // MARK: Time

  private func schedule(_ transfer: Transfer) {
    let due = transfer.nextDue
    guard due < transfer.scheduledAt else { return }
    transfer.scheduledAt = due
    deadlines.set(due, for: transfer.id)
  }

  private func expireDeadlines() {
    while let id = deadlines.popDue(turn.now) {
      if let transfer = transfers[id] {
        transfer.scheduledAt = .distantFuture
        // It may wait in libcurl, for one of the streams that the server allows.
        if !transfer.machine.wasSent, let moved = movedAt[transfer.origin] {
          transfer.lastActivity = max(transfer.lastActivity, moved)
        }
        let next = transfer.tick()
        if transfer.machine.failure != nil || transfer.hasStalledAfterAnswer {
          end(transfer, nil)
        } else if next != .distantFuture {
          transfer.scheduledAt = next
          deadlines.set(next, for: id)
        }
      } else if let entry = waiting[id] {
        expire(id, entry)
      }
    }
  }

  private func expire(_ id: TransferID, _ entry: Waiting) {
    let due = entry.due(movedAt[entry.origin])
    guard due <= turn.now else { return deadlines.set(due, for: id) }
    _ = takeWaiting(id)
    let isTotal = entry.request.options.deadline <= turn.now
    let message =
      isTotal
      ? "The time was up before a connection was free"
      : "For \(entry.request.options.idleTimeout) seconds no connection to \(entry.authority.host) became free"
    refuse(
      id, entry.request, entry.handler, TransferFailure(kind: isTotal ? .totalTimeout : .idleTimeout, message: message))
  }

  // MARK: Ends

  private func collectEnded() {
    while let id = turn.answered.popLast() {
      if let transfer = transfers[id] { learn(from: transfer) }
    }
    while let (easy, code) = multi.nextEnded() {
      guard let transfer = Transfer.of(easy) else { continue }
      end(transfer, code)
    }
    while let id = turn.answeredEarly.popLast() {
      // libcurl would go on sending a body that the server may not be reading any more.
      guard let transfer = transfers[id] else { continue }
      if transfer.isOverOnceAnswered { end(transfer, nil) } else { schedule(transfer) }
    }
    while let id = turn.dueSooner.popLast() {
      if let transfer = transfers[id] { schedule(transfer) }
    }
  }

  /// How many transfers may run to an origin depends on what it speaks, and that may change.
  private func learn(from transfer: Transfer) {
    guard !transfer.origin.isHTTP1 else { return }
    let isMultiplexed = transfer.machine.head.starts(with: "HTTP/2".utf8)
    let limit = isMultiplexed ? configuration.maximumStreamsPerHost : configuration.maximumConnectionsPerHost
    if queue.setLimit(limit, for: transfer.origin) { freed.append(transfer.origin) }
  }

  /// Takes a transfer from libcurl and completes it, unless somebody has yet to say where its body goes.
  private func end(_ transfer: Transfer, _ code: CURLcode?) {
    if code == nil, transfer.hasBeenSilent {
      // The connection goes with its last transfer, or libcurl would keep one of HTTP/2 for the next request (pitfall 33).
      transfer.easy.set(CURLOPT_FORBID_REUSE, 1)
      let speaksHTTP2 = queue.limit(for: transfer.origin) != configuration.maximumConnectionsPerHost
      if speaksHTTP2 { silences.note(transfer, transfers) }
    }
    multi.remove(transfer.easy)
    if let code, transfer.canBeRepeated(after: code), multi.add(transfer.easy) { return }
    // A server that has answered in full may well hang up on the rest of the request's body (RFC 9110 §7.5).
    let isAnswered = transfer.isResponseComplete || code.map(transfer.isAnswered(despite:)) == true
    let cause = isAnswered ? nil : code.flatMap(transfer.failure(for:))
    if cause == nil, transfer.machine.failure == nil {
      // Of an answer that libcurl meant to reply to, it does not show the body.
      let isShown = !transfer.machine.hasUndeliveredHead
      if !isShown { _ = transfer.deliverHead() }
      if !transfer.machine.isHeadComplete {
        // libcurl takes a connection that ends between header lines for the end of the response.
        let message = "The connection was closed in the midst of the response's header fields"
        _ = transfer.machine.fail(TransferFailure(kind: .connectionLost, message: message))
      }
      if isShown, transfer.chunks?.isComplete == false {
        let message = "The connection was closed before the last chunk of the body"
        _ = transfer.machine.fail(TransferFailure(kind: .connectionLost, message: message))
      }
      if let damage = transfer.finishDecoding() { _ = transfer.machine.fail(damage) }
    }
    if transfer.machine.ended(cause, holdsBody: transfer.holdsDecoded)
      || (transfer.machine.failure != nil && transfer.machine.endedWhileAwaitingRoute())
    {
      complete(transfer)
    }
  }

  private func complete(_ transfer: Transfer) {
    transfers[transfer.id] = nil
    deadlines.remove(transfer.id)
    leave(transfer.origin)
    transfer.complete()
    transfer.easy.transfer = nil
    // Handles with large buffers are not worth keeping.
    guard spareHandles.count < Self.spareHandleLimit, transfer.hasSmallBuffers else { return }
    if !transfer.leavesPlainHandle { transfer.easy.reset() }
    guard !LibcurlCapabilities.current.keepsFreedFields || transfer.easy.renew() else { return }
    spareHandles.append(transfer.easy)
  }

  private func admitWaiting() {
    while let origin = freed.popLast() {
      while let next = queue.next(for: origin) {
        if let entry = waiting.removeValue(forKey: next) { begin(next, entry) }
      }
    }
  }

  private func takeWaiting(_ id: TransferID) -> Waiting? {
    guard let entry = waiting.removeValue(forKey: id) else { return nil }
    if !entry.isParked { _ = queue.remove(id) }
    deadlines.remove(id)
    return entry
  }

  private func refuse(
    _ id: TransferID, _ request: TransferRequest, _ handler: any TransferHandler, _ failure: TransferFailure
  ) {
    Self.refuse(TransferHandle(id: id, mailbox: mailbox), request, handler, failure)
  }

  private static func refuse(
    _ handle: TransferHandle, _ request: TransferRequest, _ handler: any TransferHandler, _ failure: TransferFailure
  ) {
    if case .reader(let reader) = request.body { reader.close() }
    handler.transfer(handle, didComplete: TransferOutcome(failure: failure))?()
  }

  /// Everything is cancelled, and the handles go in the order that libcurl needs (pitfall 28).
  private func stop() {
    let failure = TransferFailure(kind: .cancelled, message: "The session was invalidated")
    _ = queue.removeAll()
    for (id, entry) in waiting.sorted(by: { $0.key.raw < $1.key.raw }) {
      refuse(id, entry.request, entry.handler, failure)
    }
    waiting = [:]
    for transfer in Array(transfers.values) where transfer.machine.fail(failure) { end(transfer, nil) }
    let left = mailbox.close()
    turn.callSequels()
    close()
    Self.refuse(left, mailbox, failure)
  }

  private func close() {
    // Before the share that they are set to.
    spareHandles = []
    multi.close()
  }

  private static func refuseAll(_ mailbox: Mailbox) {
    refuse(mailbox.close(), mailbox, TransferFailure(kind: .transport, message: "libcurl has no memory for a session"))
  }

  private static func refuse(_ commands: [Command], _ mailbox: Mailbox, _ failure: TransferFailure) {
    for command in commands {
      guard case .start(let id, let request, let handler) = command else { continue }
      refuse(TransferHandle(id: id, mailbox: mailbox), request, handler, failure)
    }
  }
}
