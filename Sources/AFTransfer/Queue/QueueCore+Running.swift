import AFCore
import AFSecurity
import AFSupport
import Foundation

/// Attempts: their beginning, and what becomes of them.
extension QueueCore {
  func start(_ id: UUID) {
    guard var record = records[id] else { return }
    record.phase = .running
    record.reason = nil
    record.deadline = nil
    record.attempts = min(max(record.attempts, 0), 1_000_000) + 1
    records[id] = record
    ready[id] = nil
    let progress = AttemptProgress(
      AttemptProgress.Values(completed: record.completed, total: record.total ?? record.fingerprint?.size))
    running[id] = Running(progress: progress, told: progress.values)
    writer.note(record.stored)
    tellState(id)
    // On queues, not on the cooperative threads: attempts write to disks.
    running[id]?.task = Task(executorPreference: QueueExecutor.shared) { [self] in
      let end = await attempt(id, progress)
      await finish(id, end)
    }
    watchRunning()
  }

  /// One attempt, with what is resolved for it. It runs on no actor.
  private nonisolated func attempt(_ id: UUID, _ progress: AttemptProgress) async -> AttemptEnd {
    do throws(AttemptFailure) {
      let context = try await prepare(id, progress)
      switch context.record.request.kind {
      case .download: return await DownloadAttempt(context: context).run()
      case .upload: return await UploadAttempt(context: context, source: try await source(context)).run()
      }
    } catch {
      return .failed(error)
    }
  }

  private nonisolated func source(_ context: AttemptContext) async throws(AttemptFailure) -> SourceFile {
    var record = context.record
    let spool = context.spool
    if record.request.source == .handOver, let place = record.bodyPath, access(place, F_OK) != 0 {
      // A crash came between the record and the move.
      let path = record.request.file.path
      do throws(AFTransferError) { record.fingerprint = try spool.takeOver(path, to: place) } catch {
        throw AttemptFailure(.sourceMissing, error.message)
      }
      let fingerprint = record.fingerprint
      do { try await context.learn { $0.fingerprint = fingerprint } } catch {
        throw AttemptFailure(.interrupted, "the store cannot be written to: \(error)")
      }
    }
    guard let path = record.bodyPath, let fingerprint = record.fingerprint else {
      throw AttemptFailure(.sourceMissing, "the transfer has no file")
    }
    return try SourceFile(path: path, fingerprint: fingerprint)
  }

  private func prepare(_ id: UUID, _ progress: AttemptProgress) async throws(AttemptFailure) -> AttemptContext {
    guard let record = records[id] else { throw AttemptFailure(.interrupted, "the transfer is gone") }
    var policy: AFSecurityPolicy?
    if let name = record.request.securityPolicy {
      guard let found = policies[name] else {
        throw AttemptFailure(.policy, "no security policy '\(name)' is registered")
      }
      policy = found
    }
    let wasRefused = running[id]?.wasRefused ?? false
    var authorization: String?
    var bearer: AFBearerAuthentication?
    if let name = record.request.credentials {
      switch credentials[name] {
      case .bearer(let token): bearer = token
      case .closure(let ask): authorization = try await Self.ask(ask, name, record.request.url, wasRefused)
      case nil:
        guard let value = SystemCredential.value(name) else {
          throw AttemptFailure(.credentials, "no credentials '\(name)' are registered")
        }
        authorization = value
      }
    }
    var interface: String?
    for case .interface(let name) in record.request.requirements { interface = name }
    let manager = lanes.manager(policy: policy, bearer: bearer, interface: interface, configuration)
    return AttemptContext(
      record: record, manager: manager, authorization: authorization, spool: spool, progress: progress,
      learn: { [weak self] change in
        guard let self else { throw AFTransferStoreError.closed }
        try await self.learn(id, change)
      },
      acknowledged: { [weak self] in await self?.acknowledged(record.origin) })
  }

