public import AFMultipart
import AFSecurity
public import AFSerialization
import AFSupport
import CInitializers
public import Foundation
public import FoundationNetworking

/// Makes requests by HTTP method and path: serializes parameters, sends, validates, and reads the response.
///
/// The usual form is a subclass with a shared instance and a base URL. Every verb starts its task and returns it; when a
/// request cannot be made, there is no task, and `failure` is called with the error.
///
/// Closures run where ``AFURLSessionManager`` says: completions on ``AFURLSessionManager/completionQueue`` or main, progress
/// on the manager's callback queue. A subclass restates `@unchecked Sendable`.
open class AFHTTPSessionManager: AFURLSessionManager, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the one stored property is a Sendable constant.
  let http: HTTPManagerCore

  /// A manager without a base URL.
  public convenience init() {
    self.init(baseURL: nil)
  }

  /// A manager with a base URL, against which paths are resolved.
  public convenience init(baseURL url: URL?) {
    self.init(baseURL: url, sessionConfiguration: nil)
  }

  /// A manager with a base URL and a session configuration.
  ///
  /// A base URL with a path gets a slash at its end, so that relative paths are below it.
  public init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
    http = HTTPManagerCore(baseURL: url)
    super.init(sessionConfiguration: configuration)
  }

  /// A manager without a base URL, with a session configuration.
  public override convenience init(sessionConfiguration configuration: URLSessionConfiguration?) {
    self.init(baseURL: nil, sessionConfiguration: configuration)
  }

  /// What copies are made by, through CInitializers: `self.init` is that of the class which is made.
  package convenience init(likeHTTP original: AFHTTPSessionManager) {
    self.init(baseURL: original.baseURL, sessionConfiguration: original.core.configuration)
  }

  /// Reads an archived manager: base URL, session configuration, serializers and policy. Nil if the policy cannot be restored as
  /// it was: the default one in its place might accept more.
  public required init?(coder: NSCoder) {
    // Asked for only where there is one: some coders end the process for what is missing.
    let baseURL = coder.containsValue(forKey: "baseURL") ? coder.decodeObject(of: NSURL.self, forKey: "baseURL") : nil
    http = HTTPManagerCore(baseURL: baseURL as URL?)
    super.init(coder: coder)
    let classes: [AnyClass] = [
      AFHTTPRequestSerializer.self, AFJSONRequestSerializer.self, AFHTTPResponseSerializer.self,
      AFJSONResponseSerializer.self,
    ]
    if coder.containsValue(forKey: "requestSerializer"),
      let serializer = coder.decodeObject(of: classes, forKey: "requestSerializer") as? AFHTTPRequestSerializer
    {
      requestSerializer = serializer
    }
    if coder.containsValue(forKey: "responseSerializer"),
      let serializer = coder.decodeObject(of: classes, forKey: "responseSerializer") as? AFHTTPResponseSerializer
    {
      responseSerializer = serializer
    }
  }

  /// Archives base URL, session configuration, both serializers and the policy.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if let baseURL { coder.encode(baseURL as NSURL, forKey: "baseURL") }
    coder.encode(requestSerializer, forKey: "requestSerializer")
    coder.encode(responseSerializer, forKey: "responseSerializer")
  }

  /// A manager of the same class, made by its `init(baseURL:sessionConfiguration:)`, with the same base URL and session configuration,
  /// and copies of serializers and policy. Blocks, queues and
  /// tasks stay with the original.
  @discardableResult
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = made(type(of: self)) { af_make_http_manager(Unmanaged.passRetained(self).toOpaque(), $0) }
    if let serializer = requestSerializer.copy() as? AFHTTPRequestSerializer { copy.requestSerializer = serializer }
    if let serializer = responseSerializer.copy() as? AFHTTPResponseSerializer { copy.responseSerializer = serializer }
    copy.securityPolicy = copiedPolicy
    return copy
  }

  /// What paths are resolved against.
  open var baseURL: URL? { http.baseURL }

  /// Makes the requests. Default: an `AFHTTPRequestSerializer`.
  open var requestSerializer: AFHTTPRequestSerializer {
    get { http.requestSerializer.withLock { $0 } }
    set { http.requestSerializer.change { $0 = newValue } }
  }

  /// Validates responses and reads their bodies. It is asked when a task ends. Default: an `AFJSONResponseSerializer`.
  open var responseSerializer: AFHTTPResponseSerializer {
    get { http.responseSerializer.withLock { $0 } }
    set {
      http.responseSerializer.change { $0 = newValue }
      core.update { $0.responseSerializer = newValue }
    }
  }

  /// The subclass's serializer, unless one that is no `AFHTTPResponseSerializer` was set through the general property.
  override func currentResponseSerializer() -> any AFURLResponseSerialization {
    let stored = super.currentResponseSerializer()
    return stored is AFHTTPResponseSerializer ? responseSerializer : stored
  }

  override func setResponseSerializer(_ serializer: any AFURLResponseSerialization) {
    super.setResponseSerializer(serializer)
    if let serializer = serializer as? AFHTTPResponseSerializer { responseSerializer = serializer }
  }

  override func refusal(for url: String) -> (any Error)? {
    let policy = core.securityPolicy
    guard !http.isSecure, policy.pinsAnything else { return nil }
    return AFInvalidSecurityPolicyError(mode: policy.sslPinningMode, baseURL: baseURL)
  }

  override var bearerOrigin: Origin? { baseURL.flatMap { Origin($0.absoluteString) } }

  /// Class, address, base URL, session and queue.
  open override var description: String {
    "<\(type(of: self)): 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)), "
      + "baseURL: \(baseURL?.absoluteString.redactedURL ?? "nil"), session: \(session), operationQueue: \(operationQueue)>"
  }

  // MARK: Verbs. Each starts its task.

  /// Sends a GET request; `parameters` become its query.
  @preconcurrency @discardableResult
  open func get(
    _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
    progress downloadProgress: (@Sendable (Progress) -> Void)? = nil,
    success: (@Sendable (AFURLSessionDataTask, Any?) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    started("GET", URLString, parameters, headers, download: downloadProgress, success, failure)
  }

  /// Sends a HEAD request; `parameters` become its query.
  @preconcurrency @discardableResult
  open func head(
    _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
    success: (@Sendable (AFURLSessionDataTask) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    started("HEAD", URLString, parameters, headers, Self.withoutObject(success), failure)
  }

  /// Sends a POST request; `parameters` become its body.
  @preconcurrency @discardableResult
  open func post(
    _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
    progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
    success: (@Sendable (AFURLSessionDataTask, Any?) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    started("POST", URLString, parameters, headers, upload: uploadProgress, success, failure)
  }

  /// Sends a multipart form, streamed: `parameters` and what the block appends.
  ///
  /// The block runs before the call returns.
  @preconcurrency @discardableResult
  open func post(
    _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
    constructingBodyWith block: ((any AFMultipartFormData) -> Void)?,
    progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
    success: (@Sendable (AFURLSessionDataTask, Any?) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    postForm(URLString, parameters, headers, block, uploadProgress, success, failure)
  }

  /// Sends a PUT request; `parameters` become its body.
  @preconcurrency @discardableResult
  open func put(
    _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
    success: (@Sendable (AFURLSessionDataTask, Any?) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    started("PUT", URLString, parameters, headers, success, failure)
  }

  /// Sends a PATCH request; `parameters` become its body.
  @preconcurrency @discardableResult
  open func patch(
    _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
    success: (@Sendable (AFURLSessionDataTask, Any?) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    started("PATCH", URLString, parameters, headers, success, failure)
  }

  /// Sends a DELETE request; `parameters` become its query.
  @preconcurrency @discardableResult
  open func delete(
    _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
    success: (@Sendable (AFURLSessionDataTask, Any?) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    started("DELETE", URLString, parameters, headers, success, failure)
  }

  /// Makes a task for any method, and does not start it. Every verb but the multipart POST goes through here.
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - URLString: A URL, or a path that is resolved against ``baseURL``; an empty one is the base URL itself.
  ///   - parameters: What the request serializer takes.
  ///   - headers: Header fields of this request alone; they replace others of the same name.
  ///   - uploadProgress: Told on the manager's callback queue how much has been sent.
  ///   - downloadProgress: Told likewise how much has come.
  ///   - success: Gets the task and the serialized object.
  ///   - failure: Gets the error, and the task if the request could be made.
  /// - Returns: The task, or nil if the request cannot be made.
  @preconcurrency @discardableResult
  open func dataTask(
    withHTTPMethod method: String, urlString URLString: String, parameters: Any?, headers: [String: String]?,
    uploadProgress: (@Sendable (Progress) -> Void)?, downloadProgress: (@Sendable (Progress) -> Void)?,
    success: (@Sendable (AFURLSessionDataTask, Any?) -> Void)?,
    failure: (@Sendable (AFURLSessionDataTask?, any Error) -> Void)? = nil
  ) -> AFURLSessionDataTask? {
    do {
      let request = try urlRequest(method, URLString, parameters, headers)
      let box = TaskBox()
      let task = dataTask(
        with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
        completionHandler: Self.split(success, failure, box))
      box.fill(task)
      return task
    } catch {
      report(error, failure)
      return nil
    }
  }
}
