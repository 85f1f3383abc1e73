import Testing

@testable import AFCore

/// One event of a task's life, by a letter.
private enum Event: Character, CaseIterable {
  case resume = "r"
  case suspend = "s"
  case cancel = "c"
  /// The hop's transfer is there.
  case started = "b"
  case hopEnded = "h"
  /// Another hop follows.
  case goOn = "n"
  /// The hop that waited for the cache starts.
  case waitingHop = "w"
  case askBetween = "q"
  case askDuring = "d"
  /// The answer to the last question.
  case answer = "a"
  case closeLast = "l"
  case closePart = "m"
  case refuse = "f"
  case end = "e"
}

/// A machine, what it said last, and how often it was asked.
private struct Run {
  var machine = TaskMachine()
  var questions = 0
  var said = ""

  init(_ events: String) {
    for letter in events { if let event = Event(rawValue: letter) { send(event) } }
  }

  mutating func send(_ event: Event) {
    switch event {
    case .resume: said = spoken(machine.resume())
    case .suspend: said = spoken(machine.suspend())
    case .cancel: said = spoken(machine.cancel())
    case .started: said = spoken(machine.started(machine.hop))
    case .hopEnded:
      machine.hopEnded()
      said = ""
    case .goOn: said = spoken(machine.goOn())
    case .waitingHop: said = spoken(machine.startWaitingHop())
    case .askBetween, .askDuring:
      let number = machine.ask(duringHop: event == .askDuring)
      if let number { questions = number }
      said = number == nil ? "no" : "yes"
    case .answer: said = machine.answer(questions) ? "yes" : "no"
    case .closeLast, .closePart:
      machine.close(isLast: event == .closeLast)
      said = ""
    case .refuse:
      machine.refuse()
      said = ""
    case .end: said = machine.end() ? "yes" : "no"
    }
  }

  private func spoken(_ action: TaskMachine.Action?) -> String {
    guard let action else { return "-" }
    return switch action {
    case .none: "none"
    case .startHop: "start"
    case .suspendTransfer: "hold"
    case .resumeTransfer: "flow"
    case .cancelTransfer: "stop"
    case .finish: "finish"
    }
  }

  /// Phase, then `s` for suspended, `x` for cancelled, `?` for an open question.
  var state: String {
    let phase =
      switch machine.phase {
      case .ready: "R"
      case .starting: "S"
      case .running: "U"
      case .asking: "A"
      case .closing(isLast: true): "C"
      case .closing(isLast: false): "M"
      case .over: "O"
      }
    return phase + (machine.isSuspended ? "s" : "") + (machine.isCancelled ? "x" : "")
      + (machine.question == nil ? "" : "?")
  }
}

