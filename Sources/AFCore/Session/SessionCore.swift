import AFSupport
import AFTransport
import Dispatch
import Foundation
import FoundationNetworking

/// One session: its engine, its tasks, its settings.
///
/// A running task keeps its session alive, not the other way round: when nobody holds the session and nothing runs, it goes,
/// and the engine's thread and connections with it.
final class SessionCore: Sendable {
  let configuration: URLSessionConfiguration
  let settings: SessionSettings
  let engine: Engine
  /// Where user code runs that the engine waits for or reports to; serial.
  let callbackQueue: DispatchQueue
  let trust: TrustGate
  let network: NetworkOptions
  /// Nil if nothing is kept.
  let cache: ResponseCache?
  /// Nil if the session neither sends nor keeps cookies.
  let cookies: CookieJar?
  /// What servers and proxies have accepted.
  let logins = AuthenticationMemory()
  /// The hosts to which a challenge handler has had a client certificate shown.
  private let certifiedHosts = Locked<Set<String>>([])

  private struct State {
    var lastIdentifier = 0
    var tasks: [Int: Entry] = [:]
    var isInvalidated = false
    var hasEnded = false
    var description: String?
    weak var shell: AFURLSession?
    weak var manager: AFURLSessionManager?
    /// From the invalidation until it has been told of: as with Foundation, whose session holds its delegate.
    var lastManager: AFURLSessionManager?
  }

  private enum Entry {
    case idle(WeakTask)
    case running(TaskCore)

    var task: TaskCore? {
      switch self {
      case .idle(let weak): weak.task
      case .running(let task): task
      }
    }
  }

  private struct WeakTask {
    weak var task: TaskCore?
  }

  private let state = Locked(State())

  init(configuration: URLSessionConfiguration, options: AFTransportOptions, callbackQueue: DispatchQueue) {
    self.configuration = configuration
    self.callbackQueue = callbackQueue
    settings = SessionSettings(configuration, options: options)
    var engineConfiguration = EngineConfiguration()
    engineConfiguration.maximumConnectionsPerHost = max(1, settings.connectionsPerHost)
    engine = Engine(configuration: engineConfiguration)
    trust = TrustGate(engineConfiguration)
    network = options.network
    cache = settings.cache.map(ResponseCache.of)
    cookies = settings.cookies.map(CookieJar.of)
  }

  /// Who the session reports to. Held weakly: it is the manager that holds the session.
  func attach(_ manager: AFURLSessionManager) {
    state.withLock { $0.manager = manager }
  }

  /// The session as users see it.
  var shell: AFURLSession {
    state.withLock { state in
      if let shell = state.shell { return shell }
      let shell = AFURLSession(core: self)
      state.shell = shell
      return shell
    }
  }

  var description: String? {
    get { state.withLock { $0.description } }
    set { state.withLock { $0.description = newValue } }
  }

  // MARK: Tasks

  /// Makes a task. With `starts` it is entered as running at once; the caller resumes it.
  func makeTask(
    _ kind: TaskKind, _ request: HopRequest, manager: AFURLSessionManager?, blocks: BlockTable,
    closures: TaskClosures = TaskClosures(), completion: TaskCompletion, starts: Bool = false
  ) -> TaskCore {
    // On the caller's thread: a task's later hops start on the engine's, which runs no user code.
    if let manager, manager.core.classInterests.contains(.policy) {
      manager.core.setSecurityPolicy(manager.securityPolicy)
    }
    let (identifier, isInvalidated) = state.withLock { state in
      state.lastIdentifier += 1
      return (state.lastIdentifier, state.isInvalidated)
    }
    let task = TaskCore(
      identifier: identifier, kind: kind, request: request, session: self, manager: manager, blocks: blocks,
      closures: closures, completion: completion)
    if isInvalidated {
      task.refuse(URLError.cancelled(url: request.url, "The session has been invalidated"))
    } else {
      state.withLock { $0.tasks[identifier] = starts ? .running(task) : .idle(WeakTask(task: task)) }
    }
    return task
  }

  /// Holds a task that has been resumed for the first time.
  func keep(_ task: TaskCore) {
    state.withLock { state in
      if state.tasks[task.identifier] != nil { state.tasks[task.identifier] = .running(task) }
    }
  }

  /// Lets go of a task that is over, or that went without having been resumed.
  func forget(_ identifier: Int) {
    let (entry, hasEnded) = state.withLock { state -> (Entry?, Bool) in
      let entry = state.tasks.removeValue(forKey: identifier)
      guard state.isInvalidated, state.tasks.isEmpty, !state.hasEnded else { return (entry, false) }
      state.hasEnded = true
      return (entry, true)
    }
    withExtendedLifetime(entry) {}
    if hasEnded { end() }
  }

  /// The tasks of the app that are not over, in the order in which they were made.
  var tasks: [TaskCore] {
    let all = state.withLock { state in state.tasks.values.compactMap(\.task) }
    return all.filter { task in !task.state.withLock { $0.options.isSilent } }.sorted { $0.identifier < $1.identifier }
  }

  // MARK: Client certificates

  /// A challenge handler has chosen a certificate for a host.
  func noteCertificate(shownTo host: String) { _ = certifiedHosts.withLock { $0.insert(host.lowercased()) } }

  /// Whether a challenge handler has chosen a certificate for the host of `url`, so that its responses are for one user.
  func hasShownCertificate(to url: String) -> Bool {
    certifiedHosts.withLock { $0.isEmpty ? false : $0.contains(Origin(url)?.host ?? "") }
  }

  // MARK: The end

  /// Takes no more tasks; those there are go on, or are cancelled.
  func invalidate(cancelling: Bool) {
    let (tasks, hasEnded) = state.withLock { state -> ([TaskCore], Bool) in
      state.isInvalidated = true
      if !state.hasEnded { state.lastManager = state.manager }
      let tasks = state.tasks.values.compactMap(\.task)
      guard tasks.isEmpty, !state.hasEnded else { return (tasks, false) }
      state.hasEnded = true
      return (tasks, true)
    }
    // What the app does not see does not keep it waiting.
    for task in tasks where cancelling || task.state.withLock({ $0.options.isSilent }) { task.cancel() }
    if hasEnded { end() }
  }

  private func end() {
    engine.shutDown(cancelling: true)
    callbackQueue.async { [self] in
      let manager = state.withLock { state -> AFURLSessionManager? in
        defer { state.lastManager = nil }
        return state.lastManager ?? state.manager
      }
      manager?.urlSession(shell, didBecomeInvalidWithError: nil)
    }
  }
}
