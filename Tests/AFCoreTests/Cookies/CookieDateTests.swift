import Testing

@testable import AFCore

/// RFC 6265bis §5.1.1, row by row. F06.
@Suite struct CookieDateTests {
  /// 2017-04-15 21:01:22 GMT.
  private static let tax: Double = 1_492_290_082

  @Test(
    arguments: [
      // The forms that servers write.
      ("Sat, 15 Apr 2017 21:01:22 GMT", tax), ("Sat, 15-Apr-17 21:01:22 GMT", tax),
      ("Sat, 15-Apr-2017 21:01:22 GMT", tax), ("Saturday, 15-Apr-17 21:01:22 GMT", tax),
      ("Sat Apr 15 21:01:22 2017", tax), ("Sat Apr 15 2017 21:01:22 GMT+0200 (CEST)", tax),
      ("15 Apr 2017 21:01:22", tax), ("15 Apr 17 21:01:22 UTC", tax), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 01-Jan-70 00:00:01 GMT", 1),
      // Any order, any delimiter, any letter case.
      ("21:01:22 15 Apr 2017", tax), ("2017 15 Apr 21:01:22", tax), ("15 2017 Apr 21:01:22", tax),
      ("Apr 15 2017 21:01:22", tax), ("15/Apr/2017/21:01:22", tax), ("15;Apr;2017;21:01:22", tax),
      ("15@Apr[2017`21:01:22", tax), ("15\tApr\t2017\t21:01:22", tax), ("15{Apr|2017}21:01:22~", tax),
      ("15 APR 2017 21:01:22", tax), ("15 aPrIl 2017 21:01:22", tax), ("15-Aprxyz-2017 21:01:22", tax),
      ("xyz foo 15 Apr 2017 21:01:22 bar", tax), ("!\"#$%&'()*+,-./15 Apr 2017 21:01:22", tax),
      ("\"Sat, 15 Apr 2017 21:01:22 GMT\"", tax),
      // Digits and what may follow them.
      ("15th Apr 2017AD 21:01:22Z", tax), ("15é Apr 2017 21:01:22", tax), ("5 Apr 2017 21:01:22", tax - 864_000),
      ("05 Apr 2017 21:01:22", tax - 864_000), ("15 Apr 2017 9:1:2", 1_492_246_862),
      ("15 Apr 2017 09:01:02.5", 1_492_246_862), ("15 Apr 2017 21:01:22pm", tax), ("15 Apr 2017 21:01:22:99", tax),
      ("015 Apr 2017 21:01:22", nil), ("15 Apr 02017 21:01:22", nil), ("15 Apr 2017 021:01:22", nil),
      ("15 Apr 2017 21:001:22", nil), ("15 Apr 2017 21:01:022", nil), ("15 Apr 2017 21:01:222", nil),
      ("15 Apr 2017 21:01", nil), ("15 Apr 2017 :01:22", nil), ("15 Apr 2017 21::22", nil),
      // Years.
      ("15 Apr 69 00:00:00", 3_133_209_600), ("15 Apr 70 00:00:00", 8_985_600), ("15 Apr 99 00:00:00", 924_134_400),
      ("15 Apr 00 00:00:00", 955_756_800), ("1 Jan 1601 00:00:00", -11_644_473_600), ("31 Dec 1600 23:59:59", nil),
      ("15 Apr 100 00:00:00", nil), ("15 Apr 7 00:00:00", nil), ("1 Jan 9999 00:00:00", 253_370_764_800),
      ("15 Apr 12017 21:01:22", nil), ("15 Apr -2017 21:01:22", tax),
      // What is no moment.
      ("", nil), ("0", nil), ("now", nil), ("15 Apr 2017", nil), ("Apr 2017 21:01:22", nil), ("15 2017 21:01:22", nil),
      ("15 Apr 21:01:22", nil), ("0 Apr 2017 21:01:22", nil), ("32 Apr 2017 21:01:22", nil),
      ("31 Apr 2017 21:01:22", nil), ("15 Apr 2017 24:00:00", nil), ("15 Apr 2017 21:60:00", nil),
      ("15 Apr 2017 21:01:60", nil), ("15 Arp 2017 21:01:22", nil), ("15 Ap 2017 21:01:22", nil),
      ("15 04 2017 21:01:22", nil), ("2017-04-15T21:01:22Z", nil), ("15 Apr 2017 99:99:99 21:01:22", nil),
      // Leap days.
      ("29 Feb 2016 00:00:00", 1_456_704_000), ("29 Feb 2017 00:00:00", nil), ("29 Feb 2000 00:00:00", 951_782_400),
      ("29 Feb 1900 00:00:00", nil), ("30 Feb 2016 00:00:00", nil),
      // The first of a kind counts.
      ("15 16 Apr 2017 21:01:22", tax - 365 * 86_400), ("15 Apr May 2017 21:01:22", tax),
      ("15 Apr 2017 2018 21:01:22", tax),
      ("15 Apr 2017 21:01:22 22:02:23", tax), ("99999999999999999999 15 Apr 2017 21:01:22", tax),
    ] as [(String, Double?)])
  func `The moment that an Expires attribute names`(_ text: String, _ expected: Double?) {
    #expect(CookieDate.seconds(ArraySlice(Array(text.utf8))) == expected)
  }
}
