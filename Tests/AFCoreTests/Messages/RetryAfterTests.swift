import Testing

@testable import AFCore

/// RFC 9110 §10.2.3.
@Suite struct RetryAfterTests {
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

  @Test(
    arguments: [
      ("0", 0), ("120", 120), (" 5\t", 5), (" 5 ", 5), ("", nil), (nil, nil), ("-1", nil), ("+1", nil), ("1.5", nil),
      ("5, 6", nil),
      ("soon", nil), ("nan", nil), ("inf", nil), ("1e5", nil), ("٥", nil),
      ("99999999999999999999", 1e9), ("99999999999999999999999999999999", 1e9), ("1000000001", 1e9),
      ("1000000000", 1e9),
      ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60), ("Sun Nov  6 08:50:37 1994", 60),
      ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:48:37 GMT", 0),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 1e9),
      ("Sun, 99 Nov 1994 08:49:37 GMT", nil),
    ] as [(String?, Double?)])
  func `Retry-After is seconds or a date, and no more than anything waits for`(field: String?, seconds: Double?) {
    #expect(RetryAfter.seconds(field, date: Self.date) == seconds)
    #expect(RetryAfter.seconds(field, date: nil, now: 784_111_777) == seconds)
  }

  @Test func `A date counts from the server's own clock, else from ours if that is given`() {
    let field = "Sun, 06 Nov 1994 08:50:37 GMT"
    #expect(RetryAfter.seconds(field, date: Self.date, now: 0) == 60)
    #expect(RetryAfter.seconds(field, date: nil) == nil)
    #expect(RetryAfter.seconds(field, date: "now") == nil)
    #expect(RetryAfter.seconds(field, date: "now", now: 784_111_807) == 30)
    #expect(RetryAfter.seconds("7", date: nil) == 7)
  }
}
