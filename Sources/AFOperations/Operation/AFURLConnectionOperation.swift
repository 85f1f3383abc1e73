public import AFCore
public import AFSecurity
import AFSupport
import CInitializers
public import Dispatch
public import Foundation
public import FoundationNetworking

/// A request as an `Operation`: it can wait in a queue, depend on others, have a priority, be paused, and be cancelled.
///
///     let operation = AFURLConnectionOperation(request: request)
///     operation.completionBlock = { … }
///     queue.addOperation(operation)      // or operation.start()
///
/// It finishes once. A cancelled one finishes with `URLError.cancelled` as its ``error``: at once if it runs, and when its queue starts
/// it if not. The blocks that tell of progress run on the main queue, those that are asked on the manager's callback queue.
///
/// All members can be used from any thread. Blocks, streams and credentials are best set before the operation starts. A subclass
/// restates `@unchecked Sendable`.
open class AFURLConnectionOperation: Operation, NSSecureCoding, NSCopying, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the one stored property is a constant behind whose lock everything stands.
  let core: Locked<OperationState>

  /// Makes an operation that is not started.
  public init(request urlRequest: URLRequest) {
    core = Locked(OperationState(request: urlRequest, sessions: .shared))
    super.init()
  }

  /// What copies and registered classes are made by, through CInitializers: `self.init` is that of the class which is made.
  package convenience init(made original: RequestBox) {
    self.init(request: original.request)
  }

  /// Reads an archived operation: its request, which has not been sent, and ``shouldUseCredentialStorage``.
  public required init?(coder: NSCoder) {
    guard let request = ArchivedRequest.decode(coder) else { return nil }
    core = Locked(OperationState(request: request, sessions: .shared))
    super.init()
    if coder.containsValue(forKey: "shouldUseCredentialStorage") {
      core.withLock { $0.usesCredentialStorage = coder.decodeBool(forKey: "shouldUseCredentialStorage") }
    }
  }

  deinit {
    // Foundation's operations do not hold those that wait for them, and would tell an operation that is gone.
    for dependency in dependencies { removeDependency(dependency) }
  }

  /// True: archives of operations are read with secure coding.
  open class var supportsSecureCoding: Bool { true }

  /// Archives the request and ``shouldUseCredentialStorage``. Blocks, streams, credentials and results are left out; the operation
  /// itself goes on. (AFNetworking paused it.)
  open func encode(with coder: NSCoder) {
    ArchivedRequest.encode(request, coder)
    coder.encode(shouldUseCredentialStorage, forKey: "shouldUseCredentialStorage")
  }

  /// A new operation of the same class with the same request, credential and policy, which has not been started: what is needed to try
  /// again. Blocks, streams and results stay with the original.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = type(of: self).made(for: request)
    let (sessions, policy, credential, usesStorage) = core.withLock {
      ($0.sessions, $0.policy ?? $0.shownPolicy?.policy, $0.credential, $0.usesCredentialStorage)
    }
    copy.core.withLock { state in
      state.sessions = sessions
      state.policy = policy
      state.credential = credential
      state.usesCredentialStorage = usesStorage
    }
    return copy
  }

  // MARK: What it is about

  /// The request. With ``inputStream`` its body changes.
  open var request: URLRequest { core.withLock { $0.request } }

  /// The last response; nil if none came.
  open var response: URLResponse? { core.withLock { $0.response } }

  /// Why the operation failed; nil while it runs, and if it did not.
  open var error: (any Error)? { core.withLock { $0.error } }

  /// The body of the response once the operation has finished; nil if it went to ``outputStream``.
  open var responseData: Data? { core.withLock { $0.data } }

  /// ``responseData`` as text, in ``responseStringEncoding`` unless it begins with a byte order mark; nil if it is no such text.
  open var responseString: String? {
    ResponseText.string(responseData, of: response as? HTTPURLResponse)
  }

  /// The encoding of the response: that of its `charset`; without one ISO-8859-1 for `text` types, and UTF-8 for all others.
  open var responseStringEncoding: UInt {
    ResponseText.encoding(of: response as? HTTPURLResponse).rawValue
  }

  /// Anything that the app wants to find again. Default: nil.
  open var userInfo: [AnyHashable: Any]? {
    get { core.withLock { $0.handed }.userInfo }
    set { replace { $0.handed.userInfo = newValue } }
  }

  /// The run loop modes of AFNetworking's network thread. Has no effect.
  open var runLoopModes: Set<RunLoop.Mode> {
    get { [.common] }
    set {}
  }

  // MARK: Credentials and policy

  /// Whether a challenge may be answered from the session's credential storage. Default: true.
  open var shouldUseCredentialStorage: Bool {
    get { core.withLock { $0.usesCredentialStorage } }
    set { core.withLock { $0.usesCredentialStorage = newValue } }
  }

  /// What answers the first challenge of a server; nil leaves it to the storage. Default: nil.
  open var credential: URLCredential? {
    get { core.withLock { $0.credential } }
    set { replace { $0.credential = newValue } }
  }

  /// Decides about TLS servers. Default: that of the client which made the operation, or a new one.
  ///
  /// Operations under different policies do not share connections, so give the same object to all that should.
  open var securityPolicy: AFSecurityPolicy {
    get {
      core.withLock { state in
        if let policy = state.policy { return policy }
        if state.sessions !== SessionTable.shared { return state.sessions.home.manager.securityPolicy }
        if let shown = state.shownPolicy { return shown.policy }
        let policy = AFSecurityPolicy.default()
        state.shownPolicy = (policy, policy.generation)
        return policy
      }
    }
    set { replace { $0.policy = newValue } }
  }

  // MARK: Streams

  /// The stream that is sent as the body: the request's `httpBodyStream`.
  open var inputStream: InputStream? {
    get { request.httpBodyStream }
    set {
      let box = StreamBox(stream: newValue)
      replace { $0.request.httpBodyStream = box.stream }
    }
  }

  /// Where the body of the response is written while it comes, on a queue of its own, and which is closed at the end; nil gathers it in
  /// ``responseData``. A stream that takes its time holds the server back. Default: nil.
  open var outputStream: OutputStream? {
    get { core.withLock { $0.handed }.outputStream }
    set {
      let box = StreamBox(stream: newValue)
      replace { $0.handed.outputStream = box.stream }
    }
  }

  // MARK: Callbacks

  /// Where the success and failure blocks run. Default: nil, which means the main queue.
  open var completionQueue: DispatchQueue? {
    get { core.withLock { $0.completionQueue } }
    set { core.withLock { $0.completionQueue = newValue } }
  }

  /// The group that they belong to. Default: nil, which means one that all operations share.
  open var completionGroup: DispatchGroup? {
    get { core.withLock { $0.completionGroup } }
    set { core.withLock { $0.completionGroup = newValue } }
  }

  /// Called once when the operation has finished, on a global queue, and then let go.
  open override var completionBlock: (@Sendable () -> Void)? {
    get { core.withLock { $0.completionBlock } }
    set {
      replace { $0.completionBlock = newValue }
    }
  }

  /// Sets what is told on the main queue of sent bytes: how many since the last time, how many in all, of how many (-1 if unknown).
  @preconcurrency
  open func setUploadProgressBlock(_ block: (@Sendable (UInt, Int64, Int64) -> Void)?) {
    replace { $0.blocks.uploadProgress = block }
    tellTaskOfProgressBlocks()
  }

  /// Sets what is told on the main queue of bytes that have come: how many since the last time, how many in all, of how many (-1 if
  /// unknown).
  @preconcurrency
  open func setDownloadProgressBlock(_ block: (@Sendable (UInt, Int64, Int64) -> Void)?) {
    replace { $0.blocks.downloadProgress = block }
    tellTaskOfProgressBlocks()
  }

  /// Sets who answers challenges, of TLS servers too, by calling a method of the challenge's `sender`, then or later; the request waits
  /// for it no longer than its timeout. Without a block, ``credential`` and ``securityPolicy`` do.
  ///
  /// Default handling, and every credential but `URLCredential(trust:)` of the challenge's `serverTrust`, leave TLS servers to the policy.
  @preconcurrency
  open func setWillSendRequestForAuthenticationChallenge(
    _ block: (@Sendable (AFURLSessionTask, URLAuthenticationChallenge) -> Void)?
  ) {
    replace { $0.blocks.challenge = block }
  }

  /// Sets who decides about redirects: the request to follow with, or nil to take the redirect as the response.
  @preconcurrency
  open func setRedirectResponseBlock(
    _ block: (@Sendable (AFURLSessionTask, URLRequest, URLResponse?) -> URLRequest?)?
  ) {
    replace { $0.blocks.redirect = block }
  }

  /// Sets who may change the response before it is kept in the session's `URLCache`; nil keeps nothing.
  @preconcurrency
  open func setCacheResponseBlock(
    _ block: (@Sendable (AFURLSessionTask, CachedURLResponse) -> CachedURLResponse?)?
  ) {
    replace { $0.blocks.cache = block }
  }

  // MARK: Course

  /// True: `start()` returns at once.
  open override var isAsynchronous: Bool { true }

  /// Whether the request is under way, or its response is being read.
  open override var isExecuting: Bool {
    core.withLock { $0.machine.hasStarted && $0.machine.phase == .executing }
  }

  /// Whether the operation is over.
  open override var isFinished: Bool { core.withLock { $0.machine.phase == .finished } }

  /// Whether the operation has been cancelled.
  open override var isCancelled: Bool { core.withLock { $0.machine.isCancelled } }

  /// Sends the request, or finishes a cancelled operation. A second call does nothing. A paused operation waits for ``resume()``.
  open override func start() {
    take(core.withLock { $0.machine.start() })
  }

  /// Ends the operation with `URLError.cancelled`, at once if it runs or is paused, and when it is started if it has not been. Returns at
  /// once. Does nothing on an operation that has finished.
  open override func cancel() {
    guard let step = core.withLock({ $0.machine.cancel() }) else { return }
    // Foundation lets a cancelled operation begin without waiting for others, so that its queue is rid of it.
    super.cancel()
    take(step)
  }

  /// Ends the transfer and keeps what has come, until ``resume()``. Does nothing on an operation that is paused, cancelled, or whose
  /// transfer is over.
  ///
  /// The operation stays in its queue, and if it had begun it keeps its place there.
  open func pause() {
    guard let step = core.withLock({ $0.machine.pause() }) else { return }
    take(step)
  }

  /// Whether the operation is paused.
  open var isPaused: Bool { core.withLock { $0.machine.phase == .paused } }

  /// Goes on after ``pause()``. An operation that has not been started waits for that.
  ///
  /// A GET that was answered with a strong validator asks for the rest alone (`Range` and `If-Range`); everything else begins again, and
  /// so does what has changed on the server.
  open func resume() {
    guard let step = core.withLock({ $0.machine.resume() }) else { return }
    take(step)
  }

  /// Not available on Linux, where nothing goes to the background; the handler is not called.
  @preconcurrency
  open func setShouldExecuteAsBackgroundTaskWithExpirationHandler(_ handler: (@Sendable () -> Void)?) {}

  // MARK: For subclasses within the module

  /// Reads the response of a transfer that did not fail. On a concurrent queue.
  /// - Returns: What is wrong with it.
  func read(_ response: HTTPURLResponse?, _ data: Data?) -> (any Error)? { nil }

  /// Class, address, state, request and response.
  open override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)
    let machine = core.withLock { $0.machine }
    let url = request.url?.absoluteString.redactedURL ?? "none"
    return
      "<\(type(of: self)): 0x\(address), state: \(machine.phase), cancelled: \(machine.isCancelled), request: \(url)>"
  }
}
