import AFCore
public import AFMultipart
public import AFReachability
public import AFSecurity
public import AFSerialization
import AFSupport
import CInitializers
public import Dispatch
public import Foundation
public import FoundationNetworking

/// Makes requests by HTTP method and URL and runs them as operations, as AFNetworking 2.x has it.
///
///     let manager = AFHTTPRequestOperationManager(baseURL: URL(string: "https://api.example.com/v2"))
///     manager.get("users", parameters: ["page": 2], success: { operation, object in … }, failure: { operation, error in … })
///
/// Override ``httpRequestOperation(with:success:failure:)`` to change all operations. When a request cannot be made there is no operation,
/// and `failure` is called with the error. Blocks run on ``completionQueue``, or on the main queue if that is nil.
///
/// All members can be used from any thread; a subclass restates `@unchecked Sendable`.
open class AFHTTPRequestOperationManager: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the stored properties are Sendable constants.
  let settings = Locked(OperationManagerSettings())
  let sessions: SessionTable

  /// A manager without a base URL.
  public convenience override init() { self.init(baseURL: nil) }

  /// A manager with a base URL, against which paths are resolved. One with a path gets a slash at its end, so that relative paths are below
  /// it.
  public init(baseURL url: URL?) {
    sessions = SessionTable(baseURL: url, configuration: nil)
    super.init()
  }

  /// A manager with a base URL and a session configuration, which is copied.
  public init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
    sessions = SessionTable(baseURL: url, configuration: configuration)
    super.init()
  }

  /// What copies are made by, through CInitializers: `self.init` is that of the class which is made.
  package convenience init(like original: AFHTTPRequestOperationManager) {
    self.init(baseURL: original.ownBaseURL)
  }

  /// Reads an archived manager: base URL, serializers and policy. Nil if the policy cannot be restored as it was: the default one in its
  /// place might accept more.
  public required init?(coder: NSCoder) {
    sessions = SessionTable(baseURL: coder.decodeObject(of: NSURL.self, forKey: "baseURL") as URL?, configuration: nil)
    super.init()
    guard decode(coder) else { return nil }
  }

  /// True: archives of managers are read with secure coding.
  open class var supportsSecureCoding: Bool { true }

  /// Archives base URL, serializers and policy.
  open func encode(with coder: NSCoder) {
    coder.encode(baseURL as NSURL?, forKey: "baseURL")
    coder.encode(requestSerializer, forKey: "requestSerializer")
    coder.encode(responseSerializer, forKey: "responseSerializer")
    coder.encode(securityPolicy, forKey: "securityPolicy")
  }

  /// A manager of the same class, made by its `init(baseURL:)`, with copies of serializers and policy. Its queue is empty.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = made(type(of: self)) { af_make_operation_manager(Unmanaged.passRetained(self).toOpaque(), $0) }
    copyAll(to: copy)
    return copy
  }

  // MARK: Settings

  /// What paths are resolved against.
  open var baseURL: URL? { ownBaseURL }

  /// Makes the requests. Default: an `AFHTTPRequestSerializer`.
  open var requestSerializer: AFHTTPRequestSerializer {
    get { settings.withLock { $0.requestSerializer } }
    set { change { $0.requestSerializer = newValue } }
  }

  /// Checks and reads the responses of operations that are made from now on. Default: an `AFJSONResponseSerializer`.
  open var responseSerializer: AFHTTPResponseSerializer {
    get { settings.withLock { $0.responseSerializer } }
    set { change { $0.responseSerializer = newValue } }
  }

  /// Where operations wait for their turn.
  open var operationQueue: OperationQueue {
    get { settings.withLock { $0.queue } }
    set { change { $0.queue = newValue } }
  }

  /// Whether challenges may be answered from the session's credential storage. Default: true.
  open var shouldUseCredentialStorage: Bool {
    get { settings.withLock { $0.usesCredentialStorage } }
    set { change { $0.usesCredentialStorage = newValue } }
  }

  /// What answers the first challenge of a server. Default: nil.
  open var credential: URLCredential? {
    get { settings.withLock { $0.credential } }
    set { change { $0.credential = newValue } }
  }

  /// Decides about TLS servers. Default: the system's authorities, host names checked. With a base URL that is not an https one, every
  /// request is refused while the policy pins something.
  open var securityPolicy: AFSecurityPolicy {
    get { sessions.home.manager.securityPolicy }
    set { sessions.home.manager.securityPolicy = newValue }
  }

  /// Kept here for the application's convenience; requests do not ask it. Default: the shared one.
  open var reachabilityManager: AFNetworkReachabilityManager {
    get { settings.withLock { $0.reachabilityManager } ?? .shared() }
    set { change { $0.reachabilityManager = newValue } }
  }

  /// Where success and failure blocks run. Default: nil, which means the main queue.
  open var completionQueue: DispatchQueue? {
    get { settings.withLock { $0.completionQueue } }
    set { change { $0.completionQueue = newValue } }
  }

  /// The group that they belong to. Default: nil, which means one that all operations share.
  open var completionGroup: DispatchGroup? {
    get { settings.withLock { $0.completionGroup } }
    set { change { $0.completionGroup = newValue } }
  }

  // MARK: Operations

  /// Makes an operation with the manager's serializer, credential, policy, queues and connections. It is not enqueued. Every verb goes
  /// through here.
  @preconcurrency @discardableResult
  open func httpRequestOperation(
    with request: URLRequest, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation {
    let operation = makeOperation(request)
    operation.setCompletionBlockWithSuccess(success, failure: failure)
    return operation
  }

  // MARK: Verbs. Each enqueues its operation.

  /// Sends a GET request; `parameters` become its query.
  @preconcurrency @discardableResult
  open func get(
    _ URLString: String, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation?, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation? {
    send("GET", URLString, parameters, success, failure)
  }

  /// Sends a HEAD request; `parameters` become its query.
  @preconcurrency @discardableResult
  open func head(
    _ URLString: String, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation?, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation? {
    var withoutObject: Success?
    if let success { withoutObject = { operation, _ in success(operation) } }
    return send("HEAD", URLString, parameters, withoutObject, failure)
  }

  /// Sends a POST request; `parameters` become its body.
  @preconcurrency @discardableResult
  open func post(
    _ URLString: String, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation?, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation? {
    send("POST", URLString, parameters, success, failure)
  }

  /// Sends a multipart form, streamed: `parameters` and what the block appends. The block runs before the call returns.
  @preconcurrency @discardableResult
  open func post(
    _ URLString: String, parameters: Any? = nil, constructingBodyWith block: ((any AFMultipartFormData) -> Void)?,
    success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation?, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation? {
    sendForm(URLString, parameters, block, success, failure)
  }

  /// Sends a PUT request; `parameters` become its body.
  @preconcurrency @discardableResult
  open func put(
    _ URLString: String, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation?, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation? {
    send("PUT", URLString, parameters, success, failure)
  }

  /// Sends a PATCH request; `parameters` become its body.
  @preconcurrency @discardableResult
  open func patch(
    _ URLString: String, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation?, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation? {
    send("PATCH", URLString, parameters, success, failure)
  }

  /// Sends a DELETE request; `parameters` become its query.
  @preconcurrency @discardableResult
  open func delete(
    _ URLString: String, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation?, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation? {
    send("DELETE", URLString, parameters, success, failure)
  }

  /// Class, address, base URL and queue.
  open override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)
    return "<\(type(of: self)): 0x\(address), baseURL: \(baseURL?.absoluteString.redactedURL ?? "nil"), "
      + "operationQueue: \(operationQueue)>"
  }
}
