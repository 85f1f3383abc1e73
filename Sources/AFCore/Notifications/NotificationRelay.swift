import AFSupport
import Dispatch
package import Foundation

/// Posts notifications on the main queue, in order, without letting them pile up.
///
/// A program whose main queue never runs gets none. Nor may it pay for them: once ``limit`` of them wait, the oldest goes.
package final class NotificationRelay: Sendable {
  package static let shared = NotificationRelay()

  private struct State {
    var waiting: [Post] = []
    var isScheduled = false
  }

  // Unchecked because `Any` is not Sendable; what the relay is given is not touched by anybody else.
  private struct Post: @unchecked Sendable {
    let name: NSNotification.Name
    let object: AnyObject?
    let userInfo: [AnyHashable: Any]?
  }

  private static let limit = 1024
  private let state = Locked(State())

  package func post(_ name: NSNotification.Name, object: AnyObject?, userInfo: [AnyHashable: Any]? = nil) {
    let post = Post(name: name, object: object, userInfo: userInfo)
    let mustSchedule = state.withLock { state in
      if state.waiting.count >= Self.limit { state.waiting.removeFirst(Self.limit / 4) }
      state.waiting.append(post)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { DispatchQueue.main.async { self.drain() } }
  }

  private func drain() {
    let posts = state.withLock { state in
      state.isScheduled = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for post in posts {
      NotificationCenter.default.post(name: post.name, object: post.object, userInfo: post.userInfo)
    }
  }
}
