public import AFMultipart
public import AFReachability
public import AFSecurity
import AFCore
import AFSerialization
import AFSupport
import CInitializers
public import Foundation
public import FoundationNetworking

/// A client for one server, as AFNetworking 0.10 and 1.x have it: makes requests of paths and parameters, and runs them as operations in
/// a queue.
///
///     let client = AFHTTPClient(baseURL: URL(string: "https://api.example.com/v1")!)
///     client.parameterEncoding = .json
///     client.getPath("users", parameters: ["page": 2]) { operation, object in … } failure: { operation, error in … }
///
/// Override ``request(withMethod:path:parameters:)`` to change all requests, and ``httpRequestOperation(with:success:failure:)`` to change
/// all operations: everything else goes through them. A request that cannot be made is a failure of its operation alone.
///
/// Blocks run on the main queue unless the operation says otherwise. All members can be used from any thread; a subclass restates
/// `@unchecked Sendable`.
open class AFHTTPClient: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the stored properties are Sendable constants.
  let settings = Locked(ClientSettings())
  /// Keeps the default headers, and makes what requests have in common.
  let headers = AFHTTPRequestSerializer()
  let sessions: SessionTable
  let reachability: AFNetworkReachabilityManager

  /// Where the operations wait for their turn. Its width is the system's default; its operations can be looked at, filtered and cancelled.
  public let operationQueue = OperationQueue()

  /// Makes a client. A base URL with a path gets a slash at its end, so that relative paths are below it.
  ///
  /// It begins at once to watch whether the base URL's host can be reached.
  public init(baseURL url: URL) {
    sessions = SessionTable(baseURL: url, configuration: nil)
    reachability = Self.watching(url)
    super.init()
  }

  /// Makes a client with a session configuration, which is copied.
  public init(baseURL url: URL, sessionConfiguration configuration: URLSessionConfiguration?) {
    sessions = SessionTable(baseURL: url, configuration: configuration)
    reachability = Self.watching(url)
    super.init()
  }

  /// What copies are made by, through CInitializers: `self.init` is that of the class which is made.
  package convenience init(like original: AFHTTPClient) {
    self.init(baseURL: original.ownBaseURL)
  }

  /// Reads an archived client: base URL, string and parameter encoding, registered classes and default headers. Classes that are no
  /// longer there are left out.
  public required init?(coder: NSCoder) {
    guard let url = coder.decodeObject(of: NSURL.self, forKey: "baseURL") else { return nil }
    sessions = SessionTable(baseURL: url as URL, configuration: nil)
    reachability = Self.watching(url as URL)
    super.init()
    decode(coder)
  }

  deinit { reachability.stopMonitoring() }

  private static func watching(_ url: URL) -> AFNetworkReachabilityManager {
    let manager = url.host.map { AFNetworkReachabilityManager(forDomain: $0) } ?? AFNetworkReachabilityManager()
    manager.startMonitoring()
    return manager
  }

  /// True: archives of clients are read with secure coding.
  open class var supportsSecureCoding: Bool { true }

  /// Archives base URL, string and parameter encoding, the names of the registered classes, and the default headers: an Authorization
  /// header among them. Classes that stand within other types are not found again.
  open func encode(with coder: NSCoder) { encodeSettings(coder) }

  /// A client of the same class, made by its `init(baseURL:)`, with the same base URL, encodings, registered classes, default headers and
  /// reachability block. Its queue is empty; credential and policy have their defaults.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = made(type(of: self)) { af_make_client(Unmanaged.passRetained(self).toOpaque(), $0) }
    copyAll(to: copy)
    return copy
  }

  // MARK: Settings

  /// What paths are resolved against.
  open var baseURL: URL { ownBaseURL }

  /// The encoding of request bodies, named in their Content-Type. Default: UTF-8.
  open var stringEncoding: UInt {
    get { settings.withLock { $0.stringEncoding.rawValue } }
    set {
      settings.withLock { $0.stringEncoding = String.Encoding(rawValue: newValue) }
      headers.stringEncoding = newValue
    }
  }

  /// How parameters become the body of a request. GET, HEAD and DELETE have them in their query, whatever this says. Default: a form.
  open var parameterEncoding: AFHTTPClientParameterEncoding {
    get { settings.withLock { $0.parameterEncoding } }
    set { settings.withLock { $0.parameterEncoding = newValue } }
  }

  /// Decides about TLS servers. Default: the system's authorities, host names checked.
  open var securityPolicy: AFSecurityPolicy {
    get { sessions.home.manager.securityPolicy }
    set { sessions.home.manager.securityPolicy = newValue }
  }

  /// What operations pin that are made from now on. Setting it makes a new ``securityPolicy``, which pins every `.cer` file of the main
  /// bundle and keeps ``allowsInvalidSSLCertificate``. Default: none.
  ///
  /// The host name is checked in every mode; AFNetworking 1.x checked neither name nor chain when it pinned.
  open var defaultSSLPinningMode: AFSSLPinningMode {
    get { securityPolicy.sslPinningMode }
    set { securityPolicy = securityPolicy.pinning(newValue) }
  }

  /// Whether chains that lead to no trusted authority may pass. Default: false.
  ///
  /// Not on its own: while the policy checks names and pins nothing, every server is refused. To accept any certificate, as version 1.x
  /// did, switch off `validatesDomainName` of ``securityPolicy`` as well.
  open var allowsInvalidSSLCertificate: Bool {
    get { securityPolicy.allowInvalidCertificates }
    set { securityPolicy.allowInvalidCertificates = newValue }
  }

  /// What answers the first challenge of the server, for operations that are made from now on; nil leaves it to the storage. Default: nil.
  open var defaultCredential: URLCredential? {
    get { settings.withLock { $0.credential } }
    set { settings.withLock { $0.credential = newValue } }
  }

  /// Whether the base URL's host can be reached.
  open var networkReachabilityStatus: AFNetworkReachabilityStatus { reachability.networkReachabilityStatus }

  /// Sets what is told on the main queue when that changes; the notification `AFNetworkingReachabilityDidChange` is posted as well.
  @preconcurrency
  open func setReachabilityStatusChange(_ block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?) {
    keepReachabilityBlock(block)
  }

  // MARK: Default headers

  /// The value of a header that all requests have, by any letter case of its name.
  open func defaultValue(forHeader header: String) -> String? { headers.value(forHTTPHeaderField: header) }

  /// Sets a header that all requests have; nil removes it.
  open func setDefaultHeader(_ header: String, value: String?) { headers.setValue(value, forHTTPHeaderField: header) }

  /// Sets `Authorization` to Basic.
  open func setAuthorizationHeaderWithUsername(_ username: String, password: String) {
    headers.setAuthorizationHeaderFieldWithUsername(username, password: password)
  }

  /// Sets `Authorization` to `Token token="…"`, as Ruby on Rails reads it.
  open func setAuthorizationHeaderWithToken(_ token: String) {
    let quoted = token.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
    setDefaultHeader("Authorization", value: "Token token=\"\(quoted)\"")
  }

  /// Removes `Authorization`.
  open func clearAuthorizationHeader() { setDefaultHeader("Authorization", value: nil) }

  // MARK: Classes of operations

  /// Has the client ask a class whether it can process a request, before all that were registered earlier. A class that was registered
  /// before moves to the front.
  /// - Returns: Whether it is a subclass of ``AFHTTPRequestOperation``; nothing else is registered.
  @discardableResult
  open func registerHTTPOperationClass(_ operationClass: AnyClass) -> Bool {
    guard let operationClass = operationClass as? AFHTTPRequestOperation.Type else { return false }
    settings.withLock { settings in
      settings.operationClasses.removeAll { $0 == operationClass }
      settings.operationClasses.insert(operationClass, at: 0)
    }
    return true
  }

  /// Has the client no longer ask a class.
  open func unregisterHTTPOperationClass(_ operationClass: AnyClass) {
    settings.withLock { $0.operationClasses.removeAll { $0 == operationClass } }
  }

  // MARK: Requests

  /// Makes a request with the default headers.
  ///
  /// GET, HEAD and DELETE have the parameters in their query, all other methods in their body, by ``parameterEncoding``. Without
  /// parameters there is neither body nor Content-Type.
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - path: What is resolved against ``baseURL``; nil or empty is the base URL itself.
  ///   - parameters: A dictionary; for JSON and property lists also an array.
  /// - Returns: The request. One that cannot be made cannot be sent, and fails its operation with the reason.
  @discardableResult
  open func request(withMethod method: String, path: String?, parameters: Any?) -> NSMutableURLRequest {
    do {
      return try makeRequest(method, path, parameters)
    } catch {
      return FailedRequest.make(error)
    }
  }

  /// Makes a request with a multipart form as its body, streamed: the parameters, and what the block appends.
  ///
  /// The request itself is that of ``request(withMethod:path:parameters:)`` without parameters. The block runs before the call returns.
  /// - Parameters:
  ///   - method: The HTTP method; not GET or HEAD.
  ///   - path: What is resolved against ``baseURL``.
  ///   - parameters: The first fields, in ``stringEncoding``.
  ///   - block: Appends parts.
  /// - Returns: The request. One that cannot be made fails its operation with the reason.
  @discardableResult
  open func multipartFormRequest(
    withMethod method: String, path: String?, parameters: [String: Any]?,
    constructingBodyWith block: ((any AFMultipartFormData) -> Void)?
  ) -> NSMutableURLRequest {
    let request = request(withMethod: method, path: path, parameters: nil)
    guard FailedRequest.error(of: request as URLRequest) == nil else { return request }
    do {
      try setForm(of: request, parameters, block)
      return request
    } catch {
      return FailedRequest.make(error)
    }
  }

  // MARK: Operations

  /// Makes an operation of the first registered class that can process the request, or an ``AFHTTPRequestOperation``, with the client's
  /// credential, policy and connections. It is not enqueued.
  @preconcurrency @discardableResult
  open func httpRequestOperation(
    with urlRequest: URLRequest, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
  ) -> AFHTTPRequestOperation {
    let operation = makeOperation(urlRequest)
    operation.setCompletionBlockWithSuccess(success, failure: failure)
    return operation
  }

  /// Puts an operation into ``operationQueue``. One that is in a queue already, or was started, is left alone.
  open func enqueue(_ operation: AFHTTPRequestOperation) {
    operation.enqueue(in: operationQueue)
  }

  /// Cancels the operations of the queue that have this method and path.
  /// - Parameters:
  ///   - method: The HTTP method, in the requests' letter case; nil means any.
  ///   - path: The path, resolved against ``baseURL`` as for a request. Paths are compared in their escaped form; queries do not count.
  open func cancelAllHTTPOperations(withMethod method: String?, path: String?) {
    let wanted = request(withMethod: method ?? "GET", path: path, parameters: nil)
    guard FailedRequest.error(of: wanted as URLRequest) == nil, let wantedPath = wanted.url?.escapedPath else { return }
    for case let operation as AFHTTPRequestOperation in operationQueue.operations {
      let request = operation.request
      guard method == nil || request.httpMethod == method, request.url?.escapedPath == wantedPath else { continue }
      operation.cancel()
    }
  }

  /// Makes an operation of each request and enqueues them as a batch; see
  /// ``enqueueBatchOfHTTPRequestOperations(_:progressBlock:completionBlock:)``.
  @preconcurrency
  open func enqueueBatchOfHTTPRequestOperations(
    withRequests urlRequests: [URLRequest], progressBlock: (@Sendable (UInt, UInt) -> Void)?,
    completionBlock: (@Sendable ([AFHTTPRequestOperation]) -> Void)?
  ) {
    let operations = urlRequests.map { httpRequestOperation(with: $0, success: nil) }
    enqueueBatchOfHTTPRequestOperations(operations, progressBlock: progressBlock, completionBlock: completionBlock)
  }

  /// Enqueues operations together, and tells when all have finished, whether they failed or not.
  /// - Parameters:
  ///   - operations: The operations.
  ///   - progressBlock: Told how many have finished, of how many, on the operation's queue for success blocks.
  ///   - completionBlock: Called once on the main queue, with the operations in the order in which they were given. Also for none at all.
  @preconcurrency
  open func enqueueBatchOfHTTPRequestOperations(
    _ operations: [AFHTTPRequestOperation], progressBlock: (@Sendable (UInt, UInt) -> Void)?,
    completionBlock: (@Sendable ([AFHTTPRequestOperation]) -> Void)?
  ) {
    let waiting = OperationBatch.waiting(for: operations, progress: progressBlock) { completionBlock?(operations) }
    operationQueue.addOperations(AFURLConnectionOperation.claimed(operations) + [waiting], waitUntilFinished: false)
  }

  // MARK: Verbs. Each enqueues its operation.

  /// Sends a GET request; `parameters` become its query.
  @preconcurrency
  open func getPath(
    _ path: String?, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
  ) {
    send("GET", path, parameters, success, failure)
  }

  /// Sends a POST request; `parameters` become its body.
  @preconcurrency
  open func postPath(
    _ path: String?, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
  ) {
    send("POST", path, parameters, success, failure)
  }

  /// Sends a PUT request; `parameters` become its body.
  @preconcurrency
  open func putPath(
    _ path: String?, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
  ) {
    send("PUT", path, parameters, success, failure)
  }

  /// Sends a DELETE request; `parameters` become its query.
  @preconcurrency
  open func deletePath(
    _ path: String?, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
  ) {
    send("DELETE", path, parameters, success, failure)
  }

  /// Sends a PATCH request; `parameters` become its body.
  @preconcurrency
  open func patchPath(
    _ path: String?, parameters: Any? = nil, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)? = nil
  ) {
    send("PATCH", path, parameters, success, failure)
  }

  /// Class, address, base URL, default headers' names and queue.
  open override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)
    let names = headers.httpRequestHeaders.keys.sorted().joined(separator: ", ")
    return "<\(type(of: self)): 0x\(address), baseURL: \(baseURL.absoluteString.redactedURL), headers: \(names), "
      + "operationQueue: \(operationQueue)>"
  }
}