/// A task's life as tables of events: suspend, cancel and answer races.
@Suite struct TaskMachineTests {
  /// The events so far; the state; and what each of resume, suspend, cancel, started, goOn, answer and end says, and leads to.
  private static let grid: [(String, String, [String])] = [
    ("", "Rs", ["start S", "- Rs", "finish Rsx", "none Rs", "none Rs", "no Rs", "yes Os"]),
    ("c", "Rsx", ["none Rx", "- Rsx", "- Rsx", "none Rsx", "finish Rsx", "no Rsx", "yes Osx"]),
    ("f", "Rs", ["finish R", "- Rs", "finish Rsx", "none Rs", "none Rs", "no Rs", "yes Os"]),
    ("r", "S", ["- S", "none Ss", "none Sx", "none U", "start S", "no S", "yes O"]),
    ("rs", "Ss", ["none S", "- Ss", "none Ssx", "hold Us", "none Rs", "no Ss", "yes Os"]),
    ("rc", "Sx", ["- Sx", "none Ssx", "- Sx", "stop Ux", "finish Sx", "no Sx", "yes Ox"]),
    ("rsc", "Ssx", ["none Sx", "- Ssx", "- Ssx", "stop Usx", "finish Ssx", "no Ssx", "yes Osx"]),
    ("rb", "U", ["- U", "hold Us", "stop Ux", "none U", "start S", "no U", "yes O"]),
    ("rbs", "Us", ["flow U", "- Us", "stop Usx", "hold Us", "none Rs", "no Us", "yes Os"]),
    ("rbc", "Ux", ["- Ux", "hold Usx", "- Ux", "stop Ux", "finish Ux", "no Ux", "yes Ox"]),
    ("rbd", "U?", ["- U?", "hold Us?", "stop Ux?", "none U?", "start S?", "yes U", "yes O"]),
    ("rbds", "Us?", ["flow U?", "- Us?", "stop Usx?", "hold Us?", "none Rs?", "yes Us", "yes Os"]),
    ("rbdc", "Ux?", ["- Ux?", "hold Usx?", "- Ux?", "stop Ux?", "finish Ux?", "no Ux?", "yes Ox"]),
    ("rbhq", "A?", ["- A?", "none As?", "finish Ax?", "none A?", "start S?", "yes A", "yes O"]),
    ("rbhqs", "As?", ["none A?", "- As?", "finish Asx?", "none As?", "none Rs?", "yes As", "yes Os"]),
    ("rbhqc", "Ax?", ["- Ax?", "none Asx?", "- Ax?", "none Ax?", "finish Ax?", "no Ax?", "yes Ox"]),
    ("rbhqa", "A", ["- A", "none As", "finish Ax", "none A", "start S", "no A", "yes O"]),
    ("rbhl", "C", ["- C", "none Cs", "- C", "none C", "start S", "no C", "yes O"]),
    ("rbhm", "M", ["- M", "none Ms", "none Mx", "none M", "start S", "no M", "yes O"]),
    ("rbhmc", "Mx", ["- Mx", "none Msx", "- Mx", "none Mx", "finish Mx", "no Mx", "yes Ox"]),
    ("rbshn", "Rs", ["start S", "- Rs", "finish Rsx", "none Rs", "none Rs", "no Rs", "yes Os"]),
    ("e", "Os", ["- Os", "- Os", "- Os", "none Os", "- Os", "no Os", "no Os"]),
    ("rbe", "O", ["- O", "- O", "- O", "none O", "- O", "no O", "no O"]),
    ("rbce", "Ox", ["- Ox", "- Ox", "- Ox", "none Ox", "- Ox", "no Ox", "no Ox"]),
  ]

  @Test(arguments: grid) func `every state meets every event`(_ events: String, _ state: String, _ cells: [String]) {
    #expect(Run(events).state == state)
    let columns: [Event] = [.resume, .suspend, .cancel, .started, .goOn, .answer, .end]
    for (event, cell) in zip(columns, cells) {
      var run = Run(events)
      run.send(event)
      #expect("\(run.said) \(run.state)" == cell, "after \(events), \(event)")
    }
  }

