import AFReachability
import AFSupport
import AFTransport
import Foundation

/// Holds a task until there is a way to the network, if the session's options ask for that.
struct NetworkWait: Sendable {
  let task: TaskCore
  let session: SessionCore

  /// Holds the first hop back until there is a way.
  /// - Returns: Whether the hop is held; it starts by itself.
  func holdsFirstHop() -> Bool {
    guard session.settings.options.holdsUntilReachable else { return false }
    let (hop, url) = task.state.withLock { ($0.machine.hop, $0.current.url) }
    guard hop == 1, let host = URL(string: url)?.host, !AFReachabilityTarget.isLoopback(host) else { return false }
    begin(after: nil)
    return true
  }

  /// Waits for a way, and then starts the current request as the next hop. `failure` is what the last hop ended with.
  func begin(after failure: URLError?) {
    let (manager, limit, deadline) = task.state.withLock {
      ($0.owner.manager, $0.current.timeout ?? session.settings.requestTimeout, $0.options.deadline ?? .distantFuture)
    }
    let reachability = manager?.reachabilityManager ?? .shared()
    let wait = reachability.makeWait(timeout: min(limit > 0 ? limit : .infinity, deadline - .now))
    guard let question = TaskQuestion.open(.reachability, of: task, onEnd: { wait.cancel() }) else { return }
    // A wait that was cancelled before it begins ends at once.
    wait.begin { result in
      // The monitor's thread is for nothing that takes time.
      DispatchQueue.global().async {
        guard question.close() else { return }
        end(result, failure, sawOutage: wait.hasSeenOutage)
      }
    }
  }

  private func end(_ result: Result<AFReachabilityState, any Error>, _ failure: URLError?, sawOutage: Bool) {
    let request = task.state.withLock { $0.current }
    switch result {
    case .failure(let error as AFReachabilityError):
      // Where the system cannot tell, the request itself has to.
      if case .netlinkUnavailable = error, failure == nil { return task.goOn(with: request) }
      let text = "There is no way to the network: \(error)"
      return task.fail(failure ?? URLError.make(.notConnectedToInternet, url: request.url, text, underlying: error))
    case .failure(let error): return task.fail(failure ?? error)
    case .success:
      guard let failure, !sawOutage else { return task.goOn(with: request) }
      // The network is there: it may have come back just now, but not again and again.
      let isFirst = task.state.withLock { state in
        defer { state.ledger.hasRepeated = true }
        return !state.ledger.hasRepeated
      }
      if isFirst { task.goOn(with: request) } else { task.fail(failure) }
    }
  }
}