  private static func ask(
    _ credentials: AFTransferQueue.Credentials, _ name: String, _ url: URL, _ wasRefused: Bool
  ) async throws(AttemptFailure) -> String {
    do {
      let value = try await credentials(url, wasRefused)
      guard HTTPHeaderValidation.fault(inField: "Authorization", value: value) == nil else {
        throw AttemptFailure(.credentials, "the credentials '\(name)' are no header field")
      }
      return value
    } catch let failure as AttemptFailure {
      throw failure
    } catch {
      throw AttemptFailure(.credentials, "the credentials '\(name)' could not be had: \(type(of: error))")
    }
  }

  /// Makes a change durable that an attempt depends on.
  private func learn(_ id: UUID, _ change: @Sendable (inout TransferRecord) -> Void) async throws {
    guard var record = records[id], record.isLive else { throw AFTransferStoreError.closed }
    change(&record)
    records[id] = record
    try await writer.commit([.update(record.stored)])
  }

  private func acknowledged(_ origin: String) {
    guard let breaker = breakers[origin], breaker.failures > 0 else { return }
    breakers[origin]?.succeed()
    saveBreaker(origin)
    tick()
  }

  // MARK: ends of attempts

  func finish(_ id: UUID, _ attemptEnd: AttemptEnd) async {
    let attempt = running.removeValue(forKey: id)
    defer { tick() }
    guard var record = records[id], record.isLive else {
      // Cancelled or expired meanwhile; what it left behind goes with it.
      await removeFiles(id)
      return
    }
    record.completed = attempt?.progress.values.completed ?? record.completed
    switch attemptEnd {
    case .completed(let result):
      breakers[record.origin, default: OriginBreaker()].succeed()
      record.result = result
      record.wasSent = false
      record.completed = attempt?.progress.values.completed ?? record.completed
      record.total = record.total ?? record.completed
      records[id] = record
      saveBreaker(record.origin)
      end(id, .completed)
    case .failed(var failure):
      if attempt?.isStalled == true, failure.cause == .interrupted {
        failure.cause = .network
        failure.message = "nothing moved for \(Int(configuration.idleTimeout)) s"
      }
      if failure.cause == .interface || obstacle(record) == .interface { failure.cause = .interface }
      // Once more at once, with fresh credentials.
      if failure.cause == .status(401), attempt?.wasRefused == false, record.request.credentials != nil {
        records[id]?.wasSent = false
        retryRefused(id)
        return
      }
      await settle(id, record, failure)
    }
  }

  private func settle(_ id: UUID, _ old: TransferRecord, _ failure: AttemptFailure) async {
    var record = old
    let now = ClockReading.now
    if case .status(500...) = failure.cause {
      let successes = breakers[record.origin]?.successes ?? 0
      if successes > record.successesSeen { record.serverErrors = min(max(record.serverErrors, 0), 1_000_000) + 1 }
      record.successesSeen = successes
    }
    let decision = RetryRule.decide(
      failure, isRepeatable: record.request.isRepeatable, attempts: record.attempts, serverErrors: record.serverErrors,
      configuration.retryPolicy)
    if failure.cause != .interrupted { record.lastError = failure.error(.gaveUp) }
    // An answer came, or nothing had been sent.
    if decision != .doubt { record.wasSent = false }
    switch decision {
    case .backOff:
      breakers[record.origin, default: OriginBreaker()].fail(
        configuration.retryPolicy, retryAfter: failure.retryAfter, jitter: .random(in: 0.1...1), now)
      saveBreaker(record.origin)
      if record.phase != .suspended { record.phase = .queued }
    case .wait(let reason, let seconds):
      if record.phase != .suspended {
        record.phase = .waiting
        record.reason = reason
        record.deadline = StoredDeadline(after: seconds, now)
      }
    case .queue: if record.phase != .suspended { record.phase = .queued }
    case .doubt:
      records[id] = record
      settleDoubt(id)
      return
    case .fail(let code):
      records[id] = record
      end(id, .failed, failure.error(code))
      return
    }
    records[id] = record
    if old.wasSent {
      // Durable, since what is in the store says that it may have been processed.
      try? await writer.commit([.update(record.stored)])
    } else {
      writer.note(record.stored)
    }
    tellState(id)
  }

