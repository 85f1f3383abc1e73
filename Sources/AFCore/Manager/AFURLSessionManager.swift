public import AFReachability
public import AFSecurity
import AFSerialization
import AFSupport
import CInitializers
public import Dispatch
public import Foundation
public import FoundationNetworking

// Over 400 lines because a method that subclasses may override has to stand in the class itself: on Linux an extension cannot
// hold it. What the methods do stands elsewhere.

/// Makes data, upload and download tasks, and gives their results to closures.
///
/// Completion handlers run on ``completionQueue``, or on the main queue if that is nil: a program that blocks its main thread
/// sets one. Progress closures and all blocks run on a serial queue of the manager. No member blocks, and all can be used
/// from any thread.
///
/// The manager lives while somebody holds it or a task of it runs. A subclass restates `@unchecked Sendable`.
open class AFURLSessionManager: NSObject, NSSecureCoding, NSCopying, AFResponseSerializing, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the one stored property is a Sendable constant.
  let core: ManagerCore

  /// A manager with the default session configuration.
  public override convenience init() {
    self.init(sessionConfiguration: nil)
  }

  /// A manager with a session configuration, which is copied; nil means the default one.
  public init(sessionConfiguration configuration: URLSessionConfiguration?) {
    core = ManagerCore(configuration: configuration, classInterests: OverrideProbe.interests(of: Self.self))
    super.init()
  }

  /// What copies are made by, through CInitializers: `self.init` is that of the class which is made.
  package convenience init(like original: AFURLSessionManager) {
    self.init(sessionConfiguration: original.core.configuration)
  }

  /// Reads an archived manager: its session configuration and policy. Nil if the policy cannot be restored as it was: the default
  /// one in its place might accept more.
  public required init?(coder: NSCoder) {
    core = ManagerCore(
      configuration: ArchivedConfiguration.decode(coder), classInterests: OverrideProbe.interests(of: Self.self))
    super.init()
    if coder.containsValue(forKey: "securityPolicy") {
      guard let policy = coder.decodeObject(of: AFSecurityPolicy.self, forKey: "securityPolicy") else { return nil }
      core.setSecurityPolicy(policy)
    }
  }

  /// True: archives of managers are read with secure coding.
  open class var supportsSecureCoding: Bool { true }

  /// Archives the session configuration and the policy.
  open func encode(with coder: NSCoder) {
    ArchivedConfiguration.encode(core.configuration, coder)
    coder.encode(securityPolicy, forKey: "securityPolicy")
  }

  /// A manager of the same class, made by its `init(sessionConfiguration:)`, with the same session configuration and a copy of the policy; serializer, queues and blocks have their defaults.
  @discardableResult
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = made(type(of: self)) { af_make_session_manager(Unmanaged.passRetained(self).toOpaque(), $0) }
    copy.securityPolicy = copiedPolicy
    return copy
  }

  /// A copy of the policy; the policy itself where a subclass of it cannot be copied. A default one might accept more.
  var copiedPolicy: AFSecurityPolicy {
    let policy = securityPolicy
    return policy.copy() as? AFSecurityPolicy ?? policy
  }

  /// The session. Made when it is first asked for, and again after it was reset.
  open var session: AFURLSession { core.session(for: self) }

  /// A queue of one operation at a time. What is added to it runs between the callbacks of the manager's tasks; cancelling
  /// its operations does not cancel callbacks.
  open var operationQueue: OperationQueue { core.operationQueue }

  /// Decides about every TLS server. Changing it, or replacing it, makes new requests use new connections.
  ///
  /// Default: the system's certificates, host names checked, TLS 1.2 or newer. A manager whose base URL is not an https one
  /// refuses every request with ``AFInvalidSecurityPolicyError`` while the policy pins something.
  ///
  /// A subclass that overrides it is asked whenever a task is made, on the caller's thread. Each *other* policy that it returns makes
  /// new connections, so it returns the same one as long as nothing has changed.
  open var securityPolicy: AFSecurityPolicy {
    get { core.securityPolicy }
    set { core.setSecurityPolicy(newValue) }
  }

  /// Kept here for the application's convenience; requests do not ask it. Default: the shared one.
  open var reachabilityManager: AFNetworkReachabilityManager {
    get { core.read { $0.reachabilityManager } ?? .shared() }
    set { core.update { $0.reachabilityManager = newValue } }
  }

  /// The tasks that are not over: data, then upload, then download. Can be asked for from everywhere, callbacks included.
  open var tasks: [AFURLSessionTask] { dataTasks + uploadTasks + downloadTasks }

  /// The data tasks that are not over and send no upload body.
  open var dataTasks: [AFURLSessionDataTask] {
    running(.data).compactMap { $0 as? AFURLSessionDataTask }
  }

  /// The upload tasks that are not over.
  open var uploadTasks: [AFURLSessionUploadTask] {
    running(.upload).compactMap { $0 as? AFURLSessionUploadTask }
  }

  /// The download tasks that are not over.
  open var downloadTasks: [AFURLSessionDownloadTask] {
    running(.download).compactMap { $0 as? AFURLSessionDownloadTask }
  }

  private func running(_ kind: TaskKind) -> [AFURLSessionTask] {
    (core.read { $0.session }?.core.tasks ?? []).filter { $0.kind == kind }.map(\.shell)
  }

  /// Where completion handlers run. Default: nil, which means the main queue.
  open var completionQueue: DispatchQueue? {
    get { core.read { $0.completionQueue } }
    set { core.update { $0.completionQueue = newValue } }
  }

  /// The group that completion handlers belong to, so that somebody can wait for them. Default: nil, which means a group
  /// that all managers share.
  open var completionGroup: DispatchGroup? {
    get { core.read { $0.completionGroup } }
    set { core.update { $0.completionGroup = newValue } }
  }

  /// Makes the session invalid.
  /// - Parameters:
  ///   - cancelPendingTasks: Whether tasks are cancelled; if not, they go on to their end first.
  ///   - resetSession: Whether the next task gets a new session. If not, new tasks fail.
  open func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool, resetSession: Bool) {
    let session = session
    if resetSession { core.resetSession() }
    session.core.invalidate(cancelling: cancelPendingTasks)
  }

  // MARK: Tasks. Each is suspended; `resume()` starts it.

  /// Makes a task whose response body goes through the response serializer.
  /// - Parameters:
  ///   - request: The request, with its body.
  ///   - uploadProgressBlock: Told on the manager's callback queue how much has been sent.
  ///   - downloadProgressBlock: Told likewise how much has come.
  ///   - completionHandler: Gets the response, the serialized object, and the error. Both of the latter may be there.
  /// - Returns: The task, suspended.
  @preconcurrency @discardableResult
  open func dataTask(
    with request: URLRequest, uploadProgress uploadProgressBlock: (@Sendable (Progress) -> Void)?,
    downloadProgress downloadProgressBlock: (@Sendable (Progress) -> Void)?,
    completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionDataTask {
    let closures = TaskClosures(uploadProgress: uploadProgressBlock, downloadProgress: downloadProgressBlock)
    let task = makeTask(.data, HopRequest(request), closures, serialized(completionHandler))
    return task as? AFURLSessionDataTask ?? AFURLSessionDataTask(core: task.core)
  }

  /// Makes a task that sends a file, read while it is sent.
  ///
  /// The file is opened when the task starts; if that fails, so does the task.
  @preconcurrency @discardableResult
  open func uploadTask(
    with request: URLRequest, fromFile fileURL: URL, progress uploadProgressBlock: (@Sendable (Progress) -> Void)?,
    completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionUploadTask {
    upload(request, .file(path: fileURL.path), uploadProgressBlock, completionHandler)
  }

  /// Makes a task that sends data; nil is an empty body.
  @preconcurrency @discardableResult
  open func uploadTask(
    with request: URLRequest, from bodyData: Data?, progress uploadProgressBlock: (@Sendable (Progress) -> Void)?,
    completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionUploadTask {
    upload(request, .data(bodyData ?? Data()), uploadProgressBlock, completionHandler)
  }

  /// Makes a task that sends a stream: what ``setTaskNeedNewBodyStreamBlock(_:)`` gives, or else the request's `httpBodyStream`.
  @preconcurrency @discardableResult
  open func uploadTask(
    withStreamedRequest request: URLRequest, progress uploadProgressBlock: (@Sendable (Progress) -> Void)?,
    completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionUploadTask {
    upload(request, nil, uploadProgressBlock, completionHandler)
  }

  /// Makes a task whose response body goes to a file.
  /// - Parameters:
  ///   - request: The request.
  ///   - downloadProgressBlock: Told on the manager's callback queue how much has come.
  ///   - destination: Asked on the manager's callback queue, with the temporary file and the response, where the file is to
  ///     go. There must be no file there. Without an answer the file is removed.
  ///   - completionHandler: Gets the response, the file's URL, and the error. A response with an unacceptable status gives
  ///     the file *and* the error. A file that cannot be moved is an error.
  /// - Returns: The task, suspended.
  @preconcurrency @discardableResult
  open func downloadTask(
    with request: URLRequest, progress downloadProgressBlock: (@Sendable (Progress) -> Void)?,
    destination: (@Sendable (URL, URLResponse) -> URL)?,
    completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionDownloadTask {
    download(HopRequest(request), nil, downloadProgressBlock, destination, completionHandler)
  }

  /// Makes a task that goes on with a download which was cancelled by
  /// ``AFURLSessionDownloadTask/cancel(byProducingResumeData:)``, or which failed with resume data in its error.
  ///
  /// Data that is none makes the task fail.
  @preconcurrency @discardableResult
  open func downloadTask(
    withResumeData resumeData: Data, progress downloadProgressBlock: (@Sendable (Progress) -> Void)?,
    destination: (@Sendable (URL, URLResponse) -> URL)?,
    completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)? = nil
  ) -> AFURLSessionDownloadTask {
    let resume = ResumeSource(resumeData)
    return download(resume.request, resume, downloadProgressBlock, destination, completionHandler)
  }

  /// How far the request body of a task has come; nil when the task is over or is not one of this manager's.
  @discardableResult
  open func uploadProgress(for task: AFURLSessionTask) -> Progress? { progress(of: task, \.upload) }

  /// How far the response body of a task has come; nil when the task is over or is not one of this manager's.
  @discardableResult
  open func downloadProgress(for task: AFURLSessionTask) -> Progress? { progress(of: task, \.download) }

  // MARK: Blocks. They run on the manager's callback queue and count for tasks that are resumed afterwards.

  /// Sets what is called when the session has become invalid.
  @preconcurrency
  open func setSessionDidBecomeInvalidBlock(_ block: (@Sendable (AFURLSession, any Error) -> Void)?) {
    core.setBlocks { $0.sessionDidBecomeInvalid = block }
  }

  /// Sets who is asked about TLS servers and client certificates, in place of the task's challenge handler.
  ///
  /// To accept a server whatever ``securityPolicy`` says, its pins included, the block returns `useCredential` with
  /// `URLCredential(trust:)` of the challenge's `serverTrust`. Default handling, and every other credential, leave the server to
  /// ``securityPolicy``. (AFNetworking leaves default handling to the system, which knows no pins.)
  @preconcurrency
  open func setSessionDidReceiveAuthenticationChallenge(
    _ block: (
      @Sendable (AFURLSession, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?) ->
        AFURLSession.AuthChallengeDisposition
    )?
  ) {
    core.setChallengeBlock { $0.sessionChallenge = block }
  }

  /// Sets what makes the body stream of a streamed upload: the first one, in place of the request's own, and any other body
  /// stream that has to be sent again after a redirect or a challenge. Multipart streams can be sent again without it.
  @preconcurrency
  open func setTaskNeedNewBodyStreamBlock(_ block: (@Sendable (AFURLSession, AFURLSessionTask) -> InputStream)?) {
    core.setBlocks { $0.needNewBodyStream = block }
  }

  /// Sets who decides about redirects: the request to follow with, or nil to take the redirect as the response.
  @preconcurrency
  open func setTaskWillPerformHTTPRedirectionBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionTask, URLResponse, URLRequest) -> URLRequest?)?
  ) {
    core.setBlocks { $0.redirection = block }
  }

  /// Sets who answers the challenges of tasks: TLS servers, and servers that want credentials.
  ///
  /// The handler returns a `URLCredential` to use, an `NSError` to end the task with, a disposition as `NSNumber` (its raw
  /// value), or `NSNull` when it will call the completion handler itself, then or later. Anything else ends the task with an
  /// error that says so. For a TLS server, default handling asks ``securityPolicy``, and so does every credential but
  /// `URLCredential(trust:)` of the challenge's `serverTrust`: that one accepts the server, whatever the policy says.
  @preconcurrency
  open func setAuthenticationChallengeHandler(
    _ authenticationChallengeHandler:
      @escaping @Sendable (
        AFURLSession, AFURLSessionTask, URLAuthenticationChallenge,
        @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) -> Any
  ) {
    core.setChallengeBlock { $0.taskChallenge = authenticationChallengeHandler }
  }

  /// Sets what is told of sent bytes: how many now, how many in all, of how many (-1 if unknown).
  @preconcurrency
  open func setTaskDidSendBodyDataBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionTask, Int64, Int64, Int64) -> Void)?
  ) {
    core.setBlocks { $0.didSendBodyData = block }
  }

  /// Sets what is called when a task is over, with the error of the transfer.
  @preconcurrency
  open func setTaskDidComplete(_ block: (@Sendable (AFURLSession, AFURLSessionTask, (any Error)?) -> Void)?) {
    core.setBlocks { $0.didComplete = block }
  }

  /// Sets what gets the metrics of a task, before its completion.
  @preconcurrency
  open func setTaskDidFinishCollectingMetricsBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionTask, AFURLSessionTaskMetrics?) -> Void)?
  ) {
    core.setBlocks { $0.didFinishCollectingMetrics = block }
  }

  /// Sets who decides about responses: cancel, allow, or make the task a download.
  @preconcurrency
  open func setDataTaskDidReceiveResponseBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionDataTask, URLResponse) -> AFURLSession.ResponseDisposition)?
  ) {
    core.setBlocks { $0.didReceiveResponse = block }
  }

  /// Sets what is told when a data task has become a download task.
  @preconcurrency
  open func setDataTaskDidBecomeDownloadTaskBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionDataTask, AFURLSessionDownloadTask) -> Void)?
  ) {
    core.setBlocks { $0.didBecomeDownloadTask = block }
  }

  /// Sets what gets the pieces of a data task's body. The whole is gathered all the same.
  @preconcurrency
  open func setDataTaskDidReceiveDataBlock(_ block: (@Sendable (AFURLSession, AFURLSessionDataTask, Data) -> Void)?) {
    core.setBlocks { $0.didReceiveData = block }
  }

  /// Sets who may change a response before it is kept in the configuration's `urlCache`.
  ///
  /// Called on the callback queue when a response that may be kept is complete, before the task ends. What it returns is kept, by
  /// its storage policy; `.notAllowed` keeps nothing. Without a block the proposed response is kept. See <doc:Caching>.
  @preconcurrency
  open func setDataTaskWillCacheResponseBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionDataTask, CachedURLResponse) -> CachedURLResponse)?
  ) {
    core.setBlocks { $0.willCacheResponse = block }
  }

  /// Kept for source compatibility; there are no background sessions on Linux, so it is not called.
  @preconcurrency
  open func setDidFinishEventsForBackgroundURLSessionBlock(_ block: (@Sendable (AFURLSession) -> Void)?) {
    core.setBlocks { $0.didFinishEvents = block }
  }

  /// Sets who says where downloads go; nil leaves it to the task's `destination`.
  @preconcurrency
  open func setDownloadTaskDidFinishDownloadingBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionDownloadTask, URL) -> URL?)?
  ) {
    core.setBlocks { $0.didFinishDownloading = block }
  }

  /// Sets what is told of downloaded bytes: how many now, how many in all, of how many (-1 if unknown).
  @preconcurrency
  open func setDownloadTaskDidWriteDataBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
  ) {
    core.setBlocks { $0.didWriteData = block }
  }

  /// Sets what is told when a download goes on from where it was: the offset, and the whole length (-1 if unknown).
  @preconcurrency
  open func setDownloadTaskDidResumeBlock(
    _ block: (@Sendable (AFURLSession, AFURLSessionDownloadTask, Int64, Int64) -> Void)?
  ) {
    core.setBlocks { $0.didResumeDownload = block }
  }

  // MARK: What the blocks hang on. Called on the callback queue; a subclass that overrides one calls `super` unless it means
  // to replace the block.

  /// Calls the block and posts `AFURLSessionDidInvalidate`.
  open func urlSession(_ session: AFURLSession, didBecomeInvalidWithError error: (any Error)?) {
    didBecomeInvalid(session, error)
  }

  /// Asks the session's challenge block; without one the challenge goes to the task.
  @preconcurrency
  open func urlSession(
    _ session: AFURLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, session, completionHandler)
  }

  /// Not called: there are no background sessions on Linux.
  open func urlSessionDidFinishEvents(forBackgroundURLSession session: AFURLSession) {
    core.blocks.blocks.didFinishEvents?(session)
  }

  /// Asks the redirection block; without one the redirect is followed.
  @preconcurrency
  open func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard let block = core.blocks.blocks.redirection else { return completionHandler(request) }
    completionHandler(block(session, task, response, request))
  }

  /// Asks the challenge handler; without one the security policy decides about TLS servers, and the session's stored
  /// credentials are used for the rest.
  @preconcurrency
  open func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (AFURLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, session, task, completionHandler)
  }

  /// Asks the body stream block; without one there is no new stream. Asked first for the initial stream of a streamed upload:
  /// nil then means the request's own. If it has none either, or later, nil ends the task with
  /// `URLError.requestBodyStreamExhausted`.
  @preconcurrency
  open func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(core.blocks.blocks.needNewBodyStream?(session, task))
  }

  /// Calls the block.
  open func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    core.blocks.blocks.didSendBodyData?(session, task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
  }

  /// Calls the block.
  open func urlSession(
    _ session: AFURLSession, task: AFURLSessionTask, didFinishCollecting metrics: AFURLSessionTaskMetrics
  ) {
    core.blocks.blocks.didFinishCollectingMetrics?(session, task, metrics)
  }

  /// Calls the block.
  open func urlSession(_ session: AFURLSession, task: AFURLSessionTask, didCompleteWithError error: (any Error)?) {
    core.blocks.blocks.didComplete?(session, task, error)
  }

  /// Asks the response block; without one the response is allowed.
  @preconcurrency
  open func urlSession(
    _ session: AFURLSession, dataTask: AFURLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (AFURLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(core.blocks.blocks.didReceiveResponse?(session, dataTask, response) ?? .allow)
  }

  /// Calls the block.
  open func urlSession(
    _ session: AFURLSession, dataTask: AFURLSessionDataTask, didBecome downloadTask: AFURLSessionDownloadTask
  ) {
    core.blocks.blocks.didBecomeDownloadTask?(session, dataTask, downloadTask)
  }

  /// Calls the block.
  open func urlSession(_ session: AFURLSession, dataTask: AFURLSessionDataTask, didReceive data: Data) {
    core.blocks.blocks.didReceiveData?(session, dataTask, data)
  }

  /// Asks the cache block; without one the proposed response is kept. A subclass that answers nil keeps nothing.
  @preconcurrency
  open func urlSession(
    _ session: AFURLSession, dataTask: AFURLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    guard let block = core.blocks.blocks.willCacheResponse else { return completionHandler(proposedResponse) }
    completionHandler(block(session, dataTask, proposedResponse))
  }

  /// Asks the block, then the task's `destination`, where the file is to go, and moves it there. When this returns, a file
  /// that is still at `location` is removed.
  open func urlSession(
    _ session: AFURLSession, downloadTask: AFURLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    DownloadEnd(task: downloadTask.core).chooseDestination(location)
  }

  /// Calls the block.
  open func urlSession(
    _ session: AFURLSession, downloadTask: AFURLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    core.blocks.blocks.didWriteData?(
      session, downloadTask, bytesWritten, totalBytesWritten, totalBytesExpectedToWrite)
  }

  /// Calls the block.
  open func urlSession(
    _ session: AFURLSession, downloadTask: AFURLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    core.blocks.blocks.didResumeDownload?(session, downloadTask, fileOffset, expectedTotalBytes)
  }

  /// The serializer that a completing task uses.
  func currentResponseSerializer() -> any AFURLResponseSerialization {
    core.read { $0.responseSerializer }
  }

  func setResponseSerializer(_ serializer: any AFURLResponseSerialization) {
    core.update { $0.responseSerializer = serializer }
  }

  /// Why requests of this manager must not be sent.
  func refusal(for url: String) -> (any Error)? { nil }

  /// Where a token goes whose source does not say.
  var bearerOrigin: Origin? { nil }

  /// Class, address, session and queue.
  open override var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)
    return "<\(type(of: self)): 0x\(address), session: \(session), operationQueue: \(operationQueue)>"
  }
}
