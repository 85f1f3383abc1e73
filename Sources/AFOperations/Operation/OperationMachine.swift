/// What an operation is doing, and what follows from what happens to it: a value without clocks, locks and sockets.
///
/// - An operation begins when it has been started and is not paused; it finishes once.
/// - A cancelled operation never succeeds. One that has not been started finishes when it is: until then there is no caller that waits for it.
/// - A pause ends the attempt under way, and what has come of it is kept. One that comes when the transfer is over is too late.
struct OperationMachine: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    case ready, executing, paused, finished
  }

  enum Step: Sendable, Equatable {
    case none
    /// Send the request; the number tells this attempt from earlier ones.
    case begin(Int)
    /// End the transfer of the attempt under way.
    case stop
    /// Keep what has come, and wait for the resumption.
    case keep
    /// Keep what has come, and go on with this attempt.
    case restart(Int)
    /// The transfer is over: read the response, then finish.
    case settle
  }

  private(set) var phase = Phase.ready
  private(set) var isCancelled = false
  private(set) var hasStarted = false
  /// Whether the transfer is over and its result is being read.
  private(set) var isSettling = false
  private var attempt = 0
  /// The attempt whose transfer is under way.
  private var running: Int?
  /// Whether that transfer has been asked to end, for a pause.
  private var isStopping = false

  /// Whether the transfer of this attempt must not go on.
  func mustStop(_ attempt: Int) -> Bool {
    running == attempt && (isCancelled || isStopping)
  }

  /// Whether the operation will go on after the attempt that is being ended.
  var isPausedOrStopping: Bool { !isCancelled && (phase == .paused || isStopping) }

  mutating func start() -> Step {
    guard !hasStarted, phase != .finished else { return .none }
    hasStarted = true
    if isCancelled { return settle() }
    return phase == .paused ? .none : begin()
  }

  /// - Returns: Nil if the operation is over, or was cancelled before.
  mutating func cancel() -> Step? {
    guard phase != .finished, !isCancelled else { return nil }
    isCancelled = true
    if !hasStarted || isSettling { return Step.none }
    return running == nil ? settle() : .stop
  }

  /// - Returns: Nil if there is nothing to pause.
  mutating func pause() -> Step? {
    guard phase == .ready || phase == .executing, !isCancelled, !isSettling else { return nil }
    phase = .paused
    guard running != nil else { return Step.none }
    isStopping = true
    return .stop
  }

  /// - Returns: Nil if the operation is not paused.
  mutating func resume() -> Step? {
    guard phase == .paused, !isCancelled else { return nil }
    guard hasStarted else {
      phase = .ready
      return Step.none
    }
    // The attempt that the pause ended is not over yet; the next one follows it.
    guard running == nil else {
      phase = .executing
      return Step.none
    }
    return begin()
  }

  /// The transfer of an attempt is over. `wasStopped`: with the error of a cancelled task.
  mutating func ended(_ attempt: Int, wasStopped: Bool) -> Step {
    guard running == attempt else { return .none }
    running = nil
    let wasPaused = isStopping && wasStopped && !isCancelled
    isStopping = false
    guard wasPaused else { return settle() }
    if phase == .paused { return .keep }
    guard case .begin(let next) = begin() else { return .none }
    return .restart(next)
  }

  /// The result has been read.
  /// - Returns: Whether the operation finishes now, which it does once.
  mutating func finish() -> Bool {
    guard isSettling, phase != .finished else { return false }
    phase = .finished
    return true
  }

  private mutating func begin() -> Step {
    phase = .executing
    attempt += 1
    running = attempt
    return .begin(attempt)
  }

  private mutating func settle() -> Step {
    phase = .executing
    isSettling = true
    return .settle
  }
}
