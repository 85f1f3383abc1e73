import Foundation
import Testing

@testable import AFCore

/// RFC 9110 §5.6.7, and what RFC 9111 §4.2 makes of it.
@Suite struct HTTPDateTests {
  private static let moments: [(String, Double)] = [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("SUN, 06 NOV 1994 08:49:37 gmt", 784_111_777),
    ("sunday, 06-nov-94 08:49:37 gmt", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Wed, 31 Dec 1969 23:59:59 GMT", -1), ("Thu Jan  1 00:00:00 1970", 0), ("Sun Nov 16 08:49:37 1994", 784_975_777),
    ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
    // The day of the week is one, but not the right one.
    ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Monday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    // A leap second is the second before.
    ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_799), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
    ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200), ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
    ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648),
  ]

  @Test("Each form names its moment", arguments: moments) func reads(_ text: String, _ seconds: Double) {
    #expect(HTTPDate.seconds(text, now: 1_000_000_000) == seconds)
  }

  @Test(
    "F57: what is no HTTP date is none",
    arguments: [
      "", "0", "-1", "now", " ", "784111777", "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994", "06 Nov 1994 08:49:37 GMT",
      // Day and month.
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 08:49:37 GMT", "Mon, 29 Feb 1900 08:49:37 GMT",
      "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT", "Sun, 06 11 1994 08:49:37 GMT",
      "Xyz, 06 Nov 1994 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT",
      // Years.
      "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 994 08:49:37 GMT", "Sun, 06 Nov 10000 08:49:37 GMT",
      "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
      // Times.
      "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:60 GMT",
      "Sun, 06 Nov 1994 23:59:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 08:49:37.5 GMT", "Sun, 06 Nov 1994 08:4\u{0669}:37 GMT",
      // Zones other than GMT are not to be believed (RFC 9111 §4.2).
      "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 Z",
      // Separators.
      "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT", "Sun,06 Nov 1994 08:49:37 GMT",
      "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT, x",
      "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37", "Sunday 06-Nov-94 08:49:37 GMT",
      "Sunday, 06 Nov 94 08:49:37 GMT", "Sunday, 29-Feb-23 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
      "Sun Nov 06 08:49:37 94", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov  66 08:49:37 1994", "Sun Nov", "Sunday, ",
      "\u{0}",
    ]) func refuses(_ text: String)
  { #expect(HTTPDate.seconds(text, now: 1_000_000_000) == nil) }

  /// The digits, the year in which they are read, the year that is meant.
  private static let years: [(String, Int, Int)] = [
    ("94", 2001, 1994), ("94", 2043, 1994), ("94", 2045, 2094), ("00", 2001, 2000), ("50", 2001, 2050),
    ("52", 2001, 1952), ("99", 2001, 1999), ("01", 2099, 2101), ("50", 1999, 1950), ("49", 1999, 2049),
    ("00", 2100, 2100), ("70", 1970, 1970),
  ]

  @Test("A year of two digits is never more than 50 years ahead", arguments: years) func century(
    _ digits: String, _ present: Int, _ meant: Int
  ) throws {
    let now = try #require(HTTPDate.seconds("Sun, 15 Jun \(present) 00:00:00 GMT"))
    let expected = try #require(HTTPDate.seconds("Sun, 01 Jun \(meant) 12:00:00 GMT"))
    #expect(HTTPDate.seconds("Sunday, 01-Jun-\(digits) 12:00:00 GMT", now: now) == expected)
  }

  @Test("Fifty years to the second are not more than fifty", arguments: [(0, 2051), (1, 1951)]) func limit(
    _ seconds: Int, _ year: Int
  ) {
    let now = HTTPDate.seconds("Fri, 15 Jun 2001 12:00:00 GMT")
    let expected = HTTPDate.seconds("Fri, 15 Jun \(year) 12:00:0\(seconds) GMT")
    #expect(HTTPDate.seconds("Friday, 15-Jun-51 12:00:0\(seconds) GMT", now: now ?? 0) == expected)
  }

  @Test(
    "A written date is read back",
    arguments: [
      0, 951_782_400, 951_868_799, 1_000_000_000, 4_107_542_400, 32_503_680_000, -1, -62_167_219_200, 253_402_300_799,
    ]) func written(_ moment: Double)
  { #expect(HTTPDate.seconds(HTTPDate.text(moment)) == moment) }

  @Test(
    "A moment that has no date is written as the nearest that has one",
    arguments: [1e300, .infinity, -.infinity, -1e300, .nan, 253_402_300_800]) func absurd(_ moment: Double)
  { #expect(HTTPDate.seconds(HTTPDate.text(moment)) != nil) }

  @Test("A present that is absurd does no harm", arguments: [1e300, .infinity, -.infinity, .nan, -1e18])
  func absurdPresent(_ now: Double) { _ = HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) }
}
