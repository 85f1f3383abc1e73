import AFSupport
import AFTransport
import Foundation

/// Records all that a transfer reports, and answers as it is told.
final class TransferProbe: TransferHandler {
  struct State {
    var heads: [ResponseHead] = []
    var outcomes: [TransferOutcome] = []
    var sent: [Int64] = []
    var received: [Int64] = []
    var expected: [Int64?] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// When the completion came, by the engine's thread: the test itself may be woken late on a busy machine.
    var completedAt = MonotonicTime.distantFuture
    /// An engine that is dropped cancels what it runs.
    var engine: Engine?
  }

  let state = Locked(State())
  private let route: @Sendable (ResponseHead) -> ResponseRoute

  init(route: @escaping @Sendable (ResponseHead) -> ResponseRoute = { _ in .memory }) {
    self.route = route
  }

  func transfer(_ transfer: TransferHandle, didReceive head: ResponseHead) -> ResponseRoute {
    state.withLock { $0.heads.append(head) }
    return route(head)
  }

  func transfer(_ transfer: TransferHandle, didSend total: Int64, expected: Int64?) {
    state.withLock { $0.sent.append(total) }
  }

  func transfer(_ transfer: TransferHandle, didReceive total: Int64, expected: Int64?) {
    state.withLock {
      $0.received.append(total)
      $0.expected.append(expected)
    }
  }

  func transfer(_ transfer: TransferHandle, didComplete outcome: TransferOutcome) -> TransferSequel? {
    let waiters = state.withLock { state in
      state.outcomes.append(outcome)
      state.completedAt = .now
      state.engine = nil
      defer { state.waiters = [] }
      return state.waiters
    }
    return { for waiter in waiters { waiter.resume() } }
  }

  var head: ResponseHead? { state.withLock { $0.heads.last } }
  var completions: Int { state.withLock { $0.outcomes.count } }

  /// Waits for the completion.
  func outcome() async -> TransferOutcome {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.outcomes.isEmpty { state.waiters.append(continuation) }
        return !state.outcomes.isEmpty
      }
      if isOver { continuation.resume() }
    }
    return state.withLock { $0.outcomes[0] }
  }
}

extension Engine {
  /// An engine that accepts every TLS peer, unless told otherwise.
  static func forTests(
    connectionsPerHost: Int = 6, trust: @escaping TrustEvaluator = { _ in .accept }
  ) -> Engine {
    var configuration = EngineConfiguration()
    configuration.evaluateTrust = trust
    configuration.maximumConnectionsPerHost = connectionsPerHost
    return Engine(configuration: configuration)
  }

  /// Starts a transfer; the engine lives until it is over.
  func launch(_ request: TransferRequest, _ probe: TransferProbe) -> TransferHandle {
    probe.state.withLock { $0.engine = self }
    return start(request, handler: probe)
  }

  /// Runs one transfer to its end.
  func run(_ request: TransferRequest, probe: TransferProbe = TransferProbe()) async -> TransferOutcome {
    start(request, handler: probe)
    return await probe.outcome()
  }
}

extension TransferRequest {
  static func get(_ url: URL, _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest {
    var request = TransferRequest(url: url.absoluteString)
    change(&request)
    return request
  }

  static func post(
    _ url: URL, _ body: TransferRequest.Body, _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferRequest {
    var request = TransferRequest(url: url.absoluteString, method: "POST", body: body)
    request.options.isIdempotent = false
    change(&request)
    return request
  }
}
