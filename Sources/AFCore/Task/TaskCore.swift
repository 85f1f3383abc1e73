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
    let owner = TaskOwner(
      session: session, manager: manager, blocks: blocks, closures: closures, completion: completion)
    var state = TaskState(owner: owner, request: request)
    state.noteBearer()
    self.state = Locked(state)
  }

  /// The core of a task that an app has made by itself, to stand in for a real one.
  init(inert kind: TaskKind) {
    identifier = 0
    self.kind = kind
    isInert = true
    let owner = TaskOwner(session: nil, manager: nil, blocks: .none, closures: TaskClosures(), completion: .none)
    state = Locked(TaskState(owner: owner, request: HopRequest(url: "", method: "GET")))
  }

  deinit {
    // A task that was never resumed still stands in its session's table.
    state.withLock { $0.owner.session }?.forget(identifier)
  }

  // MARK: Transfer handler

  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute {
    let session = state.withLock { state -> SessionCore? in
      state.adopt(transfer)
      state.answer.head = head
      state.answer.response = nil
      return state.owner.session
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
