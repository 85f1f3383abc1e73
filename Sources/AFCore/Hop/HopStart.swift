import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// The start of a hop: the gates that its request passes, in the order in which they are read. A gate that has to wait starts the hop
/// again when it has its answer, and one that fails ends the task.
///
/// 1. The stream of a streamed upload. Nothing is asked for before there is a way to the network.
/// 2. The token, and what servers have accepted before.
/// 3. The cache: an answer out of it, or fields that ask whether what is kept is still good.
/// 4. The network, and the body's digest.
/// 5. A stub, which takes the place of the network.
/// 6. The engine.
struct HopStart: Sendable {
  private let task: TaskCore
  private let session: SessionCore
  private let manager: AFURLSessionManager?
  private let blocks: BlockTable
  private let current: HopRequest
  private let options: HopOptions
  private let wantsStream: Bool

  private var network: NetworkWait { NetworkWait(task: task, session: session) }
  private var authorization: HopAuthorization { HopAuthorization(task: task, session: session) }
  private var cache: HopCache { HopCache(task: task, session: session) }

  /// The start of the task's present hop; nil if the task is over.
  init?(_ task: TaskCore, _ state: TaskState) {
    guard let session = state.owner.session else { return nil }
    self.task = task
    self.session = session
    manager = state.owner.manager
    blocks = state.owner.blocks
    current = state.current
    options = state.hopOptions(task.kind)
    wantsStream = state.ledger.wantsFirstStream
  }

  /// Passes the gates.
  /// - Returns: The transfer; nil if the hop waits, or the task has ended.
  func begin() -> TransferHandle? {
    if wantsStream { guard !network.holdsFirstHop(), hasFirstStream() else { return nil } }
    var request = current
    if let use = blocks.bearer {
      let gate = TokenGate(task: task, session: session, use: use)
      guard !network.holdsFirstHop(), gate.authorize(&request) else { return nil }
    }
    authorization.authenticate(&request)
    let stub = session.settings.protocolClass(for: request)
    switch cache.use(for: request, isStubbed: stub != nil) {
    case .isAsked, .isRefused: return nil
    case .serves(let answer): return cache.serve(answer)
    case .loads(let stored, let fields):
      guard !network.holdsFirstHop(), BodyDigestGate(task: task).lets(request) else { return nil }
      // Computed last: each one counts.
      let digest = authorization.digestField(request)
      if let digest { request.set(digest.name, digest.value) }
      if let stub { return begin(stub.0, stub.1, stored, digest, request) }
      return begin(request.with(fields))
    }
  }

  /// Gets the first stream of a streamed upload: from the block or the method that a subclass overrides, if there is one, else
  /// the request's own. The hop that is about to start waits for it.
  /// - Returns: Whether the hop may go on with the request as it is.
  private func hasFirstStream() -> Bool {
    task.state.withLock { $0.ledger.wantsFirstStream = false }
    if blocks.interests.contains(.bodyStream), let manager {
      AppQuestions(task: task, session: session, manager: manager, transfer: nil).firstBodyStream(for: current)
      return false
    }
    if current.body.isEmpty { task.fail(AppQuestions.noStream(current)) }
    return !current.body.isEmpty
  }

  private func begin(
    _ type: URLProtocol.Type, _ urlRequest: URLRequest, _ stored: StoredResponse?,
    _ digest: TransferRequest.HeaderField?, _ request: HopRequest
  ) -> TransferHandle {
    var urlRequest = urlRequest
    if let digest { urlRequest.setValue(digest.value, forHTTPHeaderField: digest.name) }
    if session.cache != nil { cache.note(sent: session.headers(of: request), request) }
    return ProtocolTransfer(type, urlRequest, cached: stored?.cached, task: task).start()
  }

  private func begin(_ request: HopRequest) -> TransferHandle? {
    var transfer: TransferRequest
    do {
      transfer = try session.prepare(request, options: options)
    } catch let error as URLError {
      task.fail(error)
      return nil
    } catch {
      task.fail(URLError.unreadableBody(request.url, error))
      return nil
    }
    if session.cache != nil { cache.note(sent: transfer.headers, request) }
    transfer.options.authentication = task.state.withLock { state in
      state.ledger.carried(to: state.current.url)?.answer.transfer
    }
    if transfer.options.proxy != .direct { authorization.authenticateProxy(&transfer, request.body) }
    return session.trust.start(transfer, handler: task, session.engine, manager)
  }
}
