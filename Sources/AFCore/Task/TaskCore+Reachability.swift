import AFReachability
import AFSupport
import AFTransport
import Foundation

/// A task's dealings with the network's absence.
struct HoldState: Sendable {
  /// Whether a failure has been answered with a new attempt although the network was there.
  var hasRepeated = false
}

extension TaskCore {
  /// Holds the first hop back until there is a way, if the session's options ask for that.
  /// - Returns: Whether the hop is held; it starts by itself.
  func holdsFirstHop(_ session: SessionCore) -> Bool {
    guard session.settings.options.holdsUntilReachable else { return false }
    let (hop, url) = state.withLock { ($0.hopCount, $0.current.url) }
    guard hop == 1, let host = URL(string: url)?.host, !AFReachabilityTarget.isLoopback(host) else { return false }
    waitUntilReachable(session, failure: nil)
    return true
  }

  /// Waits for a way, and then starts the current request as the next hop. `failure` is what the last hop ended with.
  func waitUntilReachable(_ session: SessionCore, failure: URLError?) {
    let reachability = state.withLock { $0.manager }?.reachabilityManager ?? .shared()
    let (limit, deadline) = state.withLock {
      ($0.current.timeout ?? session.settings.requestTimeout, $0.deadline ?? .distantFuture)
    }
    let wait = reachability.makeWait(timeout: min(limit > 0 ? limit : .infinity, deadline - .now))
    guard let question = TaskQuestion.open(.reachability, of: self, onEnd: { wait.cancel() }) else { return }
    // A wait that was cancelled before it begins ends at once.
    wait.begin { result in
      // The monitor's thread is for nothing that takes time.
      DispatchQueue.global().async {
        guard question.close() else { return }
        self.take(result, failure, sawOutage: wait.hasSeenOutage)
      }
    }
  }

  private func take(_ result: Result<AFReachabilityState, any Error>, _ failure: URLError?, sawOutage: Bool) {
    let request = state.withLock { $0.current }
    switch result {
    case .failure(let error as AFReachabilityError):
      // Where nobody can tell, the request itself has to.
      if case .netlinkUnavailable = error, failure == nil { return goOn(with: request) }
      let text = "There is no way to the network: \(error)"
      return fail(failure ?? URLError.make(.notConnectedToInternet, url: request.url, text, underlying: error))
    case .failure(let error): return fail(failure ?? error)
    case .success:
      guard let failure, !sawOutage else { return goOn(with: request) }
      // The network is there: it may have come back just now, but not again and again.
      let isFirst = state.withLock { state in
        defer { state.hold.hasRepeated = true }
        return !state.hold.hasRepeated
      }
      if isFirst { goOn(with: request) } else { fail(failure) }
    }
  }
}

extension TaskState {
  /// Whether a hop that ended with `failure` is to be started again when there is a way: it never reached a server, for want
  /// of a route or of a resolver, and its body can be had again.
  func isHeld(after failure: TransferFailure) -> Bool {
    guard session?.settings.options.holdsUntilReachable == true, failure.kind == .transport else { return false }
    let couldNotResolve: Int32 = 6
    let couldNotConnect: Int32 = 7
    let wantOfRoute = [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(failure.osError)
    guard failure.curlCode == couldNotResolve || failure.curlCode == couldNotConnect && wantOfRoute else {
      return false
    }
    if case .stream(let body) = current.body { return body.canBeSent }
    return true
  }
}
