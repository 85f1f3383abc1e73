import Testing

@testable import AFOperations

/// The course of an operation, without a socket: what each event does in each state.
@Suite struct OperationMachineTests {
  enum Event: String, Sendable {
    case start, cancel, pause, resume, success, stopped, finish
  }

  /// Plays events; gives what followed from each: a step, `-` for nothing to do, or for `finish` whether it finished.
  static func play(_ events: [Event]) -> [String] {
    var machine = OperationMachine()
    var attempt = 0
    return events.map { event in
      let step: OperationMachine.Step?
      switch event {
      case .start: step = machine.start()
      case .cancel: step = machine.cancel()
      case .pause: step = machine.pause()
      case .resume: step = machine.resume()
      case .success: step = machine.ended(attempt, wasStopped: false)
      case .stopped: step = machine.ended(attempt, wasStopped: true)
      case .finish: return machine.finish() ? "finished" : "no"
      }
      switch step {
      case .begin(let number)?, .restart(let number)?: attempt = number
      default: break
      }
      return step.map { "\($0)" } ?? "-"
    }
  }

  @Test(
    arguments: [
      ([.start, .success, .finish], ["begin(1)", "settle", "finished"]),
      ([.start, .start], ["begin(1)", "none"]),
      ([.start, .success, .finish, .start, .finish], ["begin(1)", "settle", "finished", "none", "no"]),
      ([.cancel, .start, .finish], ["none", "settle", "finished"]),
      ([.start, .cancel, .stopped, .finish], ["begin(1)", "stop", "settle", "finished"]),
      ([.start, .cancel, .success, .finish], ["begin(1)", "stop", "settle", "finished"]),
      ([.start, .cancel, .cancel], ["begin(1)", "stop", "-"]),
      ([.start, .success, .cancel, .finish], ["begin(1)", "settle", "none", "finished"]),
      ([.start, .success, .finish, .cancel], ["begin(1)", "settle", "finished", "-"]),
      ([.pause, .start, .resume, .success], ["none", "none", "begin(1)", "settle"]),
      ([.pause, .resume, .start, .success], ["none", "none", "begin(1)", "settle"]),
      ([.pause, .cancel, .start], ["none", "none", "settle"]),
      ([.pause, .start, .cancel, .finish], ["none", "none", "settle", "finished"]),
      ([.start, .pause, .stopped, .resume, .success], ["begin(1)", "stop", "keep", "begin(2)", "settle"]),
      ([.start, .pause, .resume, .stopped, .success], ["begin(1)", "stop", "none", "restart(2)", "settle"]),
      ([.start, .pause, .success, .resume, .finish], ["begin(1)", "stop", "settle", "-", "finished"]),
      ([.start, .pause, .resume, .success, .finish], ["begin(1)", "stop", "none", "settle", "finished"]),
      ([.start, .pause, .pause], ["begin(1)", "stop", "-"]),
      ([.start, .pause, .cancel, .stopped, .finish], ["begin(1)", "stop", "stop", "settle", "finished"]),
      ([.start, .pause, .stopped, .cancel, .finish], ["begin(1)", "stop", "keep", "settle", "finished"]),
      ([.start, .success, .pause, .finish], ["begin(1)", "settle", "-", "finished"]),
      ([.start, .resume], ["begin(1)", "-"]),
      ([.resume, .start], ["-", "begin(1)"]),
      ([.cancel, .pause, .resume], ["none", "-", "-"]),
      ([.start, .stopped, .finish], ["begin(1)", "settle", "finished"]),
      ([.start, .success, .success, .finish, .finish], ["begin(1)", "settle", "none", "finished", "no"]),
    ] as [([Event], [String])])
  func `Each event does what the rules say`(_ events: [Event], _ steps: [String]) {
    #expect(Self.play(events) == steps)
  }

  @Test func `Whatever happens, an operation that is started finishes once, and one attempt runs at a time`() {
    // Every sequence of seven events; afterwards what is under way is brought to its end.
    let events: [Event] = [.start, .cancel, .pause, .resume, .success, .stopped, .finish]
    func check(_ sequence: [Event]) {
      var machine = OperationMachine()
      var running: Int?
      var isSettling = false
      var finishes = 0
      func take(_ step: OperationMachine.Step?) {
        switch step {
        case .begin(let number)?, .restart(let number)?:
          if running != nil || isSettling { Issue.record("two attempts at once: \(sequence)") }
          running = number
        case .settle?:
          if isSettling { Issue.record("settled twice: \(sequence)") }
          isSettling = true
        case .stop?:
          if running == nil { Issue.record("nothing to stop: \(sequence)") }
        default: break
        }
      }
      func end(_ wasStopped: Bool) {
        guard let attempt = running else { return }
        running = nil
        take(machine.ended(attempt, wasStopped: wasStopped))
      }
      for event in sequence {
        switch event {
        case .start: take(machine.start())
        case .cancel: take(machine.cancel())
        case .pause: take(machine.pause())
        case .resume: take(machine.resume())
        case .success: end(false)
        case .stopped: end(true)
        case .finish: if machine.finish() { finishes += 1 }
        }
      }
      take(machine.start())
      take(machine.resume())
      for _ in 0..<3 { end(running.map { machine.mustStop($0) } ?? false) }
      if machine.finish() { finishes += 1 }
      if finishes != 1 { Issue.record("finished \(finishes) times: \(sequence)") }
      if machine.phase != .finished { Issue.record("not finished: \(sequence)") }
    }
    var sequences: [[Event]] = [[]]
    for _ in 0..<6 {
      sequences = sequences.flatMap { sequence in events.map { sequence + [$0] } }
      for sequence in sequences { check(sequence) }
    }
  }
}
