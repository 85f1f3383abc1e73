public import Foundation
public import FoundationNetworking

/// A session: connections, settings and tasks that belong together. It takes the place of Foundation's `URLSession`.
///
/// A manager makes it; see ``AFURLSessionManager/session``. Its thread begins with the first request. It lives while somebody
/// holds it or a task of it runs, and then frees its thread and its connections.
open class AFURLSession: NSObject, @unchecked Sendable {
  // Unchecked because an open class cannot be checked; the one stored property is a Sendable constant.
  let core: SessionCore

  /// How an authentication challenge is answered.
  public typealias AuthChallengeDisposition = FoundationNetworking.URLSession.AuthChallengeDisposition
  /// How a response is taken: cancel, allow, or become a download.
  public typealias ResponseDisposition = FoundationNetworking.URLSession.ResponseDisposition

  init(core: SessionCore) {
    self.core = core
  }

  /// A copy of the configuration that the session was made with. Changing it changes nothing.
  open var configuration: URLSessionConfiguration {
    core.configuration.copy() as? URLSessionConfiguration ?? core.configuration
  }

  /// A name for people. Has no effect.
  open var sessionDescription: String? {
    get { core.description }
    set { core.description = newValue }
  }

  /// Gives all tasks that are not over, in the order in which they were made, on the manager's callback queue.
  @preconcurrency
  open func getAllTasks(completionHandler: @escaping @Sendable ([AFURLSessionTask]) -> Void) {
    let tasks = core.tasks
    core.callbackQueue.async { completionHandler(tasks.map(\.shell)) }
  }

  /// Takes no more tasks, lets those there are come to their end, and becomes invalid.
  open func finishTasksAndInvalidate() {
    core.invalidate(cancelling: false)
  }

  /// Cancels every task and becomes invalid.
  open func invalidateAndCancel() {
    core.invalidate(cancelling: true)
  }
}
