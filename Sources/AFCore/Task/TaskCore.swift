import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// One task: a request, the hops it takes, and one completion.
///
/// All that changes stands behind one lock, which is never held while anything else is called. The rules:
/// - exactly one completion, whatever happens when;
/// - a cancellation counts from the moment it is asked for, also before the first `resume()`;
/// - `resume()` and `suspend()` do nothing the second time.
///
/// It is the handler of its own hops, so most of it runs on the engine's thread; user code runs on the session's callback
/// queue, and the task waits for its answers without holding a thread.
final class TaskCore: TransferHandler, Sendable {
  let identifier: Int
  let kind: TaskKind
  let state: Locked<TaskState>
  /// Whether it belongs to no session, and so does nothing.
  let isInert: Bool

  init(
    identifier: Int, kind: TaskKind, request: HopRequest, session: SessionCore, manager: AFURLSessionManager?,
    blocks: BlockTable, closures: TaskClosures = TaskClosures(), completion: TaskCompletion
  ) {
    self.identifier = identifier
    self.kind = kind
    isInert = false
    var state = TaskState(
      session: session, manager: manager, blocks: blocks, closures: closures, completion: completion,
      original: request, current: request)
    state.noteBearer()
    self.state = Locked(state)
  }

  /// The core of a task that an app has made by itself, to stand in for a real one.
  init(inert kind: TaskKind) {
    identifier = 0
    self.kind = kind
    isInert = true
    let request = HopRequest(url: "", method: "GET")
    state = Locked(
      TaskState(
        session: nil, manager: nil, blocks: BlockTable(ManagerBlocks(), base: []), closures: TaskClosures(),
        completion: .none, original: request, current: request))
  }

  deinit {
    // A task that was never resumed still stands in its session's table.
    state.withLock { $0.session }?.forget(identifier)
  }

  // MARK: Transfer handler

  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute {
    let session = state.withLock { state -> SessionCore? in
      state.adopt(transfer)
      state.head = head
      state.response = nil
      return state.session
    }
    guard let session else { return .discard }
    return route(head, transfer, session)
  }

  func transfer(_ transfer: TransferHandle, didSend total: Int64, expected: Int64?) {
    didSend(total, expected: expected)
  }

  func transfer(_ transfer: TransferHandle, didReceive total: Int64, expected: Int64?) {
    didReceive(total, expected: expected)
  }

  func transfer(_ transfer: TransferHandle, didComplete outcome: TransferOutcome) -> TransferSequel? {
    hopDidEnd(outcome)
  }
}

extension TaskState {
  mutating func beginHop() {
    phase = .starting
    hopCount += 1
    ledger.caching.isServing = false
    if session?.cache != nil { ledger.caching.beginHop() }
  }

  /// Takes note of whether it is a refresh that makes, or resumes, the task.
  mutating func noteBearer() {
    if blocks.bearer?.core.isRefreshingHere == true { ledger.token.isExempt = true }
  }

  /// Takes note of the hop's handle, which the engine's thread may know before `start` has returned.
  mutating func adopt(_ transfer: TransferHandle) {
    if case .starting = phase { phase = .flying(transfer) }
  }
}
