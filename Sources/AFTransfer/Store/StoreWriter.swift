import AFSupport
import Foundation

/// Brings changes to the store from any task, in the order they were handed over, on a thread that may wait for the disk.
///
/// What comes while a transaction is being synced is the next one: a thousand callers at once cost a few syncs, not a thousand.
final class StoreWriter: Sendable {
  private struct Entry: Sendable {
    var changes: [StoreChange]
    var continuation: CheckedContinuation<Result<Void, AFTransferStoreError>, Never>
  }

  private struct State {
    var entries: [Entry] = []
    /// The latest of each transfer, made durable with the next transaction.
    var lazy: [String: StoredTransfer] = [:]
    var flushed = MonotonicTime.now
    var isDraining = false
    var isClosed = false
  }

  private let store: any TransferStore
  private let queue = DispatchQueue(label: "AFTransfer.store")
  private let state = Locked(State())

  init(_ store: any TransferStore) {
    self.store = store
  }

  /// Makes changes, as one. They are durable when this returns.
  func commit(_ changes: [StoreChange]) async throws(AFTransferStoreError) {
    let result = await withCheckedContinuation { continuation in
      let accepted = state.withLock { state -> Bool in
        guard !state.isClosed else { return false }
        // What is noted of them is older.
        for case .update(let transfer) in changes { state.lazy[transfer.id] = nil }
        for case .remove(let id) in changes { state.lazy[id] = nil }
        state.entries.append(Entry(changes: changes, continuation: continuation))
        return true
      }
      if accepted { drainSoon() } else { continuation.resume(returning: .failure(.closed)) }
    }
    try result.get()
  }

  /// Notes a transfer's state that may be lost: it rides with the next commit, or with ``flush()``.
  func note(_ transfer: StoredTransfer) {
    state.withLock { $0.lazy[transfer.id] = transfer }
  }

  /// Writes what is noted. Nothing if nothing is.
  func flush() {
    if state.withLock({ !$0.lazy.isEmpty && !$0.isClosed }) { drainSoon() }
  }

  /// Writes what is noted if the last time was ten seconds ago.
  func flushSometimes() {
    let isTime = state.withLock { state in
      guard MonotonicTime.now - state.flushed >= 10 else { return false }
      state.flushed = .now
      return true
    }
    if isTime { flush() }
  }

  /// Tidies up behind the last commit.
  func checkpoint() {
    queue.async { [store] in store.checkpoint() }
  }

  /// Writes what is noted, refuses what comes from now on, and closes the store.
  func close() async {
    state.withLock { $0.isClosed = true }
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        drain()
        store.close()
        continuation.resume()
      }
    }
  }

  private func drainSoon() {
    let isFirst = state.withLock { state in
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { queue.async { [self] in drain() } }
  }

  private func drain() {
    while true {
      let (entries, lazy) = state.withLock { state -> ([Entry], [StoreChange]) in
        let taken = (state.entries, state.lazy.values.map(StoreChange.update))
        state.entries = []
        state.lazy = [:]
        if taken.0.isEmpty, taken.1.isEmpty { state.isDraining = false }
        return taken
      }
      if entries.isEmpty, lazy.isEmpty { return }
      write(entries, lazy)
    }
  }

  private func write(_ entries: [Entry], _ lazy: [StoreChange]) {
    do throws(AFTransferStoreError) {
      // What is noted is newer than what waits: a commit drops what was noted of its transfers before it.
      try store.commit(entries.flatMap(\.changes) + lazy)
      for entry in entries { entry.continuation.resume(returning: .success(())) }
    } catch {
      if entries.count == 1, lazy.isEmpty {
        entries[0].continuation.resume(returning: .failure(error))
        return
      }
      // One of them may be at fault, or too large for what is left: each by itself. What is noted may be lost.
      for entry in entries {
        let result: Result<Void, AFTransferStoreError>
        do throws(AFTransferStoreError) {
          try store.commit(entry.changes)
          result = .success(())
        } catch {
          result = .failure(error)
        }
        entry.continuation.resume(returning: result)
      }
    }
  }
}
