import AFSupport
import Dispatch
import Foundation

/// The present token, and the one refresh that all wait for who need the next.
///
/// A request keeps the ``Stamp`` of the token that it carries. By it a refusal is told from an old one (the token has been
/// replaced meanwhile: just repeat) and from one that a failed refresh has answered already (sent before the refresh ended:
/// fail with its error, do not start another).
final class BearerCore: Sendable {
  /// Which token a request carries, and how many refreshes had ended when it was sent.
  struct Stamp: Sendable, Hashable {
    var generation: Int
    var epoch: Int
  }

  /// What a request is to do before it is sent.
  enum Claim {
    case send(AFBearerAuthentication.Token, Stamp)
    case wait(Stamp)
    case fail(any Error)
  }

  typealias Waiter = @Sendable (Result<Void, any Error>) -> Void

  private typealias Work = Task<AFBearerAuthentication.Token, any Error>

  private struct Running {
    var identifier: Int
    var generation: Int
    var work: Work
    var waiters: [Int: Waiter] = [:]
    /// Nobody was refused: the token is only old, and may still do if the refresh fails.
    var isEarly = true
  }

  private struct State {
    var token: AFBearerAuthentication.Token?
    var generation = 0
    /// Refreshes that have ended, or been given up.
    var epoch = 0
    var lastNumber = 0
    var running: Running?
    /// A refresh that was cancelled, or took too long, and may still be at work. The next one waits for its end, and takes its token if it has
    /// one.
    var cancelled: (generation: Int, work: Work)?
    /// The last refresh failed: for requests that were sent with this token before it ended.
    var failure: (stamp: Stamp, error: any Error)?

    func failure(for stamp: Stamp) -> (any Error)? {
      guard let failure, failure.stamp.generation == stamp.generation, stamp.epoch <= failure.stamp.epoch
      else { return nil }
      return failure.error
    }

    mutating func number() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state: Locked<State>
  private let leeway: TimeInterval
  private let timeout: TimeInterval
  private let now: @Sendable () -> Date
  private let refresh: AFBearerAuthentication.Refresh

  /// The sources whose refresh is the caller.
  @TaskLocal private static var refreshing: [ObjectIdentifier] = []

  init(
    token: AFBearerAuthentication.Token?, leeway: TimeInterval, timeout: TimeInterval,
    now: @escaping @Sendable () -> Date, refresh: @escaping AFBearerAuthentication.Refresh
  ) {
    state = Locked(State(token: token))
    self.leeway = leeway
    self.timeout = timeout
    self.now = now
    self.refresh = refresh
  }

  /// Whether the caller belongs to this source's refresh.
  var isRefreshingHere: Bool { Self.refreshing.contains(ObjectIdentifier(self)) }

  var token: AFBearerAuthentication.Token? { state.withLock { $0.token } }

  /// Whether the token of `stamp` is no longer the present one.
  func isReplaced(_ stamp: Stamp) -> Bool { state.withLock { $0.generation != stamp.generation } }

  func set(_ token: AFBearerAuthentication.Token?) {
    state.withLock { state in
      state.token = token
      state.generation += 1
    }
  }

  /// What a request is to do that got a 401 to the token of `refused`, or to none yet, and that has, or has not, waited for a
  /// refresh before.
  func claim(refused: Stamp?, hasWaited: Bool) -> Claim {
    let soon = now() + leeway
    return state.withLock { state in
      let stamp = Stamp(generation: state.generation, epoch: state.epoch)
      if !hasWaited {
        if let refused, refused.generation == state.generation {
          if let error = state.failure(for: refused) { return .fail(error) }
          return .wait(refused)
        }
        guard state.running == nil, let token = state.token, token.isGood(at: soon) else { return .wait(stamp) }
      }
      guard let token = state.token else { return .fail(AFBearerAuthenticationError.noToken) }
      return .send(token, stamp)
    }
  }

  /// Waits for a token newer than that of `stamp`; starts the refresh if nobody has.
  /// - Returns: What gives the wait up.
  func wait(after stamp: Stamp, isRefused: Bool, _ waiter: @escaping Waiter) -> BearerWait {
    let (number, answer) = state.change { state -> (Int, Result<Void, any Error>?) in
      let number = state.number()
      if stamp.generation != state.generation { return (number, .success(())) }
      if let error = state.failure(for: stamp) { return (number, .failure(error)) }
      if state.running == nil { state.running = begin(&state) }
      state.running?.waiters[number] = waiter
      if isRefused { state.running?.isEarly = false }
      return (number, nil)
    }
    if let answer { waiter(answer) }
    return BearerWait(core: self, number: number)
  }

  /// One waiter less; the last one takes the refresh with it.
  fileprivate func giveUp(_ number: Int) {
    let work = state.change { state -> Work? in
      guard state.running?.waiters.removeValue(forKey: number) != nil, let running = state.running,
        running.waiters.isEmpty
      else { return nil }
      state.running = nil
      state.cancelled = (running.generation, running.work)
      return running.work
    }
    work?.cancel()
  }

  /// Starts a refresh. The lock is held, and the tasks take it only when they run.
  private func begin(_ state: inout State) -> Running {
    let identifier = state.number()
    let current = state.token
    let generation = state.generation
    let previous = state.cancelled
    state.cancelled = nil
    let work = Work.detached { [self] in
      if let previous {
        let token = try? await previous.work.value
        if let token, previous.generation == generation { return token }
        try Task.checkCancellation()
      }
      return try await Self.$refreshing.withValue(Self.refreshing + [ObjectIdentifier(self)]) {
        try await refresh(current)
      }
    }
    let limit = Task.detached { [self] in
      guard timeout > 0, timeout < 1e8 else { return }
      try await Task.sleep(nanoseconds: UInt64(timeout * 1e9))
      end(identifier, .failure(AFBearerAuthenticationError.timedOut), isStillAtWork: true)
      work.cancel()
    }
    Task.detached { [self] in
      end(identifier, await work.result)
      limit.cancel()
    }
    return Running(identifier: identifier, generation: generation, work: work)
  }

  private func end(
    _ identifier: Int, _ result: Result<AFBearerAuthentication.Token, any Error>, isStillAtWork: Bool = false
  ) {
    let now = now()
    let (waiters, answer) = state.change { state -> ([Int: Waiter], Result<Void, any Error>) in
      guard let running = state.running, running.identifier == identifier else { return ([:], .success(())) }
      let stamp = Stamp(generation: running.generation, epoch: state.epoch)
      state.running = nil
      if isStillAtWork { state.cancelled = (running.generation, running.work) }
      state.epoch += 1
      // What the application has set meanwhile is newer than what the refresh was to replace.
      guard state.generation == running.generation else { return (running.waiters, .success(())) }
      switch result {
      case .success(let token):
        state.token = token
        state.generation += 1
        state.failure = nil
      case .failure(let error):
        if running.isEarly, state.token?.isGood(at: now) == true { break }
        state.failure = (stamp, error)
        return (running.waiters, .failure(error))
      }
      return (running.waiters, .success(()))
    }
    for waiter in waiters.sorted(by: { $0.key < $1.key }) { waiter.value(answer) }
  }
}

/// One request's wait for a token.
struct BearerWait: Sendable {
  fileprivate let core: BearerCore
  fileprivate let number: Int

  /// Waits no longer. Does nothing after the answer.
  func cancel() { core.giveUp(number) }
}

extension AFBearerAuthentication.Token {
  func isGood(at date: Date) -> Bool { expiration.map { $0 > date } ?? true }

  /// Whether the token can stand in a header field.
  var isWellFormed: Bool { !value.isEmpty && value.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
