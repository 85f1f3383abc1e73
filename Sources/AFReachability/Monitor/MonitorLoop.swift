import AFSupport
import CNetlink
import Glibc

/// What the monitor's thread does: wait, take in, judge, tell. Confined to that thread.
final class MonitorLoop {
  let monitor: NetworkMonitor
  let configuration: NetworkMonitor.Configuration
  private let mailbox: MonitorMailbox

  /// The eyes, while the system lets us look.
  var watch: NetworkWatch?
  /// Why it does not.
  var failure: AFReachabilityError?
  /// When to try again what failed or was lost.
  private var retry: MonotonicTime?
  private var failedAttempts = 0
  /// A look-up went wrong in the midst of judging.
  var lookUpFailure: POSIXFailure?

  var observers: [UInt64: Observer] = [:]
  var subjects: [AFReachabilityTarget: Subject] = [:]
  var names = NameTable()
  /// What the kernel said about destinations since the last change.
  var lookUps: [Destination: AFReachabilityPath?] = [:]
  let user = geteuid()

  init(monitor: NetworkMonitor, configuration: NetworkMonitor.Configuration, mailbox: MonitorMailbox) {
    self.monitor = monitor
    self.configuration = configuration
    self.mailbox = mailbox
  }

  func run() {
    let wakeUp = mailbox.openDoorbell()
    var lingerEnd: MonotonicTime?
    while true {
      let isFirst = takeLetters()
      advance(lookAgain: isFirst)
      let now = MonotonicTime.now
      if observers.isEmpty {
        let end = lingerEnd ?? now + configuration.linger
        lingerEnd = end
        if end <= now, mailbox.closeIfEmpty() { return }
      } else {
        lingerEnd = nil
      }
      wait(on: wakeUp, until: [lingerEnd, retry, names.nextDeadline, nextObserverDeadline].compactMap { $0 }.min())
      monitor.count { $0.wakeUps += 1 }
      receive()
    }
  }

  /// Takes the letters in. True if one asks for something while the network cannot be watched: time to try again.
  private func takeLetters() -> Bool {
    var isAsked = false
    for letter in mailbox.take() {
      switch letter {
      case .add(let registration):
        observers[registration.id] = Observer(registration: registration)
        subjects[registration.target, default: Subject(registration.target)].observers.insert(registration.id)
        isAsked = true
      case .remove(let id): forget(id)
      case .resolved(let name, let resolution):
        if names.take(resolution, for: name, now: .now) { judgeAll() }
      }
    }
    return isAsked && watch == nil
  }

  /// Sleeps until there is something to do. Without a deadline, and without events, that is for ever.
  private func wait(on wakeUp: Int32, until deadline: MonotonicTime?) {
    var entries = [pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0)]
    // What comes while everything is to be asked for anew says nothing.
    if let watch, !watch.isStale { entries.append(pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)) }
    var timeout: Int32 = -1
    if let deadline {
      let seconds = max(0, deadline - .now)
      timeout = Int32(clamping: Int64((seconds * 1000).rounded(.up)))
    }
    // Without a doorbell (no descriptors left) letters have to be looked for.
    if wakeUp < 0 { timeout = timeout < 0 ? 100 : min(timeout, 100) }
    _ = poll(&entries, nfds_t(entries.count), timeout)
  }
}

// MARK: Looking

extension MonitorLoop {
  private func receive() {
    guard let watch, !watch.isStale else { return }
    do throws(POSIXFailure) {
      _ = try watch.receiveAvailable()
    } catch {
      fail(error)
    }
  }

  /// Brings everything up to date: the socket, the model, the names, what has been promised for now.
  private func advance(lookAgain: Bool) {
    let now = MonotonicTime.now
    if names.expire(now) { judgeAll() }
    if lookAgain || retry.map({ $0 <= now }) ?? true { lookAtNetwork() }
    judgeNew()
    // Judging asks the kernel, which may have told more meanwhile.
    if retry == nil, lookUpFailure != nil || watch.map({ $0.isStale || !$0.changes.isEmpty }) ?? false { retry = now }
    for name in names.takeReady(now) {
      configuration.resolver.resolve(name) { [mailbox] resolution in
        _ = mailbox.send(.resolved(name: name, resolution))
      }
    }
    tellDue(now)
  }

  /// Opens the socket, fills the model and judges, as far as each is needed. Sets ``retry`` if something is left to do.
  private func lookAtNetwork() {
    retry = nil
    if watch == nil, !observers.isEmpty { open() }
    guard let watch else { return }
    if watch.isStale { synchronize(watch) }
    for _ in 0..<4 where !watch.isStale && failure == nil && !watch.changes.isEmpty { takeChanges(watch) }
    if let lookUpFailure {
      self.lookUpFailure = nil
      return fail(lookUpFailure)
    }
    guard self.watch != nil else { return }
    if watch.isStale || !watch.changes.isEmpty { postpone() } else { failedAttempts = 0 }
  }

  private func open() {
    do throws(POSIXFailure) {
      let watch = try NetworkWatch(
        receiveBufferSize: configuration.receiveBufferSize, classifier: configuration.classifier
      )
      watch.modelChanged = { [unowned self] in judgeModelled() }
      self.watch = watch
      failure = nil
      retry = nil
      monitor.count { $0.sockets += 1 }
    } catch {
      fail(error)
    }
  }

  private func synchronize(_ watch: NetworkWatch) {
    monitor.count { $0.synchronizations += 1 }
    do throws(POSIXFailure) {
      _ = try watch.synchronize()
    } catch {
      fail(error)
    }
  }

  private func takeChanges(_ watch: NetworkWatch) {
    if !watch.changes.isDisjoint(with: .uncertain) {
      monitor.count { $0.routeRefreshes += 1 }
      do throws(POSIXFailure) {
        try watch.refreshRoutes()
      } catch {
        return fail(error)
      }
      if watch.isStale || !watch.changes.isDisjoint(with: .uncertain) { return }
    }
    let changes = watch.changes
    watch.changes = []
    lookUps = [:]
    if changes.contains(.paths) { names.invalidate(now: .now) }
    judgeAll()
  }

  /// Tries again soon: at once, then later and later, so that a storm does not become a busy loop.
  private func postpone() {
    failedAttempts += 1
    retry = .now + min(0.5, 0.005 * Double(failedAttempts * failedAttempts))
  }

  private func fail(_ error: POSIXFailure) {
    let isNew = failure == nil
    let failure = AFReachabilityError.netlinkUnavailable(call: error.call, code: error.code)
    self.failure = failure
    watch = nil
    failedAttempts += 1
    // What is forbidden stays so until somebody asks anew; anything else may pass.
    let isForbidden = [EPERM, EACCES, EAFNOSUPPORT, EPROTONOSUPPORT, ENOSYS].contains(error.code)
    retry = isForbidden ? .distantFuture : .now + min(60, Double(UInt64(1) << UInt64(min(failedAttempts, 6))))
    if isNew { AFReachabilityLog.write(failure.description) }
    judgeAll()
  }
}
