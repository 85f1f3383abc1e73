import AFSupport
import AFTransport
import Foundation

/// What a task waits for without holding a thread: an answer of the app, a new token, a way to the network, what the cache has.
/// This is the one way to wait for any of them.
///
/// - One question is open at a time. The first answer counts; one that comes later, or after the end of the task, does not.
/// - A question that the app has to answer is open no longer than the request's timeout.
/// - A cancellation counts from the moment it is asked for: no answer that follows it does anything.
/// - The end of the task closes the question, and says so to whatever works on the answer.
struct TaskQuestion: Sendable {
  let number: Int
  private let task: TaskCore

  /// What goes with the question that is open, in the task's state.
  struct Open: Sendable {
    fileprivate var limit: TimeLimit?
    fileprivate var onEnd: (@Sendable () -> Void)?

    /// The task is over, or the hop that waited for the answer. Not under a lock: it calls out.
    func end() {
      limit?.cancel()
      onEnd?()
    }
  }

  /// Opens a question.
  /// - Parameters:
  ///   - subject: What is asked.
  ///   - task: Whose question it is.
  ///   - transfer: The running hop whose body waits for the answer; nil between two hops, and after the last one.
  ///   - late: What is done when the time is up, instead of ending the task with `URLError.timedOut`.
  ///   - onEnd: Called, on any thread, if the task ends before there is an answer.
  /// - Returns: Nil if the task has been cancelled: no answer would count, and its end is under way.
  static func open(
    _ subject: Subject, of task: TaskCore, during transfer: TransferHandle? = nil,
    late: (@Sendable (TaskQuestion) -> Void)? = nil, onEnd: (@Sendable () -> Void)? = nil
  ) -> TaskQuestion? {
    let (number, seconds) = task.state.withLock { state -> (Int?, Double) in
      guard let number = state.machine.ask(duringHop: transfer != nil) else { return (nil, 0) }
      state.question = Open(limit: nil, onEnd: onEnd)
      if subject.isForApp { state.hasQueuedCallbacks = true }
      return (number, state.current.timeout ?? state.owner.session?.settings.requestTimeout ?? 0)
    }
    guard let number else {
      // Between two hops a cancellation has found nothing to end. A running hop has been told.
      if transfer == nil { task.finish() }
      return nil
    }
    let question = TaskQuestion(number: number, task: task)
    if subject.isForApp { question.limit(seconds, late ?? { $0.expire(subject, seconds) }) }
    return question
  }

  /// Takes an answer.
  /// - Returns: Whether it counts: it is the first one, and the task still waits for it.
  func close() -> Bool {
    let (counts, open) = task.state.withLock { state -> (Bool, Open?) in
      state.machine.answer(number) ? (true, state.question.take()) : (false, nil)
    }
    open?.limit?.cancel()
    return counts
  }

  /// Has `action` called if the task ends before there is an answer; at once if the question is closed already.
  func whenEnded(_ action: @escaping @Sendable () -> Void) {
    let isOpen = task.state.withLock { state -> Bool in
      guard state.machine.isAsking(number) else { return false }
      state.question?.onEnd = action
      return true
    }
    if !isOpen { action() }
  }

  /// Whether the task still waits for an answer.
  var isOpen: Bool { task.state.withLock { $0.machine.isAsking(number) } }

  private func limit(_ seconds: Double, _ late: @escaping @Sendable (TaskQuestion) -> Void) {
    guard seconds > 0, seconds < 1e8 else { return }
    let limit = TimeLimit(seconds: seconds) { [number, weak task] in
      guard let task else { return }
      let question = TaskQuestion(number: number, task: task)
      if question.isOpen { late(question) }
    }
    let isOpen = task.state.withLock { state -> Bool in
      guard state.machine.isAsking(number) else { return false }
      state.question?.limit = limit
      return true
    }
    if !isOpen { limit.cancel() }
  }

  private func expire(_ subject: Subject, _ seconds: Double) {
    let url = task.state.withLock { $0.current.url }
    task.cancel(URLError.make(.timedOut, url: url, "\(subject.rawValue) within \(seconds.briefly) s"))
  }
}

extension TaskQuestion {
  /// What is asked. The text begins the error of a question that stays open too long.
  enum Subject: String, Sendable {
    case challenge = "The app did not answer an authentication challenge"
    case trust = "The app did not answer a challenge about the server's certificate"
    case identity = "The app did not answer a challenge that asks for a client certificate"
    case redirect = "The app did not answer whether to follow a redirect"
    case bodyStream = "The app did not provide a body stream"
    case disposition = "The app did not answer what to do with the response"
    case keeping = "The app did not answer whether to keep the response"
    case token = "No new bearer token came"
    case bodyDigest = "The request body could not be read for its digest"
    case lookup = "The cache did not answer"
    case reachability = "No way to the network was found"

    /// Whether code of the app has to answer, or to be run, before there is an answer. The others have a limit of their own.
    var isForApp: Bool { self != .lookup && self != .reachability }
  }
}

extension Double {
  /// Without ".0" where it is a whole number.
  fileprivate var briefly: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