  /// Events, what the last one says, the state, and the number of the hop.
  private static let races: [(String, String, String, Int)] = [
    // The transfer makes itself known before its start has returned, or after the hop is over.
    ("rbb", "none", "U", 1), ("rbhnb", "none", "U", 2), ("rhb", "none", "U", 1), ("rbsb", "hold", "Us", 1),
    ("rcb", "stop", "Ux", 1), ("rscb", "stop", "Usx", 1), ("rbhqb", "none", "A?", 1), ("rbhlb", "none", "C", 1),
    // Suspended between two hops: the next one waits for `resume()`.
    ("rbshn", "none", "Rs", 1), ("rbshnr", "start", "S", 2), ("rbhsn", "none", "Rs", 1), ("rbhsnr", "start", "S", 2),
    ("rbhsrn", "start", "S", 2), ("rbhqsan", "none", "Rs", 1), ("rbhqsarn", "start", "S", 2),
    ("rbhqasn", "none", "Rs", 1), ("rbhnsr", "none", "S", 2),
    // Cancelled between two hops: what follows is the end.
    ("rbhcn", "finish", "Ux", 1), ("rbhqcn", "finish", "Ax?", 1), ("rbhqacn", "finish", "Ax", 1),
    ("rbhqcen", "-", "Ox", 1), ("rbshnc", "finish", "Rsx", 1), ("rbshncr", "none", "Rx", 1),
    ("rbhmcn", "finish", "Mx", 1), ("rbhncb", "stop", "Ux", 2),
    // A cancellation after the last hop comes too late.
    ("rbhlc", "-", "C", 1), ("rbhlce", "yes", "O", 1),
    // The first answer counts, and none after a cancellation, the end of the hop, or the task's.
    ("rbda", "yes", "U", 1), ("rbdaa", "no", "U", 1), ("rbdca", "no", "Ux?", 1), ("rbdha", "no", "U", 1),
    ("rbdea", "no", "O", 1), ("rbhqa", "yes", "A", 1), ("rbhqaa", "no", "A", 1), ("rbhqca", "no", "Ax?", 1),
    ("rbhqea", "no", "O", 1), ("rbdsa", "yes", "Us", 1), ("rbdsra", "yes", "U", 1),
    // Nothing is asked after a cancellation or the end.
    ("rcq", "no", "Sx", 1), ("rbcd", "no", "Ux", 1), ("rbhcq", "no", "Ux", 1), ("eq", "no", "Os", 0),
    ("cq", "no", "Rsx", 0), ("rbed", "no", "O", 1),
    // A new question takes the place of one that was not answered.
    ("rbdhq", "yes", "A?", 1), ("rbdhqa", "yes", "A", 1),
    // A hop that waits for the cache is the same hop, and counts when it starts.
    ("rq", "yes", "A?", 1), ("rqaw", "start", "S", 1), ("rqasw", "none", "Rs", 0), ("rqsaw", "none", "Rs", 0),
    ("rqsawr", "start", "S", 1), ("rqsarw", "start", "S", 1), ("rqca", "no", "Ax?", 1), ("rqacw", "none", "Ax", 1),
    ("rqew", "none", "O", 1), ("rqawb", "none", "U", 1),
    // A refused task ends as soon as it is resumed or cancelled, and not before.
    ("fr", "finish", "R", 0), ("fs", "-", "Rs", 0), ("fc", "finish", "Rsx", 0), ("frr", "-", "R", 0),
    ("fcr", "none", "Rx", 0),
    // Nothing the second time.
    ("rr", "-", "S", 1), ("s", "-", "Rs", 0), ("rss", "-", "Ss", 1), ("cc", "-", "Rsx", 0), ("rbcc", "-", "Ux", 1),
    ("ee", "no", "Os", 0), ("rbsrr", "-", "U", 1), ("rbsr", "flow", "U", 1),
  ]

  @Test(arguments: races) func `a race between events`(_ events: String, _ said: String, _ state: String, _ hop: Int) {
    let run = Run(events)
    #expect(run.said == said)
    #expect(run.state == state)
    #expect(run.machine.hop == hop)
  }

  @Test func `late events of an earlier hop change nothing`() {
    var machine = Run("rbhn").machine
    let before = machine
    let said = machine.started(1)
    #expect(said == .none)
    #expect(machine == before)
    var cancelled = Run("rbhnc").machine
    let answers = (cancelled.started(1), cancelled.started(2))
    #expect(answers == (.none, .cancelTransfer))
  }

  @Test func `an answer to an earlier question does not count`() {
    var machine = Run("rbd").machine
    machine.hopEnded()
    let second = machine.ask(duringHop: false)
    let answers = (machine.answer(1), machine.answer(2))
    #expect(second == 2)
    #expect(answers == (false, true))
  }

  @Test func `whatever comes in whatever order, the promises hold`() {
    let events = Event.allCases
    var sequences = 0
    func explore(_ run: Run, _ depth: Int) {
      guard depth > 0 else { return sequences += 1 }
      for event in events {
        var next = run
        let before = run.machine
        next.send(event)
        let said = next.said
        if before.isOver {
          #expect(next.machine.isOver)
          #expect(["-", "none", "no", ""].contains(said))
        }
        if said == "start" {
          #expect(!next.machine.isSuspended && !next.machine.isCancelled)
          #expect(next.machine.phase == .starting)
        }
        if before.isCancelled {
          #expect(said != "start")
          if event == .answer || event == .askBetween || event == .askDuring { #expect(said == "no") }
        }
        if event == .answer, said == "yes" { #expect(before.question == run.questions && next.machine.question == nil) }
        if before.hasBegun { #expect(next.machine.hasBegun) }
        if before.isCancelled { #expect(next.machine.isCancelled) }
        explore(next, depth - 1)
      }
    }
    explore(Run(""), 3)
    explore(Run("rb"), 3)
    explore(Run("rbhq"), 3)
    #expect(sequences == 3 * events.count * events.count * events.count)
  }
}
