/// The life of a task: events in, actions out. No I/O, no clock, no lock; ``TaskCore`` carries the actions out. Pure.
///
/// It guarantees, in whatever order events come:
/// - one end, after which nothing happens any more;
/// - a cancellation counts from the moment it is asked for, also before the first `resume()`: what comes after it is the end, and no
///   answer counts;
/// - `resume()` and `suspend()` do nothing the second time; a task that is suspended starts no hop;
/// - one question is open at a time, and its first answer counts.
struct TaskMachine: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    /// Nothing is under way; `resume()` starts the current request.
    case ready
    /// A hop is being started, and has no transfer yet.
    case starting
    /// A transfer carries the hop out.
    case running
    /// Between two hops, or after the last one: the task waits for an answer.
    case asking
    /// The transfer is over, and what it brought is being written or moved. Unless it is the last, another hop follows.
    case closing(isLast: Bool)
    case over
  }

  /// What an event asks for.
  enum Action: Sendable, Equatable {
    case none
    case startHop
    /// What the running hop's transfer is told.
    case suspendTransfer, resumeTransfer, cancelTransfer
    /// The task ends.
    case finish
  }

  private(set) var phase = Phase.ready
  private(set) var isSuspended = true
  private(set) var isCancelled = false
  /// Whether the task has been resumed.
  private(set) var hasBegun = false
  /// Whether the task ends as soon as it is resumed.
  private(set) var isRefused = false
  /// The number of the present hop, from 1.
  private(set) var hop = 0
  /// The number of the open question: it tells late answers from good ones.
  private(set) var question: Int?
  private var questions = 0

  var isOver: Bool { phase == .over }

  /// Whether answers count: the task has been neither cancelled nor ended.
  var isLive: Bool { !isOver && !isCancelled }

  // MARK: What the app asks for

  /// - Returns: Nil if the task was not suspended, or is over.
  mutating func resume() -> Action? {
    guard !isOver, isSuspended else { return nil }
    isSuspended = false
    hasBegun = true
    switch phase {
    // The end is under way.
    case .ready where isCancelled: return Action.none
    case .ready where isRefused: return .finish
    case .ready: return beginHop()
    case .running: return .resumeTransfer
    default: return Action.none
    }
  }

  /// - Returns: Nil if the task was suspended, or is over.
  mutating func suspend() -> Action? {
    guard !isOver, !isSuspended else { return nil }
    isSuspended = true
    return phase == .running ? .suspendTransfer : Action.none
  }

  /// Whether a cancellation counts now. What the last hop brought is not taken back while it is being closed.
  var canBeCancelled: Bool { isLive && phase != .closing(isLast: true) }

  /// - Returns: Nil if the cancellation changes nothing.
  mutating func cancel() -> Action? {
    guard canBeCancelled else { return nil }
    isCancelled = true
    switch phase {
    case .ready, .asking: return .finish
    case .running: return .cancelTransfer
    // What follows finds it out.
    default: return Action.none
    }
  }

  /// The task cannot run, and says so when it is resumed.
  mutating func refuse() { isRefused = true }

  // MARK: Hops

  private mutating func beginHop() -> Action {
    phase = .starting
    hop += 1
    return .startHop
  }

  /// The engine has given the present hop's transfer its handle, which may be before the call that starts the transfer has returned.
  mutating func transferIsThere() {
    if phase == .starting { phase = .running }
  }

  /// The hop with a number has been started. By then it may be over, and the next one starting.
  mutating func started(_ number: Int) -> Action {
    guard number == hop else { return .none }
    transferIsThere()
    guard phase == .running else { return .none }
    return isCancelled ? .cancelTransfer : isSuspended ? .suspendTransfer : .none
  }

  /// The hop is over. What was asked during it is answered by that.
  mutating func hopEnded() { question = nil }

  /// What the hop brought is being closed.
  mutating func close(isLast: Bool) {
    if !isOver { phase = .closing(isLast: isLast) }
  }

  /// Another hop follows, now or when the task is resumed.
  /// - Returns: Nil if the task is over.
  mutating func goOn() -> Action? {
    guard !isOver else { return nil }
    if isCancelled { return .finish }
    guard !isSuspended else {
      phase = .ready
      return Action.none
    }
    return beginHop()
  }

  /// The present hop, which waited for an answer before it had a transfer, starts now or when the task is resumed.
  mutating func startWaitingHop() -> Action {
    guard isLive else { return .none }
    guard !isSuspended else {
      phase = .ready
      // It has not been, and counts when it is.
      hop -= 1
      return .none
    }
    phase = .starting
    return .startHop
  }

  // MARK: Questions

  /// Opens a question, about the running hop or between two.
  /// - Returns: Its number; nil if no answer would count.
  mutating func ask(duringHop: Bool) -> Int? {
    guard isLive else { return nil }
    questions += 1
    question = questions
    if !duringHop { phase = .asking }
    return questions
  }

  /// Whether the task waits for the answer to this question.
  func isAsking(_ number: Int) -> Bool { isLive && question == number }

  /// Takes an answer.
  /// - Returns: Whether it counts.
  mutating func answer(_ number: Int) -> Bool {
    guard isAsking(number) else { return false }
    question = nil
    return true
  }

  // MARK: The end

  /// - Returns: Whether this is the end: it comes once.
  mutating func end() -> Bool {
    guard !isOver else { return false }
    phase = .over
    question = nil
    return true
  }
}
