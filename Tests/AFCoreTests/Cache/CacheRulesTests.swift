import AFTransport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// A moment to count from: 2001-09-09 01:46:40 GMT.
private let noon: Double = 1_000_000_000

private func head(_ status: Int = 200, _ fields: [String]) -> ResponseHead {
  ResponseHead(bytes: Array("HTTP/1.1 \(status) OK\r\n\(fields.map { $0 + "\r\n" }.joined())".utf8))
}

private func rules(_ fields: [String], requested: Double? = noon, received: Double? = noon) -> CacheRules {
  CacheRules(head(200, fields), requested: requested, received: received)
}

private func date(_ offset: Double) -> String { HTTPDate.text(noon + offset) }

/// RFC 9111 §3: what may be kept.
@Suite struct CacheStoringTests {
  @Test(
    "Which statuses may be kept of themselves",
    arguments: [
      (0, false), (100, false), (103, false), (199, false), (200, true), (201, false), (202, false), (203, true),
      (204, true), (205, false), (206, false), (299, false), (300, true), (301, false), (302, false), (303, false),
      (304, false), (305, false), (307, false), (308, false), (400, false), (401, false), (403, false), (404, true),
      (405, true), (407, false), (408, false), (410, true), (414, true), (421, false), (429, false), (451, false),
      (500, false), (501, true), (502, false), (503, false), (504, false), (599, false), (600, false), (999, false),
    ]) func status(_ status: Int, _ isStorable: Bool)
  { #expect(CacheRules(head(status, [])).isStorable == isStorable) }

  @Test(
    "Other statuses may be kept when the response says so, but no part, redirect or challenge",
    arguments: [
      (201, true), (299, true), (400, true), (403, true), (429, true), (451, true), (500, true), (503, true),
      (599, true), (100, false), (101, false), (206, false), (301, false), (302, false), (303, false), (304, false),
      (307, false), (308, false), (399, false), (401, false), (407, false), (600, false),
    ]) func told(_ status: Int, _ isStorable: Bool)
  {
    for field in [
      "Cache-Control: max-age=5", "Cache-Control: public", "Cache-Control: private", "Expires: \(date(60))",
      "Expires: 0",
    ] { #expect(CacheRules(head(status, [field])).isStorable == isStorable, "\(field)") }
    #expect(!CacheRules(head(500, ["Cache-Control: s-maxage=60"])).isStorable, "that is for shared caches")
  }

  private static let fields: [(Int, [String], Bool)] = [
    (200, ["Cache-Control: no-store"], false), (200, ["Cache-Control: max-age=60, no-store"], false),
    (200, ["Cache-Control: max-age=60", "Cache-Control: no-store"], false), (200, ["Vary: *"], false),
    (200, ["Vary: Accept, *"], false), (200, ["Vary: Accept", "Vary: *"], false), (200, ["Vary: , *"], false),
    (200, ["Vary: Accept"], true), (200, ["Vary:"], true), (200, ["Vary: **"], true),
    (200, ["Cache-Control: private"], true), (200, ["Cache-Control: no-cache"], true), (200, ["Set-Cookie: a=b"], true),
    (200, ["Pragma: no-cache"], true), (200, ["Cache-Control: proxy-revalidate"], true),
    (200, ["CDN-Cache-Control: no-store"], true), (200, ["Surrogate-Control: no-store"], true),
    (200, ["Cache-Control: unknown"], true),
    // must-understand takes the place of no-store where the status is understood (§5.2.2.3).
    (200, ["Cache-Control: must-understand, no-store"], true),
    (404, ["Cache-Control: no-store, must-understand"], true), (200, ["Cache-Control: must-understand"], true),
    (299, ["Cache-Control: must-understand, max-age=5"], false),
    (599, ["Cache-Control: must-understand, public"], false),
    (299, ["Cache-Control: must-understand, no-store, max-age=5"], false),
    (500, ["Cache-Control: must-understand, max-age=5"], true),
    (206, ["Cache-Control: must-understand, max-age=5"], false),
  ]

  @Test("Fields that forbid keeping, and some that do not", arguments: fields) func field(
    _ status: Int, _ fields: [String], _ isStorable: Bool
  ) { #expect(CacheRules(head(status, fields)).isStorable == isStorable) }

  private static let uses: [([String], Bool)] = [
    ([], false), (["ETag: \"a\""], true), (["Last-Modified: \(date(-100))"], true),
    (["Cache-Control: max-age=1"], true), (["Cache-Control: max-age=0"], false), (["Expires: \(date(60))"], true),
    (["Expires: 0"], false), (["Cache-Control: max-age=0", "ETag: \"a\""], true),
    (["Cache-Control: max-age=0, stale-if-error=1"], true), (["Cache-Control: max-age=0, stale-if-error=0"], false),
    (["Cache-Control: max-age=0, stale-while-revalidate=1"], true),
  ]

  @Test("Kept is what can be fresh, confirmed, or used though it is stale", arguments: uses) func useful(
    _ fields: [String], _ isUseful: Bool
  ) { #expect(rules(fields).isUseful == isUseful) }

  @Test(
    "The names of Vary are a set without regard to letter case",
    arguments: zip(
      [["Vary: Accept, Cookie", "Vary: accept"], [], ["Vary: a, *"], ["Vary: ,a,,"], ["Vary: *"], ["vary: B,a"]],
      [["accept", "cookie"], [], nil, ["a"], nil, ["a", "b"]] as [[String]?])) func varying(
      _ fields: [String], _ names: [String]?
    )
  { #expect(CacheRules.varying(head(200, fields)) == names) }
}

/// RFC 9111 §4.2: for how long a response is fresh, and how old it is.
@Suite struct CacheFreshnessTests {
  private static let dated = "Date: \(date(0))"
  private static let lifetimes: [([String], Double)] = [
    (["Cache-Control: max-age=60", "Expires: \(date(600))", dated], 60),
    (["Cache-Control: max-age=60", "Expires: 0"], 60),
    (["Cache-Control: max-age=x", "Expires: \(date(600))", dated], 0), (["Cache-Control: max-age=0"], 0),
    (["Cache-Control: s-maxage=60"], 0), (["Cache-Control: s-maxage=60", "Expires: \(date(600))", dated], 600),
    (["Cache-Control: s-maxage=60, max-age=5"], 5), (["CDN-Cache-Control: max-age=60"], 0),
    (["Surrogate-Control: max-age=60"], 0),
    // Expires counts from Date, or from when the response came if there is none.
    (["Expires: \(date(600))", "Date: \(date(-100))"], 700), (["Expires: \(date(600))"], 600),
    (["Expires: \(date(600))", "Date: yesterday"], 600), (["Expires: \(date(600))", "Date: \(date(700))"], 0),
    (["Expires: \(date(0))", dated], 0), (["Expires: \(date(1))", dated], 1), (["Expires: \(date(-1))"], 0),
    // Of two the first counts, and what is no date is the past (§5.3).
    (["Expires: \(date(600))", "Expires: \(date(9))", dated], 600), (["Expires: 0", "Expires: \(date(600))"], 0),
    (["Expires: 0", "Last-Modified: \(date(-1000))"], 0), (["Expires: -1", "Last-Modified: \(date(-1000))"], 0),
    (["Expires:"], 0), (["Expires: Sun Sep  9 01:56:40 2001"], 600), (["Expires: Sunday, 09-Sep-01 01:56:40 GMT"], 600),
    (["Expires: Sun, 9 Sep 2001 01:56:40 GMT"], 0), (["Expires: Sun, 09 Sep 2001 01:56:40 UTC"], 0),
    (["Expires: Sun, 09-Sep-2001 01:56:40 GMT"], 0), (["Expires: \(date(600)), \(date(600))"], 0),
    (["Expires: Fri, 31 Dec 9999 23:59:59 GMT", dated], 252_402_300_799),
    (["Expires: Fri, 31 Dec 10000 23:59:59 GMT"], 0),
    // A tenth of the time since Last-Modified, a day at most (§4.2.2).
    (["Last-Modified: \(date(-1000))", dated], 100), (["Last-Modified: \(date(-1000))"], 100),
    (["Last-Modified: \(date(-1000))", "Date: nonsense"], 100), (["Last-Modified: \(date(0))"], 0),
    (["Last-Modified: \(date(1000))"], 0), (["Last-Modified: yesterday"], 0),
    (["Last-Modified: \(date(-864_000))"], 86_400), (["Last-Modified: \(date(-863_990))"], 86_399),
    (["Last-Modified: \(date(-864_010))"], 86_400), (["Last-Modified: Mon, 01 Jan 0001 00:00:00 GMT"], 86_400), ([], 0),
    (["ETag: \"a\""], 0), ([dated], 0), (["Cache-Control: public"], 0), (["Cache-Control: immutable"], 0),
  ]

  @Test("The lifetime is max-age, then Expires, then a guess", arguments: lifetimes) func lifetime(
    _ fields: [String], _ seconds: Double
  ) { #expect(rules(fields).lifetime == seconds) }

  @Test(
    "A lifetime is guessed for statuses that may be kept of themselves, and for what is public",
    arguments: [(200, 100), (203, 100), (204, 100), (404, 100), (410, 100), (501, 100), (201, 0), (403, 0), (500, 0)])
  func guess(_ status: Int, _ seconds: Double) {
    let fields = ["Last-Modified: \(date(-1000))"]
    func lifetime(_ more: [String]) -> Double {
      CacheRules(head(status, fields + more), requested: noon, received: noon).lifetime
    }
    #expect(lifetime([]) == seconds)
    #expect(lifetime(["Cache-Control: public"]) == 100)
    #expect(lifetime(["Cache-Control: private"]) == seconds)
  }

  /// Fields; the moments of request and response; now; the age.
  private static let ages: [([String], Double, Double, Double, Double)] = [
    ([], 0, 0, 10, 10), ([], 0, 0, 0, 0), ([], -4, 0, 10, 14), ([], 4, 0, 10, 10),
    (["Date: \(date(-50))"], 0, 0, 10, 60), (["Date: \(date(-50))"], -4, 0, 10, 60),
    (["Date: \(date(-2))"], -4, 0, 10, 14), (["Date: \(date(50))"], 0, 0, 10, 10),
    (["Date: \(date(50))", "Age: 7"], 0, 0, 10, 17), (["Date: nonsense"], 0, 0, 10, 10), (["Age: 30"], 0, 0, 10, 40),
    (["Age: 30"], -4, 0, 10, 44), (["Date: \(date(-50))", "Age: 30"], 0, 0, 10, 60),
    (["Date: \(date(-50))", "Age: 80"], 0, 0, 10, 90), (["Age: 0"], 0, 0, 10, 10),
    // §5.1: the first member, and what is no number is ignored.
    (["Age: 7200, 0"], 0, 0, 10, 7210), (["Age: 0, 7200"], 0, 0, 10, 10), (["Age: 7200", "Age: 0"], 0, 0, 10, 7210),
    (["Age: 0", "Age: 7200"], 0, 0, 10, 10), (["Age: , 7200"], 0, 0, 10, 7210),
    (["Age:", "Age: 7200"], 0, 0, 10, 7210), (["Age: x, 7200"], 0, 0, 10, 10), (["Age: 7200, x"], 0, 0, 10, 7210),
    (["Age: x"], 0, 0, 10, 10), (["Age: -30"], 0, 0, 10, 10), (["Age: +30"], 0, 0, 10, 10),
    (["Age: 30.5"], 0, 0, 10, 10), (["Age: 30;a=b"], 0, 0, 10, 10), (["Age: 30 40"], 0, 0, 10, 10),
    (["Age: \"30\""], 0, 0, 10, 10), (["Age: 0030"], 0, 0, 10, 40), (["Age: 30 , 5"], 0, 0, 10, 40),
    (["Age: 2147483648"], 0, 0, 0, 2_147_483_648), (["Age: 2147483649"], 0, 0, 0, 2_147_483_648),
    (["Age: 99999999999999999999999"], 0, 0, 0, 2_147_483_648),
  ]

  @Test("F55: the age (§4.2.3)", arguments: ages) func age(
    _ fields: [String], _ requested: Double, _ received: Double, _ now: Double, _ age: Double
  ) {
    let rules = rules(fields, requested: noon + requested, received: noon + received)
    #expect(rules.age(at: noon + now) == age)
  }

  @Test func `Without a moment of arrival the Date counts, and without either there is no age`() {
    #expect(rules(["Date: \(date(-50))"], requested: nil, received: nil).age(at: noon) == 50)
    #expect(rules([], requested: nil, received: nil).age(at: noon) == nil)
    #expect(rules([]).age(at: noon - 1) == nil, "the clock was set back")
  }

  /// Fields, whether the server has just confirmed it, now, the Age that is told.
  private static let toldAges: [([String], Bool, Double, [String])] = [
    ([], false, 0, ["0"]), ([], false, 10, ["10"]), ([], false, 10.9, ["10"]), (["Age: 30"], false, 10, ["40"]),
    (["Age: 7200, 0"], false, 10, ["7210"]), (["Age: 1", "age: 2"], false, 10, ["11"]), (["Age: x"], false, 10, ["10"]),
    (["Date: \(date(-50))"], false, 10, ["60"]), (["Age: 99999999999999999999"], false, 10, ["2147483648"]),
    // The clock was set back: what is known for sure.
    (["Age: 30"], false, -100, ["30"]), ([], true, 0, []), ([], true, 10, []), (["Age: 30"], true, 0, ["30"]),
    (["Age: 30"], true, 10, ["40"]),
  ]

  @Test("F56: a response from the cache tells its age (§5.1)", arguments: toldAges) func told(
    _ fields: [String], _ isConfirmed: Bool, _ now: Double, _ told: [String]
  ) { #expect(rules(fields).served(at: noon + now, isConfirmed: isConfirmed).values("Age") == told) }

  @Test func `A response without any moment tells no age, and fields that need asking are left out`() {
    let head = head(200, ["Cache-Control: no-cache=\"Foo\", max-age=9", "Foo: 1", "Bar: 2"])
    let served = CacheRules(head).served(at: noon, isConfirmed: false)
    #expect(served.fields.map(\.name) == ["Cache-Control", "Bar"])
    #expect(CacheRules(head).served(at: noon, isConfirmed: true).value("Foo") == "1")
  }
}

/// RFC 9111 §4.2.4, §5.2 and RFC 5861: what may be used without asking, at an age of 50 seconds.
@Suite struct CacheUseTests {
  /// The response's directives, the request's, and the verdict.
  private static let uses: [(String, String, Bool)] = [
    ("max-age=51", "", true), ("max-age=50", "", false), ("max-age=49", "", false), ("max-age=60, no-cache", "", false),
    ("max-age=60, no-cache=\"Set-Cookie\"", "", true), ("max-age=60, no-cache=\"Expires\"", "", false),
    ("max-age=60, no-store", "", false), ("max-age=60, no-store, must-understand", "", true),
    ("max-age=60, must-revalidate", "", true), ("max-age=60, private", "", true), ("max-age=60, s-maxage=0", "", true),
    ("max-age=60, proxy-revalidate", "", true), ("max-age=60, immutable", "", true),
    ("max-age=60, unknown=\"x, no-cache\"", "", true), ("immutable", "", false),
    ("stale-while-revalidate=99", "", false), ("stale-if-error=99", "", false), ("max-age=60", "no-cache", false),
    ("max-age=60", "no-cache=foo", false), ("max-age=60", "no-store", true), ("max-age=60", "max-age=50", true),
    ("max-age=60", "max-age=49", false), ("max-age=60", "max-age=0", false), ("max-age=60", "max-age=x", false),
    ("max-age=60, immutable", "max-age=0", false), ("max-age=60", "must-revalidate", true),
    ("max-age=60", "min-fresh=9", true), ("max-age=60", "min-fresh=10", false),
    ("max-age=60", "min-fresh=99999999999999999999", false), ("max-age=60", "only-if-cached", true),
    ("max-age=60", "unknown", true), ("max-age=40", "max-stale", true), ("max-age=40", "max-stale=10", true),
    ("max-age=40", "max-stale=9", false), ("max-age=40", "max-stale=x", false), ("max-age=50", "max-stale=0", true),
    ("max-age=40", "max-stale=99999999999999999999", true), ("max-age=40, must-revalidate", "max-stale", false),
    ("max-age=40, no-cache", "max-stale", false), ("max-age=40, proxy-revalidate", "max-stale", true),
    ("max-age=40", "max-stale, max-age=49", false), ("max-age=40", "max-stale, max-age=50", true),
    ("max-age=40", "max-stale, min-fresh=1", false), ("", "max-stale", true),
  ]

  @Test("A kept response and a request's directives", arguments: uses) func usable(
    _ response: String, _ request: String, _ isUsable: Bool
  ) {
    let rules = rules(["Cache-Control: \(response)"])
    #expect(rules.isUsable(at: noon + 50, for: CacheControl([request])) == isUsable)
  }

  @Test(
    "Pragma counts where there is no Cache-Control (§5.4)",
    arguments: [
      (["Pragma: no-cache"], false), (["pragma: NO-CACHE"], false), (["Pragma: x, no-cache"], false),
      (["Pragma: x", "Pragma: no-cache"], false), (["Pragma: no-cache", "Cache-Control: max-age=99"], true),
      (["Pragma: x"], true), (["Pragma: x=\"no-cache\""], true), (["Pragma: xno-cache"], true),
    ] as [([String], Bool)]) func pragma(_ fields: [String], _ isUsable: Bool)
  { #expect(rules(fields + ["Expires: \(date(60))"]).isUsable(at: noon + 1, for: CacheControl()) == isUsable) }

  /// The response's directives, the request's, and whether it may be used though it is stale.
  private static let afterErrors: [(String, String, Bool)] = [
    ("max-age=40, stale-if-error=10", "", true), ("max-age=40, stale-if-error=9", "", false), ("max-age=40", "", false),
    ("max-age=40, stale-if-error=0", "", false), ("max-age=50, stale-if-error=0", "", true),
    ("max-age=40, stale-if-error=x", "", false), ("max-age=40, stale-if-error=10, must-revalidate", "", false),
    ("stale-if-error=100, no-cache", "", false), ("max-age=40, stale-if-error=99999999999999999999", "", true),
    ("max-age=60, stale-if-error=5", "max-age=10", true), ("max-age=40", "stale-if-error=10", true),
    ("max-age=40", "stale-if-error=9", false), ("max-age=40", "stale-if-error", false),
    ("max-age=40, stale-if-error=5", "stale-if-error=10", true),
    ("max-age=40, stale-if-error=10", "stale-if-error=5", true),
    ("max-age=40, must-revalidate", "stale-if-error=10", false), ("max-age=40, no-cache", "stale-if-error=10", false),
    ("max-age=40, stale-if-error=10", "no-cache", false), ("max-age=40, proxy-revalidate, stale-if-error=10", "", true),
  ]

  @Test("RFC 5861 §4: what may stand in for an error", arguments: afterErrors) func afterError(
    _ response: String, _ request: String, _ isUsable: Bool
  ) {
    let rules = rules(["Cache-Control: \(response)"])
    #expect(rules.isUsable(afterErrorAt: noon + 50, for: CacheControl([request])) == isUsable)
  }

  private static let meanwhile: [(String, String, Bool)] = [
    ("max-age=40, stale-while-revalidate=10", "", true), ("max-age=40, stale-while-revalidate=9", "", false),
    ("max-age=40", "", false), ("max-age=50, stale-while-revalidate=0", "", false),
    ("max-age=50, stale-while-revalidate=1", "", true), ("max-age=40, stale-while-revalidate=x", "", false),
    ("max-age=40, stale-while-revalidate", "", false),
    ("max-age=40, stale-while-revalidate=10, must-revalidate", "", false),
    ("max-age=40, stale-while-revalidate=10, no-cache", "", false),
    ("max-age=40, stale-while-revalidate=10", "no-cache", false),
    ("max-age=40, stale-while-revalidate=10", "max-age=49", false),
    ("max-age=40, stale-while-revalidate=10", "max-age=50", true),
    ("max-age=40, stale-while-revalidate=10", "min-fresh=0", false),
    ("max-age=40, stale-while-revalidate=10", "max-stale=9", false), ("max-age=40", "stale-while-revalidate=10", false),
    ("stale-while-revalidate=99999999999999999999", "", true),
  ]

  @Test("RFC 5861 §3: what may be used while the server is asked", arguments: meanwhile) func whileRevalidating(
    _ response: String, _ request: String, _ isUsable: Bool
  ) {
    let rules = rules(["Cache-Control: \(response)"])
    #expect(rules.isUsable(whileRevalidatingAt: noon + 50, for: CacheControl([request])) == isUsable)
  }

  @Test func `Nothing is used when the clock was set back`() {
    let rules = rules(["Cache-Control: max-age=60, stale-if-error=60, stale-while-revalidate=60"])
    #expect(!rules.isUsable(at: noon - 1, for: CacheControl()))
    #expect(!rules.isUsable(afterErrorAt: noon - 1, for: CacheControl()))
    #expect(!rules.isUsable(whileRevalidatingAt: noon - 1, for: CacheControl()))
  }
}

/// What is done about a request, for each policy.
@Suite struct CacheDecisionTests {
  private static let all: [URLRequest.CachePolicy] = [
    .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData,
    .returnCacheDataElseLoad, .returnCacheDataDontLoad, .reloadRevalidatingCacheData,
  ]

  /// The kept response's fields, nil if nothing is kept; the request's directives; what each policy makes of them, in the order above.
  private static let rows: [([String]?, String, [CacheDecision])] = [
    (["Cache-Control: max-age=60", "ETag: \"a\""], "", [.serve, .load, .load, .serve, .serve, .validate]),
    (["Cache-Control: max-age=60"], "", [.serve, .load, .load, .serve, .serve, .load]),
    (["Cache-Control: max-age=5", "ETag: \"a\""], "", [.validate, .load, .load, .serve, .serve, .validate]),
    (["Cache-Control: max-age=5", "Last-Modified: x"], "", [.validate, .load, .load, .serve, .serve, .validate]),
    (["Cache-Control: max-age=5"], "", [.load, .load, .load, .serve, .serve, .load]),
    (["Cache-Control: no-cache, max-age=60"], "", [.load, .load, .load, .serve, .serve, .load]),
    (nil, "", [.load, .load, .load, .load, .fail, .load]),
    // only-if-cached
    (["Cache-Control: max-age=60"], "only-if-cached", [.serve, .load, .load, .serve, .serve, .load]),
    (
      ["Cache-Control: max-age=5", "ETag: \"a\""], "only-if-cached", [.refuse, .load, .load, .serve, .serve, .validate]
    ), (["Cache-Control: max-age=5"], "only-if-cached, max-stale=45", [.serve, .load, .load, .serve, .serve, .load]),
    (["Cache-Control: max-age=5"], "only-if-cached, max-stale=44", [.refuse, .load, .load, .serve, .serve, .load]),
    (
      ["Cache-Control: max-age=5, stale-while-revalidate=45"], "only-if-cached",
      [.serve, .load, .load, .serve, .serve, .load]
    ), (nil, "only-if-cached", [.refuse, .load, .load, .refuse, .fail, .load]),
    // immutable
    (["Cache-Control: max-age=60, immutable", "ETag: \"a\""], "", [.serve, .load, .load, .serve, .serve, .serve]),
    (
      ["Cache-Control: max-age=5, immutable", "ETag: \"a\""], "", [.validate, .load, .load, .serve, .serve, .validate]
    ),
    (
      ["Cache-Control: max-age=60, immutable, no-cache", "ETag: \"a\""], "",
      [.validate, .load, .load, .serve, .serve, .validate]
    ),
    // stale-while-revalidate
    (
      ["Cache-Control: max-age=5, stale-while-revalidate=45"], "",
      [.serveWhileRevalidating, .load, .load, .serve, .serve, .load]
    ), (["Cache-Control: max-age=5, stale-while-revalidate=44"], "", [.load, .load, .load, .serve, .serve, .load]),
    (
      ["Cache-Control: max-age=5, stale-while-revalidate=45", "ETag: \"a\""], "no-cache",
      [.validate, .load, .load, .serve, .serve, .validate]
    ),
    // The request's directives
    (["Cache-Control: max-age=60", "ETag: \"a\""], "no-cache", [.validate, .load, .load, .serve, .serve, .validate]),
    (
      ["Cache-Control: max-age=60", "ETag: \"a\""], "max-age=49", [.validate, .load, .load, .serve, .serve, .validate]
    ), (["Cache-Control: max-age=60"], "min-fresh=10", [.load, .load, .load, .serve, .serve, .load]),
    (["Cache-Control: max-age=5"], "max-stale", [.serve, .load, .load, .serve, .serve, .load]),
  ]

  @Test("What each policy makes of what is kept, at an age of 50 seconds", arguments: rows) func decisions(
    _ fields: [String]?, _ request: String, _ expected: [CacheDecision]
  ) {
    for (policy, decision) in zip(Self.all, expected) {
      let kept = fields.map { rules($0) }
      #expect(
        CacheDecision(policy, CacheControl([request]), kept, mayRevalidate: true, at: noon + 50) == decision,
        "policy \(policy.rawValue)")
      if decision != .serveWhileRevalidating { continue }
      #expect(CacheDecision(policy, CacheControl([request]), kept, mayRevalidate: false, at: noon + 50) == .load)
    }
  }

  @Test func `What caches on the way are told`() {
    let told = Self.all.map { $0.fieldsForOthers.map { "\($0.name): \($0.value)" } }
    #expect(told == [[], [], ["Cache-Control: no-cache", "Pragma: no-cache"], [], [], ["Cache-Control: max-age=0"]])
    #expect(Self.all.map(\.readsCache) == [true, false, false, true, true, true])
    #expect(Self.all.map(\.prefersCache) == [false, false, false, true, true, false])
  }
}