  private func retryRefused(_ id: UUID) {
    guard !isClosed, !isPaused, records[id]?.phase.isUnderWay == true else {
      if records[id]?.phase.isUnderWay == true { records[id]?.phase = .queued }
      return
    }
    start(id)
    running[id]?.wasRefused = true
  }

  /// Ends a transfer whose request may have been processed, by asking where the caller has said whom.
  func settleDoubt(_ id: UUID) {
    guard let record = records[id], record.isLive, inDoubt.insert(id).inserted else { return }
    records[id]?.phase = .finishing
    let error = AFTransferError(
      .outcomeUnknown, "the server may have processed the request, and no answer came",
      urlErrorCode: record.lastError?.urlErrorCode)
    Task {
      var verdict = AFTransferQueue.Verdict.unknown
      if let name = record.request.verification {
        guard let ask = verifications[name] else {
          // It is asked when it is registered. Until then nothing is sent.
          inDoubt.remove(id)
          wait(id, for: .credentials)
          return
        }
        verdict = (try? await ask(record.request)) ?? .unknown
      }
      inDoubt.remove(id)
      guard records[id]?.isLive == true, !isClosed else { return }
      switch verdict {
      case .processed:
        records[id]?.result = AFTransferResult(statusCode: nil)
        records[id]?.completed = record.total ?? record.completed
        end(id, .completed)
      case .notProcessed:
        records[id]?.wasSent = false
        records[id]?.phase = .queued
        if let stored = records[id]?.stored { try? await writer.commit([.update(stored)]) }
        tick()
      case .unknown: end(id, .failed, error)
      }
    }
  }

  private func wait(_ id: UUID, for reason: AFTransferWaitReason) {
    records[id]?.phase = .waiting
    records[id]?.reason = reason
    records[id]?.deadline = StoredDeadline(after: 1e9, .now)
    tellState(id)
  }

  /// Ends a transfer: durable, then told.
  func end(_ id: UUID, _ phase: TransferRecord.Phase, _ error: AFTransferError? = nil) {
    guard records[id]?.isLive == true else { return }
    records[id]?.phase = phase
    records[id]?.reason = nil
    records[id]?.deadline = nil
    records[id]?.ended = StoredDeadline(after: configuration.retention, .now)
    if let error { records[id]?.lastError = error }
    ending.insert(id)
    leave(id)
    running[id]?.task?.cancel()
    Task { await tellEnd(id) }
  }

  func tellEnd(_ id: UUID) async {
    guard let record = records[id], let outcome = record.outcome else { return }
    let changes: [StoreChange] = [
      .update(record.stored), .end(StoredEnding(transfer: id.uuidString, document: record.phase.rawValue)),
    ]
    while true {
      do {
        try await writer.commit(changes)
        break
      } catch .closed {
        // The next opening sees the transfer as it was, and ends it again.
        return
      } catch {
        try? await Task.sleep(nanoseconds: 1_000_000_000)
      }
    }
    ending.remove(id)
    hub.tell(AFTransferEvent(transfer: handle(id), kind: .ended(outcome)))
    for waiter in outcomeWaiters.removeValue(forKey: id) ?? [] { waiter.continuation.resume(returning: outcome) }
    if running[id] == nil { await removeFiles(id) }
    tellIdle()
  }

  private func removeFiles(_ id: UUID) async {
    let spool = spool
    await onDisk { spool.remove(id) }
  }

  private func saveBreaker(_ origin: String) {
    guard let breaker = breakers[origin], let data = try? JSONEncoder().encode(breaker) else { return }
    let change = StoreChange.setOrigin(StoredOrigin(name: origin, document: String(decoding: data, as: UTF8.self)))
    Task { try? await writer.commit([change]) }
  }
}
