import AFSupport
import AFTransport
import Foundation
import FoundationNetworking

/// Asking the server beside a task that has been answered with what is stale (RFC 5861 §3).
struct CacheRevalidation: Sendable {
  let task: TaskCore
  let session: SessionCore
  let cache: ResponseCache

  /// Whether the server may be asked beside the task, in a task that the app does not see. Not where the app has a say in what is kept, and
  /// not for bodies that are never held in memory.
  var isAllowed: Bool {
    let (isSilent, interests, isStreamed) = task.state.withLock {
      ($0.options.isSilent, $0.owner.blocks.interests, $0.body.stream != nil)
    }
    return task.kind == .data && !isSilent && !isStreamed && !interests.contains(.cache)
  }

  /// Asks whether `stored` is still good, unless that is being asked already. What comes of it is in the cache; nothing is called. The task
  /// is the session's like any other: it ends with it.
  func begin(_ stored: StoredResponse) {
    let (request, manager, blocks) = task.state.withLock { ($0.current, $0.owner.manager, $0.owner.blocks) }
    let name = "\(request.url.withoutFragment)\n\(stored.selector ?? "")"
    guard cache.beginRevalidation(name) else { return }
    let task = session.makeTask(
      .data, request, manager: manager, blocks: blocks.silent,
      completion: .handler { [cache] _ in cache.endRevalidation(name) }, starts: true)
    task.state.withLock { $0.options.isSilent = true }
    task.resume()
  }
}
