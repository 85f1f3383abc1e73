import Testing

@testable import AFCore

/// RFC 9111 §5.2: how `Cache-Control` is read.
@Suite struct CacheControlTests {
  @Test func `Directives are read in any case, spacing and number of fields`() {
    let control = CacheControl(["Max-Age = 60 ,, NO-CACHE", "must-revalidate, public, stale-if-error=5"])
    var expected = CacheControl()
    expected.maxAge = 60
    expected.noCache = true
    expected.mustRevalidate = true
    expected.isPublic = true
    expected.staleIfError = 5
    #expect(control == expected)
  }

  private static let flags: [(String, @Sendable (CacheControl) -> Bool)] = [
    ("no-store", \.noStore), ("no-cache", \.noCache), ("must-revalidate", \.mustRevalidate),
    ("must-understand", \.mustUnderstand), ("public", \.isPublic), ("private", \.isPrivate),
    ("immutable", \.isImmutable), ("only-if-cached", \.onlyIfCached), ("private=\"a, b\"", \.isPrivate),
    ("No-Store", \.noStore), ("no-store=1", \.noStore), ("no-store=\"\"", \.noStore), (" no-store\t", \.noStore),
    ("a,no-store,b", \.noStore), (",,no-store,,", \.noStore), ("x=\"a\\\"\", no-store", \.noStore),
    ("x=\"never closed, no-store", \.noStore), ("x=a\"b, no-store", \.noStore), ("x=\"a\" \"b, no-store", \.noStore),
    ("=, no-store", \.noStore), ("no-cache=\"\"", \.noCache), ("no-cache=", \.noCache), ("no-cache=\"a b\"", \.noCache),
    ("no-cache=\"Set-Cookie, Vary\"", \.noCache), ("no-cache=\"a\", no-cache", \.noCache),
  ]

  @Test("A directive is seen, whatever stands beside it", arguments: flags) func flag(
    _ text: String, _ flag: @escaping @Sendable (CacheControl) -> Bool
  ) { #expect(flag(CacheControl([text]))) }

  @Test(
    "What only looks like a directive is none",
    arguments: [
      "", ",", "=", "no-stor", "no-store-x", "x-no-store", "\"no-store\"", "x=\"a, no-store\"", "x=\"\\\", no-store\"",
      "no store", "s-maxage=60", "proxy-revalidate", "no-transform", "unknown=1", "community=\"UCI\"", "nostore",
      "max_age=5",
    ]) func nothing(_ text: String)
  { #expect(CacheControl([text]) == CacheControl()) }

  /// The argument, and the seconds that it says: 0 where it says nothing sensible (§4.2.1).
  private static let arguments: [(String, Double)] = [
    ("=60", 60), ("=0", 0), ("=\"60\"", 60), ("=\"6\\0\"", 60), ("=0060", 60), ("= 60", 60), ("=60 ", 60),
    ("=2147483648", 2_147_483_648), ("=2147483649", 2_147_483_648), ("=99999999999999999999999", 2_147_483_648),
    ("", 0), ("=", 0), ("=x", 0), ("=-1", 0), ("=+1", 0), ("=1.5", 0), ("=60.0", 0), ("=1e3", 0), ("=0x3c", 0),
    ("=60s", 0), ("=6 0", 0), ("='60'", 0), ("=\"60", 0), ("=60\"", 0), ("=\"60\"0", 0), ("=\u{0666}\u{0660}", 0),
    ("=60;x=1", 0), ("=nan", 0), ("=inf", 0),
  ]

  @Test("Numbers of seconds, in each directive that has one", arguments: arguments) func seconds(
    _ text: String, _ seconds: Double
  ) {
    #expect(CacheControl(["max-age\(text)"]).maxAge == seconds)
    #expect(CacheControl(["a, MIN-FRESH\(text)"]).minFresh == seconds)
    #expect(CacheControl(["stale-if-error\(text), b"]).staleIfError == seconds)
    #expect(CacheControl(["stale-while-revalidate\(text)"]).staleWhileRevalidate == seconds)
    #expect(CacheControl(["max-stale\(text)"]).maxStale == (text.isEmpty ? .infinity : seconds))
  }

  @Test(
    "Of a directive that comes twice the first counts, good or bad",
    arguments: zip(
      [["max-age=5, max-age=9"], ["max-age=9", "max-age=5"], ["max-age=x, max-age=9"], ["max-age, max-age=9"]],
      [5, 9, 0, 0] as [Double])) func twice(_ values: [String], _ seconds: Double)
  { #expect(CacheControl(values).maxAge == seconds) }

  @Test(
    "no-cache with field names is about these fields",
    arguments: zip(
      ["no-cache=\"Set-Cookie\"", "no-cache=Foo", "no-cache=\"Foo, ,BAR\", no-cache=\"baz\""],
      [["set-cookie"], ["foo"], ["foo", "bar", "baz"]] as [Set<String>])) func fields(
      _ text: String, _ names: Set<String>
    )
  {
    let control = CacheControl([text])
    #expect(!control.noCache)
    #expect(control.noCacheFields == names)
  }
}
