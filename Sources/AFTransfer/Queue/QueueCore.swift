import AFCore
import AFReachability
import AFSecurity
import AFSupport
import Foundation

/// The queue's state. What is decided is decided by the pure rules; what is durable goes by the writer.
///
/// Every change is made in memory first, without a suspension between the look and the change, and then written: another call that
/// comes meanwhile sees the new state. What may wait for a disk runs elsewhere.
actor QueueCore {
  enum Credentials: Sendable {
    case closure(AFTransferQueue.Credentials)
    case bearer(AFBearerAuthentication)
  }

  typealias Verification = @Sendable (AFTransferRequest) async throws -> AFTransferQueue.Verdict

  /// An attempt under way.
  struct Running {
    var task: Task<Void, Never>?
    var progress: AttemptProgress
    var told = AttemptProgress.Values()
    /// The queue gave it up, since nothing moved.
    var isStalled = false
    var wasRefused = false
  }

  nonisolated let hub = EventHub()
  nonisolated let recovery: StoreRecovery?
  let spool: Spool
  let writer: StoreWriter
  let configuration: AFTransferQueue.Configuration

  var records: [UUID: TransferRecord] = [:]
  /// In the order of adding.
  var live: [UUID] = []
  var order: [UUID: Int] = [:]
  var keys: [String: UUID] = [:]
  var keyWaiters: [String: [CheckedContinuation<Void, Never>]] = [:]
  var breakers: [String: OriginBreaker] = [:]
  var running: [UUID: Running] = [:]
  /// Transfers whose outcome is being found out.
  var inDoubt: Set<UUID> = []
  /// Transfers that are durable, and whose files are on their way into the spool.
  var arriving: Set<UUID> = []
  /// Transfers that have ended, which is not durable yet.
  var ending: Set<UUID> = []
  /// When each could have run first, by the boot's clock.
  var ready: [UUID: Double] = [:]
  var policies: [String: AFSecurityPolicy] = [:]
  var credentials: [String: Credentials] = [:]
  var verifications: [String: Verification] = [:]
  var lanes = Lanes()
  var network: AFReachabilityState?
  var outcomeWaiters: [UUID: [(id: UUID, continuation: CheckedContinuation<AFTransferOutcome, any Error>)]] = [:]
  var idleWaiters: [(id: UUID, continuation: CheckedContinuation<Void, any Error>)] = []
  var isPaused = false
  var isClosed = false
  private var count = 0
  private var alarm: Task<Void, Never>?
  private var alarmAt: MonotonicTime = .distantFuture
  private var ticker: Task<Void, Never>?
  private var watcher: Task<Void, Never>?
  private var lastPurge = MonotonicTime(nanoseconds: 0)

  static func open(_ folder: String, _ configuration: AFTransferQueue.Configuration) async throws -> QueueCore {
    let opened = await onDisk { () -> Result<(SQLiteTransferStore, StoreSnapshot), any Error> in
      Result {
        let store = try SQLiteTransferStore(folder: folder)
        return (store, try store.snapshot())
      }
    }
    let (store, snapshot) = try opened.get()
    let core = QueueCore(store, configuration)
    await core.begin(snapshot)
    return core
  }

  private init(_ store: SQLiteTransferStore, _ configuration: AFTransferQueue.Configuration) {
    spool = Spool(folder: store.folder.spool)
    recovery = store.recovery
    writer = StoreWriter(store)
    self.configuration = configuration
  }

  private func begin(_ snapshot: StoreSnapshot) async {
    let unacknowledged = Set(snapshot.endings.map(\.transfer))
    var known: Set<String> = []
    for stored in snapshot.transfers {
      // A record that cannot be read stays where it is, with its files: a later version may know better.
      if stored.isLive { known.insert(stored.id) }
      guard var record = TransferRecord(stored) else { continue }
      if !record.phase.isEnd, record.phase != .suspended {
        let isOwnWait = record.phase == .waiting && [.locked, .trust].contains(record.reason)
        if !isOwnWait {
          record.phase = .queued
          record.reason = nil
          record.deadline = nil
        }
      }
      enter(record)
      if unacknowledged.contains(stored.id), let outcome = record.outcome {
        hub.tell(AFTransferEvent(transfer: handle(record.id), kind: .ended(outcome)))
      }
    }
    for stored in snapshot.origins {
      breakers[stored.name] = try? JSONDecoder().decode(OriginBreaker.self, from: Data(stored.document.utf8))
    }
    let (spool, names) = (spool, known)
    await onDisk { spool.removeAll(but: names) }
    watcher = Task { [weak self] in
      for await state in AFNetworkReachabilityManager().states() {
        guard let self else { return }
        await self.take(state)
      }
    }
    for id in live where records[id]?.wasSent == true && records[id]?.phase != .suspended { settleDoubt(id) }
    tick()
  }

  func enter(_ record: TransferRecord) {
    count += 1
    records[record.id] = record
    order[record.id] = count
    guard record.isLive else { return }
    live.append(record.id)
    if let key = record.request.key { keys[key] = record.id }
  }

  /// Takes a transfer out of what is looked through at each step.
  func leave(_ id: UUID) {
    live.removeAll { $0 == id }
    ready[id] = nil
    if let key = records[id]?.request.key, keys[key] == id { keys[key] = nil }
  }

  nonisolated func handle(_ id: UUID) -> AFTransfer { AFTransfer(id: id, core: self) }

  // MARK: asking

  var all: [AFTransfer] { records.keys.sorted { order[$0, default: 0] < order[$1, default: 0] }.map(handle) }

  func transfer(_ id: UUID) -> AFTransfer? { records[id] == nil ? nil : handle(id) }
  func record(_ id: UUID) -> TransferRecord? { records[id] }

  func state(_ id: UUID) -> AFTransferState? {
    guard let record = records[id] else { return nil }
    let now = ClockReading.now
    if running[id]?.progress.values.isFinishing == true, record.phase == .running { return .finishing }
    if record.phase == .queued, let reason = obstacle(record) { return .waiting(reason, until: nil) }
    if record.phase == .queued, case let wait = breakers[record.origin]?.remaining(now) ?? 0, wait > 0 {
      return .waiting(.backoff, until: now.wall + wait)
    }
    return record.state(now)
  }

  func progress(_ id: UUID) -> AFTransferProgress? {
    guard let record = records[id] else { return nil }
    let values = running[id]?.progress.values
    return AFTransferProgress(
      completed: values?.completed ?? record.completed, sent: values?.sent ?? 0, total: values?.total ?? record.total)
  }

  // MARK: the network

  /// Why a transfer that could run may not use the present network.
  func obstacle(_ record: TransferRecord) -> AFTransferWaitReason? {
    let host = Origin(record.origin)?.host ?? ""
    let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
    for requirement in record.request.requirements {
      switch requirement {
      case .unmetered: if !isLocal, network?.isLikelyMetered == true { return .unmetered }
      case .interface(let name): if if_nametoindex(name) == 0 { return .interface }
      }
    }
    if !isLocal, network?.status == .notReachable { return .network }
    return nil
  }

  private func take(_ state: AFReachabilityState) {
    let before = network
    network = state
    if let before, state.isReachable, !before.isReachable || before.sourceAddress != state.sourceAddress {
      let now = ClockReading.now
      for origin in breakers.keys {
        breakers[origin]?.networkReturned(configuration.retryPolicy, jitter: .random(in: 0...1), now)
      }
    }
    // What is under way must not go on by a way that its request forbids.
    for id in running.keys {
      if let record = records[id], let reason = obstacle(record), reason != .network { running[id]?.task?.cancel() }
    }
    tick()
  }

  // MARK: time

  /// Looks for what can begin, ends what has expired, and sets the alarm for the next look.
  func tick() {
    guard !isClosed else { return }
    let now = ClockReading.now
    var next = 3600.0
    var candidates: [TransferSchedule.Candidate] = []
    for id in live {
      guard let record = records[id] else { continue }
      let life = record.expiry.remaining(now)
      if life <= 0 {
        end(id, .failed, AFTransferError(.expired, "the lifetime is over"))
        continue
      }
      next = min(next, life)
      guard running[id] == nil, !inDoubt.contains(id), !arriving.contains(id),
        record.phase == .queued || record.phase == .waiting
      else {
        continue
      }
      if record.phase == .waiting, let wait = record.deadline?.remaining(now), wait > 0 {
        next = min(next, wait)
        continue
      }
      guard obstacle(record) == nil else { continue }
      let since = ready[id, default: now.boottime]
      ready[id] = since
      candidates.append(
        TransferSchedule.Candidate(
          id: id, origin: record.origin, priority: record.request.priority, order: order[id] ?? 0,
          waited: now.boottime - since, attempts: record.attempts))
      if let wait = breakers[record.origin]?.remaining(now), wait > 0 { next = min(next, wait) }
    }
    if !isPaused {
      let choice = TransferSchedule.choose(
        candidates, running: running.keys.compactMap(runningEntry), total: configuration.maximumConcurrency,
        isProbing: { breakers[$0]?.isProbing ?? false },
        mayStart: { origin, count in
          (breakers[origin] ?? OriginBreaker()).mayStart(
            running: count, limit: configuration.maximumConcurrencyPerOrigin, now)
        })
      if let id = choice.interrupt { running[id]?.task?.cancel() }
      for id in choice.start { start(id) }
      if candidates.contains(where: { $0.priority == .high }) { next = min(next, 30) }
    }
    tellIdle()
    if MonotonicTime.now - lastPurge > 3600 {
      lastPurge = .now
      Task { try? await purge(olderThan: configuration.retention) }
    }
    setAlarm(after: max(0.01, next))
  }

  private func runningEntry(_ id: UUID) -> TransferSchedule.Running? {
    records[id].map {
      TransferSchedule.Running(
        id: id, origin: $0.origin, priority: $0.request.priority, isResumable: $0.request.kind != .upload)
    }
  }

  private func setAlarm(after seconds: TimeInterval) {
    let moment = MonotonicTime.now + seconds
    guard moment < alarmAt || alarmAt <= .now else { return }
    alarm?.cancel()
    alarmAt = moment
    alarm = Task { [weak self] in
      // In steps, since the clock that it sleeps by stands still while the machine sleeps.
      try? await Task.sleep(nanoseconds: UInt64(min(seconds, 60) * 1e9))
      guard !Task.isCancelled else { return }
      await self?.ring()
    }
  }

  private func ring() {
    alarmAt = .distantFuture
    tick()
  }

  /// Four times a second while something is under way: tells progress, and looks for what does not get on.
  func watchRunning() {
    guard ticker == nil else { return }
    ticker = Task { [weak self] in
      while !Task.isCancelled {
        try? await Task.sleep(nanoseconds: 250_000_000)
        guard let self, await self.look() else { return }
      }
    }
  }

  private func look() -> Bool {
    for (id, attempt) in running {
      let values = attempt.progress.values
      if values != attempt.told {
        running[id]?.told = values
        tellProgress(id, values)
        if values.isFinishing, !attempt.told.isFinishing { tellState(id) }
        if values.completed != attempt.told.completed { note(id, values) }
      }
      let limit = values.isFinishing ? configuration.answerTimeout : configuration.idleTimeout
      if attempt.progress.idle > limit, !attempt.isStalled {
        running[id]?.isStalled = true
        attempt.task?.cancel()
      }
    }
    writer.flushSometimes()
    if running.isEmpty { ticker = nil }
    return !running.isEmpty
  }

  private func note(_ id: UUID, _ values: AttemptProgress.Values) {
    guard let record = records[id], record.isLive else { return }
    records[id]?.completed = values.completed
    records[id]?.total = values.total ?? record.total
    if let stored = records[id]?.stored { writer.note(stored) }
  }

  // MARK: telling

  func tellState(_ id: UUID) {
    guard let state = state(id), !state.isEnd else { return }
    hub.tell(AFTransferEvent(transfer: handle(id), kind: .state(state)))
  }

  func tellProgress(_ id: UUID, _ values: AttemptProgress.Values) {
    let progress = AFTransferProgress(completed: values.completed, sent: values.sent, total: values.total)
    hub.tell(AFTransferEvent(transfer: handle(id), kind: .progress(progress)))
  }

  // MARK: closing

  func close() async {
    guard !isClosed else { return }
    isClosed = true
    alarm?.cancel()
    watcher?.cancel()
    await stopRunning()
    ticker?.cancel()
    await writer.close()
    lanes.close()
    hub.close()
    for waiters in outcomeWaiters.values {
      for waiter in waiters { waiter.continuation.resume(throwing: AFTransferStoreError.closed) }
    }
    outcomeWaiters = [:]
    for waiter in idleWaiters { waiter.continuation.resume(throwing: AFTransferStoreError.closed) }
    idleWaiters = []
  }

  func stopRunning() async {
    let tasks = running.values.compactMap(\.task)
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
  }
}
