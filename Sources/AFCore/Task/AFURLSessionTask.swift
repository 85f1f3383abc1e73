import AFSupport
public import Foundation
public import FoundationNetworking

/// A task: one request and what comes of it. It takes the place of Foundation's `URLSessionTask`, with the same members.
///
/// A new task is suspended; ``resume()`` starts it. All members can be used from any thread.
///
/// A task that an app makes by itself, ``init()``, belongs to no session and does nothing: it stays suspended, has no request, and
/// ``resume()``, ``suspend()`` and ``cancel()`` have no effect. It is meant for tests, whose subclasses override what they need.
open class AFURLSessionTask: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the one stored property is a Sendable constant.
  let core: TaskCore

  /// Running, suspended, canceling or completed.
  public typealias State = FoundationNetworking.URLSessionTask.State

  init(core: TaskCore) {
    self.core = core
  }

  /// Makes a task that does nothing, for tests.
  public override init() {
    core = TaskCore(inert: .data)
  }

  /// The task itself: a task is one thing, however often it is held.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// A number that no other task of the session has.
  open var taskIdentifier: Int { core.identifier }

  /// The request as it was given.
  open var originalRequest: URLRequest? { core.isInert ? nil : core.state.withLock { $0.original }.urlRequest }

  /// The request of the present hop; differs from ``originalRequest`` after a redirect.
  open var currentRequest: URLRequest? { core.isInert ? nil : core.state.withLock { $0.current }.urlRequest }

  /// The response of the present hop, or nil if none has come.
  open var response: URLResponse? { core.httpResponse }

  /// The trailer fields: those that the server sent behind the body (RFC 9110 §6.5), once the task is over. Those of one name are
  /// joined with ", ". They are shown and have no effect: what changes how a message is read, or who sent it, belongs in front of
  /// the body, and must not be believed here. All together they are no larger than 256 KiB; more fails the task with
  /// `URLError.dataLengthExceedsMaximum`. Empty if there are none.
  open var trailers: [String: String] { core.state.withLock { $0.answer.trailers }?.dictionary ?? [:] }

  /// Why the task failed; nil while it runs, and if it did not.
  open var error: (any Error)? { core.state.withLock { $0.isOver ? $0.failure.error : nil } }

  /// What the task does.
  open var state: State { core.publicState }

  /// From 0 to 1, 0.5 at first: which of several waiting tasks for one host comes first.
  open var priority: Float {
    get { core.state.withLock { $0.options.priority } }
    set { core.setPriority(newValue) }
  }

  /// How far the response body has come; its total is unknown (-1) until the server has told it.
  open var progress: Progress { core.progress(\.download) }

  /// A name for people. Has no effect.
  open var taskDescription: String? {
    get { core.state.withLock { $0.options.description } }
    set { core.state.withLock { $0.options.description = newValue } }
  }

  /// Bytes of the response body that have come, after decoding.
  open var countOfBytesReceived: Int64 { core.state.withLock { $0.progress.counts.received } }

  /// Bytes of the request body that have been sent.
  open var countOfBytesSent: Int64 { core.state.withLock { $0.progress.counts.sent } }

  /// The length of the request body, or -1 if it is not known.
  open var countOfBytesExpectedToSend: Int64 { core.state.withLock { $0.progress.counts.expectedToSend } }

  /// The length of the response body, or -1 if it is not known.
  open var countOfBytesExpectedToReceive: Int64 { core.state.withLock { $0.progress.counts.expectedToReceive } }

  /// Starts the task, or lets it go on. Does nothing on a task that runs or is over.
  open func resume() {
    if core.resume() { core.announce(.AFNetworkingTaskDidResume) }
  }

  /// Stops the flow of bytes until ``resume()``. The request's timeout does not run meanwhile.
  open func suspend() {
    if core.suspend() { core.announce(.AFNetworkingTaskDidSuspend) }
  }

  /// Ends the task with `URLError.cancelled`. Returns at once; also counts before the first ``resume()``.
  open func cancel() {
    core.cancel()
  }
}

/// A task whose response body comes as data.
open class AFURLSessionDataTask: AFURLSessionTask, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.
}

/// A task that sends a body; its response comes as data.
open class AFURLSessionUploadTask: AFURLSessionDataTask, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.
}

/// A task whose response body goes to a file.
open class AFURLSessionDownloadTask: AFURLSessionTask, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.

  /// What is needed to go on with the download, once the task has failed; nil if that is impossible. Most errors have it too,
  /// under `NSURLSessionDownloadTaskResumeData`.
  public final var resumeData: Data? { core.state.withLock { $0.isOver ? $0.downloading.resumeData : nil } }

  /// Ends the task, and gives what is needed to go on with it later; nil if that is impossible.
  ///
  /// The handler is called on the manager's callback queue; for a task without a session, with nil, on a global queue.
  @preconcurrency
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    core.cancelProducingResumeData(completionHandler)
  }
}
