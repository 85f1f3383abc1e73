import Testing

@testable import AFTransport

@Suite struct TransferStateMachineTests {
  private func machine(
    idempotent: Bool = true, answers: Bool = false, answersProxy: Bool = false, upgrade: Bool = false, head: Int = 1000
  ) -> TransferStateMachine {
    TransferStateMachine(
      maximumHeadSize: head, isIdempotent: idempotent, answersServer: answers, answersProxy: answersProxy,
      asksForUpgrade: upgrade)
  }

  @discardableResult
  private func feed(_ machine: inout TransferStateMachine, _ lines: String...) -> TransferStateMachine.LineAction {
    var action = TransferStateMachine.LineAction.none
    for line in lines { action = Array((line + "\r\n").utf8).withUnsafeBytes { machine.headerLine($0) } }
    return action
  }

  private let cancelled = TransferFailure(kind: .cancelled, message: "")
  private let timeout = TransferFailure(kind: .idleTimeout, message: "")

  @Test func `interim responses are left out, and the final head is the last one`() {
    var machine = machine()
    #expect(feed(&machine, "HTTP/1.1 103 Early Hints", "Link: x", "") == .none)
    #expect(feed(&machine, "HTTP/1.1 200 OK", "A: b", "") == .deliverHead)
    #expect(ResponseHead(bytes: machine.head).fields.map(\.name) == ["A"])
  }

  @Test(arguments: [100, 102, 103, 199])
  func `every interim status is left out, whatever its number`(status: Int) {
    var machine = machine()
    #expect(feed(&machine, "HTTP/1.1 \(status) Wait", "A: b", "") == .none)
    #expect(machine.head.isEmpty && !machine.isHeadComplete)
    #expect(feed(&machine, "HTTP/1.1 200 OK", "") == .deliverHead)
  }

  @Test func `a 101 that was asked for is an answer, one that was not is broken framing`() {
    var asked = machine(upgrade: true)
    #expect(feed(&asked, "HTTP/1.1 101 Switching Protocols", "Upgrade: x", "") == .deliverHead)
    #expect(asked.isHeadComplete && asked.failure == nil)
    var unasked = machine()
    #expect(feed(&unasked, "HTTP/1.1 101 Switching Protocols", "Upgrade: x", "") == .abort)
    #expect(unasked.failure?.kind == .badFraming)
  }

  @Test func `a head that follows another begins anew`() {
    var machine = machine(answers: true)
    feed(&machine, "HTTP/1.1 401 No", "A: b", "")
    feed(&machine, "HTTP/1.1 200 OK", "C: d", "")
    #expect(ResponseHead(bytes: machine.head).fields.map(\.name) == ["C"])
  }

  @Test(arguments: [(0, TransferStateMachine.LineAction.deliverHead), (1, .abort)])
  func `a head of just the limit is taken, and one with a byte more is not`(
    more: Int, expected: TransferStateMachine.LineAction
  ) {
    let lines = ["HTTP/1.1 200 OK", "X: yyyy"]
    let size = lines.reduce(0) { $0 + $1.utf8.count + 2 }
    var machine = machine(head: size - more)
    #expect(feed(&machine, lines[0], lines[1], "") == expected)
  }

  @Test(arguments: [0, 1])
  func `trailers of just the limit are taken, and none with a byte more`(more: Int) {
    let lines = ["HTTP/1.1 200 OK", "", "X: \(String(repeating: "y", count: 60))"]
    var machine = machine(head: lines[2].utf8.count + 2 - more)
    #expect(feed(&machine, lines[0], lines[1]) == .deliverHead)
    #expect(feed(&machine, lines[2]) == (more == 0 ? .none : .abort))
    #expect(machine.trailers.isEmpty == (more == 1))
  }

  @Test func `lines after the head are trailers`() {
    var machine = machine()
    feed(&machine, "HTTP/1.1 200 OK", "")
    #expect(feed(&machine, "X-Sum: 1", "") == .none)
    #expect(feed(&machine, "") == .none)
    #expect(machine.trailers == Array("X-Sum: 1\r\n".utf8))
  }

  @Test func `a head beyond the limit ends the hop`() {
    var machine = machine(head: 40)
    feed(&machine, "HTTP/1.1 200 OK")
    #expect(feed(&machine, "X: \(String(repeating: "y", count: 40))") == .abort)
    guard case .oversizedHead = machine.failure?.kind else {
      Issue.record("the cause is \(String(describing: machine.failure))")
      return
    }
  }

  @Test func `a head that libcurl may answer itself is held until a body or the end comes`() {
    var machine = machine(answers: true)
    #expect(feed(&machine, "HTTP/1.1 401 No", "") == .holdHead)
    #expect(machine.hasUndeliveredHead)
    #expect(feed(&machine, "HTTP/1.1 200 OK", "") == .deliverHead)
  }

  @Test(arguments: [
    (false, true, 407, true), (true, false, 407, false), (true, false, 401, true), (false, true, 401, false),
  ])
  func `it is the answer of whom libcurl answers that is held`(server: Bool, proxy: Bool, status: Int, isHeld: Bool) {
    var machine = machine(answers: server, answersProxy: proxy)
    #expect(feed(&machine, "HTTP/1.1 \(status) No", "") == (isHeld ? .holdHead : .deliverHead))
  }

