import AFCore
import AFSecurity
import AFSupport
import Foundation

/// What callers do: adding, ending, waiting.
extension QueueCore {
  func add(_ requests: [AFTransferRequest]) async throws -> [AFTransfer] {
    guard !isClosed else { throw AFTransferStoreError.closed }
    for request in requests { if let refusal = request.refusal { throw refusal } }
    var handles: [AFTransfer] = []
    var added: [TransferRecord] = []
    var reserved: [String] = []
    do {
      for request in requests {
        if let key = request.key {
          if let present = await present(key, mine: reserved) {
            handles.append(handle(present))
            continue
          }
        }
        let now = ClockReading.now
        let origin = Origin(request.url.absoluteString).map {
          "\($0.scheme)://\($0.host.contains(":") ? "[\($0.host)]" : $0.host):\($0.port)"
        }
        var record = TransferRecord(request: request, origin: origin ?? "", now: now)
        if let key = request.key {
          keys[key] = record.id
          reserved.append(key)
        }
        if request.kind != .download { record = try await withBody(record) }
        added.append(record)
        handles.append(handle(record.id))
      }
      try budget(added)
      if !added.isEmpty { try await writer.commit(added.map { .add($0.stored) }) }
    } catch {
      await undo(added, reserved)
      throw error
    }
    for record in added {
      enter(record)
      arriving.insert(record.id)
    }
    defer { arriving.subtract(added.map(\.id)) }
    do {
      try await takeOver(added)
    } catch {
      for record in added { leave(record.id) }
      for record in added { records[record.id] = nil }
      try? await writer.commit(added.map { .remove($0.id.uuidString) })
      await undo([], reserved)
      throw error
    }
    arriving.subtract(added.map(\.id))
    release(reserved)
    for record in added { tellState(record.id) }
    tick()
    return handles
  }

  /// The live transfer of a key, once it is durable.
  private func present(_ key: String, mine: [String]) async -> UUID? {
    while let id = keys[key] {
      if records[id] != nil || mine.contains(key) { return id }
      // It is being added by another call.
      await withCheckedContinuation { keyWaiters[key, default: []].append($0) }
    }
    return nil
  }

  private func release(_ keys: [String]) {
    for key in keys { for waiter in keyWaiters.removeValue(forKey: key) ?? [] { waiter.resume() } }
  }

  private func undo(_ added: [TransferRecord], _ reserved: [String]) async {
    for key in reserved { keys[key] = nil }
    release(reserved)
    let (spool, ids) = (spool, added.map(\.id))
    if !ids.isEmpty { await onDisk { for id in ids { unlink(spool.body(id)) } } }
  }

  private func withBody(_ old: TransferRecord) async throws -> TransferRecord {
    let spool = spool
    let result = await onDisk { () -> Result<TransferRecord, AFTransferError> in
      Result { () throws(AFTransferError) in
        var record = old
        let fingerprint = try spool.inspect(record.request)
        record.total = fingerprint.size
        record.fingerprint = fingerprint
        switch record.request.source {
        case .reference: record.bodyPath = record.request.file.path
        case .handOver: record.bodyPath = spool.body(record.id)
        case .copy:
          let place = spool.body(record.id)
          record.fingerprint = try spool.copy(record.request.file.path, to: place)
          record.total = record.fingerprint?.size
          record.bodyPath = place
        }
        return record
      }
    }
    return try result.get()
  }

  private func budget(_ added: [TransferRecord]) throws {
    guard let budget = configuration.diskBudget else { return }
    let all = live.compactMap { records[$0] } + added
    let taken = all.reduce(into: Int64(0)) { sum, record in
      guard record.request.kind != .download, record.request.source != .reference else { return }
      sum =
        sum.addingReportingOverflow(record.fingerprint?.size ?? 0).overflow
        ? .max : sum + (record.fingerprint?.size ?? 0)
    }
    guard taken <= budget else {
      throw AFTransferError(.cannotWrite, "the spool's budget of \(budget) bytes would be exceeded")
    }
  }

  private func takeOver(_ added: [TransferRecord]) async throws {
    for record in added where record.request.source == .handOver && record.request.kind != .download {
      let (spool, path, place) = (spool, record.request.file.path, spool.body(record.id))
      let result = await onDisk { () -> Result<FileFingerprint, AFTransferError> in
        Result { () throws(AFTransferError) in try spool.takeOver(path, to: place) }
      }
      records[record.id]?.fingerprint = try result.get()
      if let stored = records[record.id]?.stored { try await writer.commit([.update(stored)]) }
    }
  }

  // MARK: one transfer

  func cancel(_ id: UUID) async throws {
    guard records[id]?.isLive == true else { return }
    let old = records[id]
    ending.insert(id)
    records[id]?.phase = .cancelled
    records[id]?.reason = nil
    records[id]?.ended = StoredDeadline(after: configuration.retention, .now)
    guard let record = records[id] else { return }
    do {
      try await writer.commit([
        .update(record.stored), .end(StoredEnding(transfer: id.uuidString, document: record.phase.rawValue)),
      ])
    } catch {
      ending.remove(id)
      if let old, records[id]?.phase == .cancelled { records[id] = old }
      throw error
    }
    leave(id)
    running[id]?.task?.cancel()
    await tellEnd(id)
    tick()
  }

