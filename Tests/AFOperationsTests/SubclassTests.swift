import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFOperations

/// A subclass that overrides every open property and method of an operation, and notes which were asked.
private final class Asked: AFHTTPRequestOperation, @unchecked Sendable {
  // Unchecked because its superclass is; it stores constants.
  let asked = Recorder<String>()
  let own = Locked<AFSecurityPolicy?>(nil)

  private func note<Value>(_ value: Value, _ name: String = #function) -> Value {
    asked.record(String(name.prefix { $0 != "(" }))
    return value
  }

  override var request: URLRequest { note(super.request) }
  override var response: HTTPURLResponse? { note(super.response) }
  override var error: (any Error)? { note(super.error) }
  override var responseData: Data? { note(super.responseData) }
  override var responseString: String? { note(super.responseString) }
  override var responseStringEncoding: UInt { note(super.responseStringEncoding) }
  override var responseObject: Any? { note(super.responseObject) }
  override var responseSerializer: AFHTTPResponseSerializer {
    get { note(super.responseSerializer) }
    set { super.responseSerializer = note(newValue) }
  }
  override var userInfo: [AnyHashable: Any]? {
    get { note(super.userInfo) }
    set { super.userInfo = note(newValue) }
  }
  override var runLoopModes: Set<RunLoop.Mode> {
    get { note(super.runLoopModes) }
    set { super.runLoopModes = note(newValue) }
  }
  override var shouldUseCredentialStorage: Bool {
    get { note(super.shouldUseCredentialStorage) }
    set { super.shouldUseCredentialStorage = note(newValue) }
  }
  override var credential: URLCredential? {
    get { note(super.credential) }
    set { super.credential = note(newValue) }
  }
  override var securityPolicy: AFSecurityPolicy {
    get { note(own.withLock { $0 } ?? super.securityPolicy) }
    set { super.securityPolicy = note(newValue) }
  }
  override var inputStream: InputStream? {
    get { note(super.inputStream) }
    set { super.inputStream = note(newValue) }
  }
  override var outputStream: OutputStream? {
    get { note(super.outputStream) }
    set { super.outputStream = note(newValue) }
  }
  override var completionQueue: DispatchQueue? {
    get { note(super.completionQueue) }
    set { super.completionQueue = note(newValue) }
  }
  override var completionGroup: DispatchGroup? {
    get { note(super.completionGroup) }
    set { super.completionGroup = note(newValue) }
  }
  override var successCallbackQueue: DispatchQueue? {
    get { note(super.successCallbackQueue) }
    set { super.successCallbackQueue = note(newValue) }
  }
  override var failureCallbackQueue: DispatchQueue? {
    get { note(super.failureCallbackQueue) }
    set { super.failureCallbackQueue = note(newValue) }
  }
  override var completionBlock: (@Sendable () -> Void)? {
    get { note(super.completionBlock) }
    set { super.completionBlock = note(newValue) }
  }
  override var hasAcceptableStatusCode: Bool { note(super.hasAcceptableStatusCode) }
  override var hasAcceptableContentType: Bool { note(super.hasAcceptableContentType) }
  override var isAsynchronous: Bool { note(super.isAsynchronous) }
  override var isExecuting: Bool { note(super.isExecuting) }
  override var isFinished: Bool { note(super.isFinished) }
  override var isCancelled: Bool { note(super.isCancelled) }
  override var isPaused: Bool { note(super.isPaused) }
  override func start() { note(super.start()) }
  override func cancel() { note(super.cancel()) }
  override func pause() { note(super.pause()) }
  override func resume() { note(super.resume()) }
  override func setUploadProgressBlock(_ block: (@Sendable (UInt, Int64, Int64) -> Void)?) {
    note(super.setUploadProgressBlock(block))
  }
  override func setDownloadProgressBlock(_ block: (@Sendable (UInt, Int64, Int64) -> Void)?) {
    note(super.setDownloadProgressBlock(block))
  }
  override func setWillSendRequestForAuthenticationChallenge(
    _ block: (@Sendable (AFURLSessionTask, URLAuthenticationChallenge) -> Void)?
  ) {
    note(super.setWillSendRequestForAuthenticationChallenge(block))
  }
  override func setRedirectResponseBlock(
    _ block: (@Sendable (AFURLSessionTask, URLRequest, URLResponse?) -> URLRequest?)?
  ) {
    note(super.setRedirectResponseBlock(block))
  }
  override func setCacheResponseBlock(
    _ block: (@Sendable (AFURLSessionTask, CachedURLResponse) -> CachedURLResponse?)?
  ) {
    note(super.setCacheResponseBlock(block))
  }
  override func setCompletionBlockWithSuccess(
    _ success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)?
  ) {
    note(super.setCompletionBlockWithSuccess(success, failure: failure))
  }
  override func copy(with zone: NSZone? = nil) -> Any { note(super.copy(with: zone)) }
  override func encode(with coder: NSCoder) { note(super.encode(with: coder)) }
  override class func acceptableStatusCodes() -> IndexSet {
    super.acceptableStatusCodes().union(IndexSet(integer: 299))
  }
  override class func acceptableContentTypes() -> Set<String>? { super.acceptableContentTypes() }
  override class func canProcess(_ urlRequest: URLRequest) -> Bool { super.canProcess(urlRequest) || true }
}

@Suite struct OperationSubclassTests {
  @Test func `A subclass that overrides every open member is asked for what counts, and runs`() async throws {
    try await withTestServer(handler: { _ in .pattern(100) }) { server in
      let client = makeClient(server)
      client.registerHTTPOperationClass(Asked.self)
      let calls = Recorder<Bool>()
      let made = client.httpRequestOperation(
        with: get(server), success: { _, object in calls.record((object as? Data)?.count == 100) },
        failure: { _, _ in calls.record(false) })
      let operation = try #require(made as? Asked)
      operation.setRedirectResponseBlock { _, request, _ in request }
      client.enqueue(operation)
      try await calls.wait(for: 1)
      #expect(calls.values == [true])
      let wanted: Set = [
        "request", "credential", "shouldUseCredentialStorage", "securityPolicy", "outputStream", "responseSerializer",
        "responseObject", "error", "successCallbackQueue", "completionQueue", "completionGroup", "completionBlock",
        "start",
        "isFinished", "isExecuting", "setCompletionBlockWithSuccess", "setRedirectResponseBlock",
      ]
      #expect(wanted.subtracting(operation.asked.values).isEmpty)
      #expect((operation.copy() as? Asked)?.isFinished == false)
    }
  }

  @Test func `A policy that a subclass overrides is in force`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    try await withTestServer(TestServer.Options(tls: TestTLS(identity)), handler: { _ in .text("a") }) { server in
      let policy = AFSecurityPolicy.default()
      policy.anchorCertificates = [try AFCertificate(derRepresentation: authority.certificate)]
      policy.usesSystemAnchors = false
      for trusts in [false, true] {
        let operation = Asked(request: URLRequest(url: server.url("a", host: "localhost")))
        if trusts { operation.own.withLock { $0 = policy } }
        try? await operation.run()
        #expect((operation.response?.statusCode == 200) == trusts)
      }
    }
  }

  @Test func `An operation that only shows its policy shares its connections with the others`() throws {
    let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/")))
    let operation = AFHTTPRequestOperation(request: request)
    let policy = operation.securityPolicy
    #expect(policy === operation.securityPolicy)
    #expect(operation.core.withLock { $0.ownPolicy(policy) } == nil)
    policy.allowInvalidCertificates = true
    #expect(operation.core.withLock { $0.ownPolicy(policy) } === policy)
  }
}