  @Test func `a failure that is noted before the end stands, and says whether an answer had begun`() {
    var early = machine()
    #expect(early.ended(timeout) == true)
    #expect(early.failure?.responseStarted == false)
    var machine = machine()
    feed(&machine, "HTTP/1.1 200 OK")
    #expect(machine.fail(cancelled) == true)
    #expect(machine.ended(timeout) == true)
    #expect(machine.failure?.kind == .cancelled)
    #expect(machine.failure?.responseStarted == true)
  }

  @Test func `a body that is held here outlives the transfer`() {
    var machine = machine()
    feed(&machine, "HTTP/1.1 200 OK", "")
    machine.headDelivered(isRouted: true)
    #expect(machine.ended(nil, holdsBody: true) == false)
    #expect(machine.isBodyDue && !machine.isCompleted)
    #expect(machine.endedWhileAwaitingRoute() == true)
  }

  @Test func `a request is not repeated once its answer was shown`() {
    var machine = machine()
    #expect(machine.requestWillBeSent() == true)
    feed(&machine, "HTTP/1.1 200 OK", "")
    machine.headDelivered(isRouted: true)
    #expect(machine.requestWillBeSent() == false)
    #expect(machine.failure?.kind == .connectionLost)
  }

  @Test func `letting go of what was not held starts nothing`() {
    var machine = machine()
    #expect(machine.holdReceiving(.user, false) == false)
    #expect(machine.holdReceiving(.rate, true) == false)
    #expect(machine.holdReceiving(.user, false) == false)
    #expect(machine.bodyArrived() == .pause)
    #expect(machine.holdReceiving(.rate, false) == true)
  }

  @Test func `exactly one completion, and the first cause wins`() {
    var machine = machine()
    #expect(machine.fail(timeout) == true)
    #expect(machine.fail(cancelled) == true)
    #expect(machine.ended(nil) == true)
    guard case .idleTimeout = machine.failure?.kind else {
      Issue.record("the cause is \(String(describing: machine.failure))")
      return
    }
    #expect(machine.ended(nil) == false)
    #expect(machine.fail(cancelled) == false)
    #expect(machine.isCompleted)
  }

  @Test func `an end before the route is decided waits for the decision`() {
    var machine = machine()
    feed(&machine, "HTTP/1.1 200 OK", "")
    machine.headDelivered(isRouted: false)
    #expect(machine.bodyArrived() == .pause)
    #expect(machine.ended(nil) == false)
    #expect(!machine.isCompleted)
    #expect(machine.endedWhileAwaitingRoute() == true)
    #expect(machine.endedWhileAwaitingRoute() == false)
  }

  @Test func `bytes flow only while nobody holds them back`() {
    var machine = machine()
    #expect(machine.holdReceiving(.user, true) == false)
    #expect(machine.holdReceiving(.peer, true) == false)
    #expect(machine.holdReceiving(.user, false) == false)
    #expect(machine.bodyArrived() == .pause)
    #expect(machine.holdReceiving(.peer, false) == true)
    #expect(machine.bodyArrived() == .flow)
    #expect(machine.holdSending(.rate, true) == false)
    #expect(machine.bodyWanted() == .pause)
    #expect(machine.holdSending(.rate, false) == true)
  }

  @Test func `silence counts unless we hold the bytes back, and a reader with nothing is silence`() {
    var machine = machine()
    #expect(machine.countsIdleTime)
    _ = machine.holdSending(.peer, true)
    #expect(machine.countsIdleTime)
    _ = machine.holdSending(.rate, true)
    #expect(!machine.countsIdleTime)
    _ = machine.holdSending(.rate, false)
    _ = machine.holdReceiving(.peer, true)
    #expect(!machine.countsIdleTime)
    _ = machine.holdReceiving(.peer, false)
    _ = machine.holdReceiving(.route, true)
    #expect(!machine.countsIdleTime)
    _ = machine.holdReceiving(.route, false)
    _ = machine.holdSending(.user, true)
    #expect(!machine.countsIdleTime)
  }

  @Test func `a silent repeat is allowed once, and only for idempotent requests`() {
    var get = machine()
    #expect(get.requestWillBeSent() == true)
    #expect(get.requestWillBeSent() == true)
    #expect(get.requestWillBeSent() == false)
    var post = machine(idempotent: false)
    #expect(post.requestWillBeSent() == true)
    #expect(post.requestWillBeSent() == false)
    var refused = machine(idempotent: false)
    #expect(refused.requestWillBeSent() == true)
    #expect(refused.requestWillBeSent(wasRefusedUnprocessed: true) == true)
    #expect(refused.requestWillBeSent(wasRefusedUnprocessed: true) == false)
  }

  @Test func `a request that follows an answer is no repeat`() {
    var machine = machine(idempotent: false, answers: true)
    #expect(machine.requestWillBeSent() == true)
    feed(&machine, "HTTP/1.1 401 No", "")
    #expect(machine.requestWillBeSent() == true)
  }
}
