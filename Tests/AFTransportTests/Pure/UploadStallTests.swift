import AFSupport
import Testing

@testable import AFTransport

@Suite struct UploadStallTests {
  private let start = MonotonicTime.now

  @Test func `a peer that takes nothing for the time is stalled, and not sooner`() {
    var stall = UploadStall(now: start)
    let verdicts = [0, UploadStall.limit - 0.01, UploadStall.limit].map { seconds in
      stall.isStalled(sent: 100, isUnderWay: false, isHeldBack: false, now: start + seconds)
    }
    #expect(verdicts == [false, false, true])
  }

  @Test(arguments: [(101, false, false), (100, true, false), (100, false, true)] as [(Int64, Bool, Bool)])
  func `what moves, is under way or held back here begins the time anew`(
    sent: Int64, isUnderWay: Bool, isHeldBack: Bool
  ) {
    var stall = UploadStall(now: start)
    _ = stall.isStalled(sent: 100, isUnderWay: false, isHeldBack: false, now: start)
    let later = start + UploadStall.limit
    let isStalled = stall.isStalled(sent: sent, isUnderWay: isUnderWay, isHeldBack: isHeldBack, now: later)
    #expect(!isStalled)
    let verdicts = [0.1, UploadStall.limit].map { seconds in
      stall.isStalled(sent: sent, isUnderWay: false, isHeldBack: false, now: later + seconds)
    }
    #expect(verdicts == [false, true])
  }

  @Test func `a peer that goes on after a pause is given more time`() {
    var stall = UploadStall(now: start)
    let looks = [
      (0, 100), (0.5, 100), (0.6, 200), (0.6 + UploadStall.limit, 200), (0.6 + UploadStall.readerLimit, 200),
    ]
    let verdicts = looks.map { seconds, sent in
      stall.isStalled(sent: Int64(sent), isUnderWay: false, isHeldBack: false, now: start + seconds)
    }
    #expect(verdicts == [false, false, false, false, true])
  }
}