  func suspend(_ id: UUID) async throws {
    guard let record = records[id], record.isLive, record.phase != .suspended else { return }
    records[id]?.phase = .suspended
    records[id]?.reason = nil
    records[id]?.deadline = nil
    running[id]?.task?.cancel()
    try await save(id)
    tellState(id)
    tellIdle()
  }

  func resume(_ id: UUID) async throws {
    guard records[id]?.phase == .suspended else { return }
    records[id]?.phase = .queued
    try await save(id)
    if records[id]?.wasSent == true, running[id] == nil { settleDoubt(id) }
    tellState(id)
    tick()
  }

  func retryNow(_ id: UUID) async throws {
    guard var record = records[id] else { return }
    if record.phase == .failed {
      if let key = record.request.key, let other = keys[key], other != id { return }
      record.phase = .queued
      record.wasSent = false
      record.serverErrors = 0
      record.expiry = StoredDeadline(after: record.request.lifetime, .now)
      record.ended = nil
      records[id] = record
      live.append(id)
      if let key = record.request.key { keys[key] = id }
      hub.acknowledge(id)
      try await writer.commit([.update(record.stored), .acknowledge(id.uuidString)])
    } else if record.phase == .waiting {
      records[id]?.phase = .queued
      records[id]?.deadline = nil
    }
    breakers[record.origin]?.succeed()
    tellState(id)
    tick()
  }

  func setPriority(_ priority: AFTransferRequest.Priority, _ id: UUID) async throws {
    guard records[id] != nil else { return }
    records[id]?.request.priority = priority
    try await save(id)
    tick()
  }

  private func save(_ id: UUID) async throws {
    if let stored = records[id]?.stored { try await writer.commit([.update(stored)]) }
  }

  func acknowledge(_ id: UUID) async throws {
    guard records[id]?.phase.isEnd == true else { return }
    try await writer.commit([.acknowledge(id.uuidString)])
    hub.acknowledge(id)
  }

  func purge(olderThan age: TimeInterval) async throws {
    let now = ClockReading.now
    let old = records.values.filter { record in
      guard record.phase.isEnd, running[record.id] == nil, !hub.isUnacknowledged(record.id) else { return false }
      return age <= 0 || record.ended?.isOver(now) ?? true
    }
    guard !old.isEmpty else { return }
    try await writer.commit(old.map { .remove($0.id.uuidString) })
    for record in old {
      records[record.id] = nil
      order[record.id] = nil
    }
    writer.checkpoint()
  }

  // MARK: waiting

  func outcome(_ id: UUID) async throws -> AFTransferOutcome {
    guard !isClosed else { throw AFTransferStoreError.closed }
    guard let record = records[id] else { throw AFTransferStoreError.closed }
    if let outcome = record.outcome, !ending.contains(id) { return outcome }
    let waiter = UUID()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        outcomeWaiters[id, default: []].append((waiter, continuation))
      }
    } onCancel: {
      Task { await self.forget(waiter) }
    }
  }

  func waitUntilIdle() async throws {
    guard !isClosed else { throw AFTransferStoreError.closed }
    if isIdle { return }
    let waiter = UUID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        idleWaiters.append((waiter, continuation))
      }
    } onCancel: {
      Task { await self.forget(waiter) }
    }
  }

  private func forget(_ waiter: UUID) {
    for (id, waiters) in outcomeWaiters {
      for entry in waiters where entry.id == waiter { entry.continuation.resume(throwing: CancellationError()) }
      outcomeWaiters[id] = waiters.filter { $0.id != waiter }
    }
    for entry in idleWaiters where entry.id == waiter { entry.continuation.resume(throwing: CancellationError()) }
    idleWaiters.removeAll { $0.id == waiter }
  }

  private var isIdle: Bool { running.isEmpty && live.allSatisfy { records[$0]?.phase == .suspended } }

  func tellIdle() {
    guard !idleWaiters.isEmpty, isIdle else { return }
    for waiter in idleWaiters { waiter.continuation.resume() }
    idleWaiters = []
  }

  // MARK: the whole queue

  func pause() async {
    isPaused = true
    await stopRunning()
  }

  func unpause() {
    isPaused = false
    tick()
  }

  func register(policy: AFSecurityPolicy, as name: String) {
    policies[name] = policy
    release(.policy) { $0.request.securityPolicy == name }
  }

  func register(credentials value: Credentials, as name: String) {
    credentials[name] = value
    release(.credentials) { $0.request.credentials == name }
  }

  func register(verification: @escaping Verification, as name: String) {
    verifications[name] = verification
    for id in live where records[id]?.wasSent == true && records[id]?.request.verification == name { settleDoubt(id) }
  }

  private func release(_ reason: AFTransferWaitReason, _ isMeant: (TransferRecord) -> Bool) {
    for id in live {
      guard let record = records[id], record.phase == .waiting, record.reason == reason, !record.wasSent,
        isMeant(record)
      else { continue }
      records[id]?.phase = .queued
      records[id]?.deadline = nil
    }
    tick()
  }
}
