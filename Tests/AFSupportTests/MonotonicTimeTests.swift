import AFSupport
import Testing

@Suite struct MonotonicTimeTests {
  private let time = MonotonicTime(nanoseconds: 5_000_000_000)

  @Test func `seconds are added and taken away, forth and back`() {
    #expect((time + 1.5).nanoseconds == 6_500_000_000)
    #expect((time + 1.5) - time == 1.5)
    #expect(time - (time + 1.5) == -1.5)
    #expect(time - time == 0)
  }

  @Test(arguments: [0, -1, -.infinity, .nan] as [Double])
  func `nothing, and what is less than nothing, adds nothing`(seconds: Double) {
    #expect(time + seconds == time)
  }

  @Test(arguments: [9e9, 9.5e9, 1e300, .infinity] as [Double])
  func `what is too far away is never`(seconds: Double) {
    #expect(time + seconds == .distantFuture)
    #expect(time + 8.9e9 < .distantFuture)
  }

  @Test func `never and a while is never`() {
    #expect(MonotonicTime.distantFuture + 1 == .distantFuture)
  }
}
