import AFReachability
import AFSecurity
import AFSerialization
import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

/// The state of a manager.
final class ManagerCore: Sendable {
  /// Serial; user code that is told of a transfer's course runs here.
  let callbackQueue = DispatchQueue(label: "com.alamofire.networking.session.manager.callbacks")
  let configuration: URLSessionConfiguration
  /// What the manager's class wants to be called for.
  let classInterests: Interests

  struct State {
    var session: AFURLSession?
    var operationQueue: OperationQueue?
    var blocks: BlockTable
    var responseSerializer: any AFURLResponseSerialization = AFJSONResponseSerializer()
    var securityPolicy = AFSecurityPolicy.default()
    var reachabilityManager: AFNetworkReachabilityManager?
    var transportOptions = AFTransportOptions()
    var bearer: AFBearerAuthentication?
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
  }

  private let state: Locked<State>

  /// Where response serializers run, of all managers.
  static let processingQueue = DispatchQueue(
    label: "com.alamofire.networking.session.manager.processing", attributes: .concurrent)
  /// The group of completions of managers that have none of their own.
  static let commonGroup = DispatchGroup()

  init(configuration: URLSessionConfiguration?, classInterests: Interests) {
    PinReportUploader.installed
    let configuration = configuration ?? .default
    self.configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
    self.classInterests = classInterests
    state = Locked(State(blocks: BlockTable(ManagerBlocks(), base: classInterests)))
  }

  func read<Value: Sendable>(_ member: (State) -> Value) -> Value {
    state.withLock { member($0) }
  }

  func update(_ change: (inout State) -> Void) {
    state.change { change(&$0) }
  }

  var blocks: BlockTable { state.withLock { $0.blocks } }

  func setBlocks(_ change: (inout ManagerBlocks) -> Void) {
    setBlocks(asking: false, change)
  }

  /// Sets who is asked about servers.
  func setChallengeBlock(_ change: (inout ManagerBlocks) -> Void) {
    setBlocks(asking: true, change)
  }

  private func setBlocks(asking: Bool, _ change: (inout ManagerBlocks) -> Void) {
    state.change { state in
      let old = state.blocks
      var blocks = old.blocks
      change(&blocks)
      state.blocks = BlockTable(
        blocks, base: classInterests, bearer: old.bearer, challengeEpoch: old.challengeEpoch + (asking ? 1 : 0))
    }
  }

  func setBearer(_ bearer: AFBearerAuthentication?, defaultOrigin: Origin?) {
    let use = bearer.map { BearerUse(core: $0.core, origins: $0.origins ?? Set([defaultOrigin].compactMap(\.self))) }
    state.change { state in
      state.bearer = bearer
      state.blocks = BlockTable(
        state.blocks.blocks, base: classInterests, bearer: use, challengeEpoch: state.blocks.challengeEpoch)
    }
  }

  /// The policy in force.
  var securityPolicy: AFSecurityPolicy { state.withLock { $0.securityPolicy } }

  func setSecurityPolicy(_ policy: AFSecurityPolicy) {
    state.change { $0.securityPolicy = policy }
  }

  /// The session, made when it is first asked for.
  func session(for manager: AFURLSessionManager) -> AFURLSession {
    let (session, isNew) = state.withLock { state -> (AFURLSession, Bool) in
      if let session = state.session { return (session, false) }
      let session = SessionCore(
        configuration: configuration, options: state.transportOptions, callbackQueue: callbackQueue
      ).shell
      state.session = session
      return (session, true)
    }
    if isNew { session.core.attach(manager) }
    return session
  }

  /// Takes the session away, so that the next request makes a new one.
  func resetSession() {
    state.change { $0.session = nil }
  }

  /// The queue that ``AFURLSessionManager/operationQueue`` shows: what users add to it runs between the callbacks.
  var operationQueue: OperationQueue {
    state.withLock { state in
      if let queue = state.operationQueue { return queue }
      let queue = OperationQueue()
      queue.maxConcurrentOperationCount = 1
      queue.underlyingQueue = callbackQueue
      state.operationQueue = queue
      return queue
    }
  }

  /// Runs `work` as a completion: on the completion queue or main, in the group.
  static func complete(
    _ queue: DispatchQueue?, _ group: DispatchGroup?, _ work: @escaping @Sendable () -> Void
  ) {
    (queue ?? .main).async(group: group ?? commonGroup, execute: work)
  }
}
