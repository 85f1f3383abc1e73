import Testing

@testable import AFTransport

@Suite struct TransferStateMachineTests {
  private func machine(idempotent: Bool = true, answers: Bool = false, head: Int = 1000) -> TransferStateMachine {
    TransferStateMachine(maximumHeadSize: head, isIdempotent: idempotent, answersServer: answers)
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

  @Test func `lines after the head are trailers`() {
    var machine = machine()
    feed(&machine, "HTTP/1.1 200 OK", "")
    #expect(feed(&machine, "X-Sum: 1", "") == .none)
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
