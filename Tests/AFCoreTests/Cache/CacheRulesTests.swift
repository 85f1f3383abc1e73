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

@Suite struct HTTPDateTests {
  @Test(
    "The three forms of a date name the same moment",
    arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
  func forms(_ text: String) { #expect(HTTPDate.seconds(text) == 784_111_777) }

  @Test(
    "What is no date is none",
    arguments: [
      "", "0", "-1", "now", "Sun, 06 Nov 1994", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
      "Sun, 06 Nov 99999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 08:4٩:37 GMT",
    ])
  func refused(_ text: String) { #expect(HTTPDate.seconds(text) == nil) }

  @Test func `A written date is read back, leap days and distant years too`() {
    #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    for moment: Double in [0, 951_782_400, 951_868_799, 1_000_000_000, 4_107_542_400, 32_503_680_000, -1] {
      #expect(HTTPDate.seconds(HTTPDate.text(moment)) == moment)
    }
  }
}

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

  @Test func `Quotation marks hold an argument together`() {
    let control = CacheControl([#"private="a, no-store", max-age="7", x="\", no-store""#])
    #expect(!control.noStore)
    #expect(control.maxAge == 7)
    #expect(CacheControl([#"no-cache="Set-Cookie""#]).noCache)
  }

  @Test(
    "A lifetime that is no number is none, and the first of two counts",
    arguments: zip(
      ["max-age", "max-age=", "max-age=x", "max-age=-1", "max-age=1.5", "max-age=5, max-age=9"],
      [0, 0, 0, 0, 0, 5] as [Double]))
  func badLifetime(_ text: String, _ seconds: Double) { #expect(CacheControl([text]).maxAge == seconds) }

  @Test func `An absurd lifetime is a long one`() {
    #expect(CacheControl(["max-age=99999999999999999999999"]).maxAge == 2_147_483_648)
    #expect(CacheControl(["max-stale"]).maxStale == .infinity)
    #expect(CacheControl(["max-stale=3"]).maxStale == 3)
  }
}

@Suite struct CacheRulesTests {
  @Test(
    "RFC 9111 §3: which statuses may be kept of themselves",
    arguments: [
      (200, true), (201, false), (203, true), (204, true), (206, false), (300, true), (301, false), (302, false),
      (304, false), (307, false), (308, false), (400, false), (401, false), (404, true), (405, true), (407, false),
      (410, true), (414, true), (500, false), (501, true), (503, false),
    ])
  func storableStatus(_ status: Int, _ isStorable: Bool) {
    #expect(CacheRules(head(status, [])).isStorable == isStorable)
  }

  @Test(
    "Other statuses may be kept when the response says so, but no part, redirect or challenge",
    arguments: [
      (201, true), (400, true), (500, true), (206, false), (302, false), (304, false), (401, false), (407, false),
    ])
  func explicitStatus(_ status: Int, _ isStorable: Bool) {
    for field in ["Cache-Control: max-age=5", "Cache-Control: public", "Expires: \(date(60))"] {
      #expect(CacheRules(head(status, [field])).isStorable == isStorable)
    }
  }

  @Test(
    "Fields that forbid keeping, and some that do not",
    arguments: [
      ("Cache-Control: no-store", false), ("Cache-Control: max-age=60, no-store", false), ("Vary: *", false),
      ("Vary: Accept, *", false), ("Vary: Accept", true), ("Cache-Control: private", true),
      ("Cache-Control: no-cache", true), ("Set-Cookie: a=b", true),
    ])
  func storableField(_ field: String, _ isStorable: Bool) { #expect(rules([field]).isStorable == isStorable) }

  @Test(
    "Kept is what can be fresh or confirmed",
    arguments: [
      ([], false), (["ETag: \"a\""], true), (["Last-Modified: \(date(-100))"], true),
      (["Cache-Control: max-age=1"], true), (["Cache-Control: max-age=0"], false), (["Expires: \(date(60))"], true),
      (["Expires: 0"], false), (["Cache-Control: max-age=0", "ETag: \"a\""], true),
    ] as [([String], Bool)])
  func useful(_ fields: [String], _ isUseful: Bool) { #expect(rules(fields).isUseful == isUseful) }

  private static let lifetimes: [([String], Double)] = [
    (["Cache-Control: max-age=60", "Expires: \(date(600))", "Date: \(date(0))"], 60),
    (["Cache-Control: s-maxage=60", "Expires: \(date(600))", "Date: \(date(0))"], 600),
    (["Expires: \(date(600))", "Date: \(date(-100))"], 700), (["Expires: \(date(600))"], 600),
    (["Expires: \(date(-1))"], 0), (["Expires: 0", "Last-Modified: \(date(-1000))"], 0),
    (["Last-Modified: \(date(-1000))", "Date: \(date(0))"], 100), (["Last-Modified: \(date(-1000))"], 100),
    (["Last-Modified: \(date(1000))"], 0), (["Last-Modified: yesterday"], 0),
    (["Last-Modified: \(date(-100_000_000))"], CacheRules.heuristicLimit), ([], 0), (["ETag: \"a\""], 0),
  ]

  @Test(
    "RFC 9111 §4.2.1: the lifetime is max-age, then Expires, then a tenth of the time since Last-Modified",
    arguments: lifetimes)
  func lifetime(_ fields: [String], _ seconds: Double) { #expect(rules(fields).lifetime == seconds) }

  @Test func `No lifetime is guessed for a status that may not be kept of itself`() {
    let fields = ["Last-Modified: \(date(-1000))"]
    #expect(CacheRules(head(500, fields), requested: noon, received: noon).lifetime == 0)
    #expect(CacheRules(head(500, fields + ["Cache-Control: public"]), requested: noon, received: noon).lifetime == 100)
  }

  /// Fields; the moments of request and response; now; the age.
  private static let ages: [([String], Double, Double, Double, Double)] = [
    ([], 0, 0, 10, 10), (["Age: 30"], 0, 0, 10, 40), (["Age: 30"], -4, 0, 10, 44), (["Age: x"], 0, 0, 10, 10),
    (["Age: -30"], 0, 0, 10, 10), (["Date: \(date(-50))"], 0, 0, 10, 60),
    (["Date: \(date(-50))", "Age: 30"], 0, 0, 10, 60), (["Date: \(date(50))"], 0, 0, 10, 10),
    (["Date: \(date(50))", "Age: 7"], 0, 0, 10, 17),
  ]

  @Test("RFC 9111 §4.2.3: the age", arguments: ages)
  func age(_ fields: [String], _ requested: Double, _ received: Double, _ now: Double, _ age: Double) {
    let rules = rules(fields, requested: noon + requested, received: noon + received)
    #expect(rules.age(at: noon + now) == age)
  }

  @Test func `Without a moment of arrival the Date counts, and without either there is no age`() {
    #expect(rules(["Date: \(date(-50))"], requested: nil, received: nil).age(at: noon) == 50)
    #expect(rules([], requested: nil, received: nil).age(at: noon) == nil)
    #expect(rules([]).age(at: noon - 1) == nil, "the clock was set back")
  }

  /// The response's directives, the request's, and the verdict.
  private static let uses: [(String, String, Bool)] = [
    ("max-age=60", "", true), ("max-age=50", "", false), ("max-age=40", "", false), ("max-age=60, no-cache", "", false),
    ("max-age=60, no-store", "", false), ("max-age=60, must-revalidate", "", true),
    ("max-age=60", "no-cache", false), ("max-age=60", "max-age=50", true), ("max-age=60", "max-age=49", false),
    ("max-age=60", "max-age=0", false), ("max-age=60", "min-fresh=9", true), ("max-age=60", "min-fresh=10", false),
    ("max-age=40", "max-stale", true), ("max-age=40", "max-stale=10", true), ("max-age=40", "max-stale=9", false),
    ("max-age=40, must-revalidate", "max-stale", false),
  ]

  @Test("What may be used without asking, at an age of 50 seconds", arguments: uses)
  func usable(_ response: String, _ request: String, _ isUsable: Bool) {
    let rules = rules(["Cache-Control: \(response)"])
    #expect(rules.isUsable(at: noon + 50, for: CacheControl([request])) == isUsable)
  }

  @Test func `Pragma counts where there is no Cache-Control`() {
    let expires = "Expires: \(date(60))"
    #expect(!rules(["Pragma: no-cache", expires]).isUsable(at: noon + 1, for: CacheControl()))
    #expect(rules(["Pragma: no-cache", "Cache-Control: max-age=9"]).isUsable(at: noon + 1, for: CacheControl()))
  }

  @Test(
    "RFC 5861: what may stand in for an error, at an age of 50 seconds",
    arguments: [
      ("max-age=40, stale-if-error=10", true), ("max-age=40, stale-if-error=9", false), ("max-age=40", false),
      ("max-age=40, stale-if-error=10, must-revalidate", false), ("stale-if-error=100, no-cache", false),
    ])
  func afterError(_ response: String, _ isUsable: Bool) {
    #expect(rules(["Cache-Control: \(response)"]).isUsable(afterErrorAt: noon + 50) == isUsable)
  }

  @Test(
    "A 304 speaks of the response whose tag it has, weak or strong",
    arguments: [
      ("\"a\"", "\"a\"", true), ("\"a\"", "W/\"a\"", true), ("\"a\"", "\"b\"", false), ("\"a\"", nil, true),
      (nil, "\"b\"", true),
    ] as [(String?, String?, Bool)])
  func confirmed(_ own: String?, _ answer: String?, _ isConfirmed: Bool) {
    func fields(_ tag: String?) -> [String] { tag.map { ["ETag: \($0)"] } ?? [] }
    #expect(rules(fields(own)).isConfirmed(by: head(304, fields(answer))) == isConfirmed)
  }

  @Test func `The names of Vary are a set without regard to letter case`() {
    #expect(CacheRules.varying(head(200, ["Vary: Accept, Cookie", "Vary: accept"])) == ["accept", "cookie"])
    #expect(CacheRules.varying(head(200, [])) == [])
    #expect(CacheRules.varying(head(200, ["Vary: a, *"])) == nil)
  }

  private static let policies: [(URLRequest.CachePolicy, CacheDecision, CacheDecision, CacheDecision)] = [
    (.useProtocolCachePolicy, .serve, .validate, .load), (.reloadIgnoringLocalCacheData, .load, .load, .load),
    (.reloadIgnoringLocalAndRemoteCacheData, .load, .load, .load),
    (.returnCacheDataElseLoad, .serve, .serve, .serve), (.returnCacheDataDontLoad, .serve, .serve, .serve),
    (.reloadRevalidatingCacheData, .validate, .validate, .load),
  ]

  @Test(
    "What each policy makes of a fresh response, a stale one that can be confirmed, and a stale one that cannot",
    arguments: policies)
  func decisions(
    _ policy: URLRequest.CachePolicy, _ fresh: CacheDecision, _ stale: CacheDecision, _ unconfirmable: CacheDecision
  ) {
    func decision(_ fields: [String]) -> CacheDecision {
      CacheDecision(policy, CacheControl(), rules(fields), at: noon + 50)
    }
    #expect(decision(["Cache-Control: max-age=60", "ETag: \"a\""]) == fresh)
    #expect(decision(["Cache-Control: max-age=5", "ETag: \"a\""]) == stale)
    #expect(decision(["Cache-Control: max-age=5"]) == unconfirmable)
  }
}

@Suite struct CacheNonsenseTests {
  /// The same numbers in every run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64 = 42

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test func `Nonsense in a response's fields does no harm, and never makes it fresh for longer than it may be`() {
    let words = [
      "max-age", "=", "\"", "\\", ",", " ", "0", "9", "99999999999999999999", "-", "no-store", "public",
      "stale-if-error", "Sun",
      "Nov", "1994", "94", ":", "08:49:37", "GMT", "W/", "*", "\u{0}", "é", "e5", ".", "nan", "inf",
    ]
    let names = ["Cache-Control", "Expires", "Date", "Age", "Last-Modified", "Vary", "ETag", "Pragma", "Connection"]
    var numbers = Numbers()
    for _ in 0..<5000 {
      let fields = names.shuffled(using: &numbers).prefix(5).map { name in
        "\(name): "
          + (0..<Int.random(in: 0...6, using: &numbers)).compactMap { _ in words.randomElement(using: &numbers) }
          .joined()
      }
      let kept = head(200, fields).kept(received: noon).refreshed(by: head(304, fields))
      let rules = CacheRules(kept, requested: noon, received: noon)
      #expect(rules.lifetime >= 0 && rules.lifetime < 1e12)
      if let age = rules.age(at: noon + 10) { #expect(age >= 10) }
      _ = (rules.isStorable, rules.isUsable(at: noon, for: rules.control), rules.isUsable(afterErrorAt: noon))
    }
  }
}

@Suite struct CachedHeadTests {
  @Test func `RFC 9111 §3.1: what concerns a connection is not kept, and a Date is`() {
    let kept = head(
      200, ["Connection: close, X-Hop", "X-Hop: 1", "Transfer-Encoding: chunked", "Set-Cookie: a", "Set-Cookie: b"]
    ).kept(received: noon)
    #expect(kept.fields.map(\.name) == ["Set-Cookie", "Set-Cookie", "Date"])
    #expect(kept.value("Date") == date(0))
    #expect(head(200, ["Date: x"]).kept(received: noon).values("Date") == ["x"])
  }

  @Test func `RFC 9111 §3.2: a 304 replaces fields, and none that describe the body`() {
    let old = head(203, ["ETag: \"a\"", "X: 1", "X: 2", "Age: 7", "Content-Type: a/b", "Content-Length: 5", "Y: old"])
    let new = old.refreshed(
      by: head(304, ["x: 3", "Content-Type: c/d", "content-length: 0", "Content-Encoding: gzip", "Z: new"]))
    #expect(new.statusCode == 203)
    #expect(new.values("X") == ["3"])
    #expect(new.value("Content-Type") == "a/b")
    #expect(new.value("Content-Length") == "5")
    #expect(new.value("Content-Encoding") == nil)
    #expect(new.value("Age") == nil, "it was the age of the old response")
    #expect(new.value("Y") == "old")
    #expect(new.value("Z") == "new")
  }

  @Test func `A head is made of Foundation's response`() throws {
    let url = try #require(URL(string: "http://a/"))
    let response = try #require(
      HTTPURLResponse(url: url, statusCode: 404, httpVersion: nil, headerFields: ["Content-Type": "a/b"]))
    #expect(ResponseHead(response).statusCode == 404)
    #expect(ResponseHead(response).value("content-type") == "a/b")
    let plain = URLResponse(url: url, mimeType: "c/d", expectedContentLength: 1, textEncodingName: nil)
    #expect(ResponseHead(plain).statusCode == 200)
    #expect(ResponseHead(plain).value("Content-Type") == "c/d")
  }
}
