import AFTransport
import Foundation
import Testing

@testable import AFCore

private let noon: Double = 1_000_000_000

private func head(_ status: Int = 200, _ fields: [String]) -> ResponseHead {
  ResponseHead(bytes: Array("HTTP/1.1 \(status) OK\r\n\(fields.map { $0 + "\r\n" }.joined())".utf8))
}

/// What a server's answer means for what is kept (RFC 9111 §3.2, §4.3, §4.4).
@Suite struct CacheAnswerTests {
  /// Status, whether the server was asked if the kept response is good, and the meaning: without a right to be stale, and with one.
  private static let answers: [(Int, Bool, CacheAnswer, CacheAnswer)] = [
    (200, true, .replaces, .replaces), (200, false, .replaces, .replaces), (203, true, .replaces, .replaces),
    (204, true, .replaces, .replaces), (301, true, .replaces, .replaces), (302, true, .replaces, .replaces),
    (304, true, .confirms, .confirms), (304, false, .none, .none), (400, true, .none, .none), (401, true, .none, .none),
    (403, true, .none, .none), (404, true, .replaces, .replaces), (407, true, .none, .none),
    (410, true, .replaces, .replaces), (412, true, .none, .none), (429, true, .none, .none),
    (500, true, .none, .standsIn), (500, false, .none, .standsIn), (501, true, .none, .none),
    (502, true, .none, .standsIn), (503, true, .none, .standsIn), (503, false, .none, .standsIn),
    (504, true, .none, .standsIn), (505, true, .none, .none), (599, true, .none, .none),
  ]

  @Test("Each status", arguments: answers) func status(
    _ status: Int, _ wasAsked: Bool, _ strict: CacheAnswer, _ tolerant: CacheAnswer
  ) {
    func answer(_ control: String, _ request: CacheControl?) -> CacheAnswer {
      let stored = CacheRules(head(200, ["Cache-Control: \(control)"]), requested: noon, received: noon)
      return CacheAnswer(head(status, []), to: stored, wasAsked: wasAsked, request, at: noon + 50)
    }
    #expect(answer("max-age=0", CacheControl()) == strict)
    #expect(answer("max-age=0, stale-if-error=50", CacheControl()) == tolerant)
    #expect(answer("max-age=0, stale-if-error=49", CacheControl()) == strict)
    #expect(answer("max-age=0", CacheControl(["stale-if-error=50"])) == tolerant)
    #expect(answer("max-age=0, stale-if-error=50", nil) == strict, "a policy that allows nothing stale")
  }

  private static let early = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let late = "Sun, 06 Nov 1994 08:49:38 GMT"

  /// The kept response's validators, those of the 304, and whether it speaks of that one.
  private static let validators: [([String], [String], Bool)] = [
    ([], [], true), (["ETag: \"a\""], [], true), (["ETag: \"a\""], ["ETag: \"a\""], true),
    (["ETag: \"a\""], ["ETag: W/\"a\""], true), (["ETag: W/\"a\""], ["ETag: \"a\""], true),
    (["ETag: W/\"a\""], ["ETag: W/\"a\""], true), (["ETag: \"a\""], ["ETag: \"b\""], false),
    (["ETag: W/\"a\""], ["ETag: W/\"b\""], false), (["ETag: \"a\""], ["ETag: \"A\""], false),
    (["ETag: a"], ["ETag: a"], true), (["ETag: a"], ["ETag: \"a\""], false), ([], ["ETag: \"b\""], true),
    (["Last-Modified: \(early)"], ["Last-Modified: \(early)"], true),
    (["Last-Modified: \(early)"], ["Last-Modified: \(late)"], false),
    (["Last-Modified: \(early)"], ["Last-Modified: Sun Nov  6 08:49:37 1994"], true),
    (["Last-Modified: x"], ["Last-Modified: x"], true), (["Last-Modified: x"], ["Last-Modified: y"], false),
    (["Last-Modified: \(early)"], [], true), ([], ["Last-Modified: \(late)"], true),
    (["ETag: \"a\"", "Last-Modified: \(early)"], ["ETag: \"a\"", "Last-Modified: \(late)"], true),
    (["ETag: \"a\"", "Last-Modified: \(early)"], ["ETag: \"b\"", "Last-Modified: \(early)"], false),
    (["ETag: \"a\"", "Last-Modified: \(early)"], ["Last-Modified: \(late)"], false),
  ]

  @Test("Which response a 304 speaks of (§4.3.4)", arguments: validators) func confirmed(
    _ own: [String], _ told: [String], _ isConfirmed: Bool
  ) {
    let stored = CacheRules(head(200, own), requested: noon, received: noon)
    #expect(stored.isConfirmed(by: head(304, told)) == isConfirmed)
    let answer = CacheAnswer(head(304, told), to: stored, wasAsked: true, CacheControl(), at: noon)
    #expect(answer == (isConfirmed ? .confirms : .isAboutAnother))
  }

  @Test(
    "What the server is asked with (§4.3.1)",
    arguments: [
      (["ETag: \"a\""], ["If-None-Match: \"a\""]), (["ETag: W/\"a\""], ["If-None-Match: W/\"a\""]),
      (["ETag: a"], ["If-None-Match: a"]), (["Last-Modified: \(early)"], ["If-Modified-Since: \(early)"]), ([], []),
      (["ETag: \"a\"", "Last-Modified: \(early)"], ["If-None-Match: \"a\"", "If-Modified-Since: \(early)"]),
    ]) func conditions(_ fields: [String], _ conditions: [String])
  { #expect(CacheRules(head(200, fields)).conditions.map { "\($0.name): \($0.value)" } == conditions) }

  /// The kept response's fields, those of the answer to a HEAD, its status, and what that means for a body of 5 bytes.
  private static let heads: [([String], [String], Int, CacheHeadAnswer)] = [
    ([], [], 200, .updates), ([], ["Content-Length: 5"], 200, .updates), ([], ["Content-Length: 6"], 200, .outdates),
    (["Content-Encoding: gzip", "Content-Length: 9"], ["Content-Length: 9"], 200, .updates),
    (["Content-Encoding: gzip"], ["Content-Length: 5"], 200, .outdates),
    (["ETag: \"a\""], ["ETag: \"a\""], 200, .updates), (["ETag: \"a\""], ["ETag: \"b\""], 200, .outdates),
    (["ETag: \"a\""], ["ETag: W/\"a\""], 200, .outdates), (["ETag: \"a\""], [], 200, .updates),
    ([], ["ETag: \"a\""], 200, .outdates), (["Last-Modified: \(early)"], ["Last-Modified: \(early)"], 200, .updates),
    (["Last-Modified: \(early)"], ["Last-Modified: \(late)"], 200, .outdates),
    (["ETag: \"a\""], ["ETag: \"a\"", "Content-Length: 6"], 200, .outdates),
    (["ETag: \"a\""], ["ETag: \"b\""], 404, .none), (["ETag: \"a\""], ["ETag: \"b\""], 304, .none),
    (["ETag: \"a\""], ["ETag: \"b\""], 500, .none),
  ]

  @Test("What the answer to a HEAD means (§4.3.5)", arguments: heads) func headAnswer(
    _ own: [String], _ told: [String], _ status: Int, _ answer: CacheHeadAnswer
  ) { #expect(CacheHeadAnswer(head(status, told), to: CacheRules(head(200, own)), length: 5) == answer) }

  /// Method, status, Location, Content-Location, and what is dropped.
  private static let changes: [(String, Int, String?, String?, [String])] = [
    ("GET", 200, "/b", "/c", []), ("HEAD", 200, "/b", nil, []), ("OPTIONS", 200, nil, nil, []),
    ("TRACE", 200, nil, nil, []), ("POST", 200, nil, nil, ["/a"]), ("PUT", 204, nil, nil, ["/a"]),
    ("DELETE", 200, nil, nil, ["/a"]), ("PATCH", 200, nil, nil, ["/a"]), ("M-SEARCH", 200, nil, nil, ["/a"]),
    ("get", 200, nil, nil, ["/a"]), ("POST", 201, "/b", nil, ["/a", "/b"]),
    ("POST", 201, "b?c#d", "/e", ["/a", "/b?c", "/e"]), ("POST", 303, "/b", nil, ["/a", "/b"]),
    ("POST", 399, nil, nil, ["/a"]), ("POST", 400, "/b", nil, []), ("POST", 404, nil, nil, []),
    ("POST", 500, nil, nil, []), ("POST", 199, nil, nil, []),
    ("POST", 201, "http://other.example/b", "http://h.example/c", ["/a", "/c"]),
    ("POST", 201, "https://h.example/b", nil, ["/a"]), ("POST", 201, "http://h.example:81/b", nil, ["/a"]),
    ("POST", 201, "http://h.example:80/b", nil, ["/a", "/b"]), ("POST", 201, "/a", "/a", ["/a"]),
    ("POST", 201, "mailto:x", "", ["/a"]),
  ]

  @Test("What a change drops (§4.4)", arguments: changes) func invalidation(
    _ method: String, _ status: Int, _ location: String?, _ content: String?, _ dropped: [String]
  ) {
    let fields = [location.map { "Location: \($0)" }, content.map { "Content-Location: \($0)" }].compactMap { $0 }
    let request = HopRequest(url: "http://h.example/a#part", method: method)
    let urls = CacheInvalidation.urls(after: request, head(status, fields))
    #expect(urls == dropped.map { "http://h.example\($0)" })
  }
}

@Suite struct InvalidationLedgerTests {
  @Test func `What was on its way when its URL was changed is not kept, and what began later is`() {
    var ledger = InvalidationLedger()
    let before = ledger.now
    #expect(ledger.isUnchanged("a", since: before))
    ledger.note("a")
    let after = ledger.now
    #expect(!ledger.isUnchanged("a", since: before))
    #expect(ledger.isUnchanged("b", since: before))
    #expect(ledger.isUnchanged("a", since: after))
    ledger.note("b")
    #expect(ledger.isUnchanged("a", since: after))
    ledger.note("a")
    #expect(!ledger.isUnchanged("a", since: after))
  }

  @Test func `A ledger that is full takes everything older for changed`() {
    var ledger = InvalidationLedger()
    let before = ledger.now
    for number in 0..<InvalidationLedger.limit { ledger.note("\(number)") }
    #expect(ledger.isUnchanged("other", since: before))
    ledger.note("one more")
    #expect(!ledger.isUnchanged("other", since: before))
    #expect(ledger.isUnchanged("other", since: ledger.now))
    #expect(ledger.isUnchanged("one more", since: ledger.now))
  }
}

@Suite struct StoreBacklogTests {
  @Test func `Those over a number go to memory, those over a size nowhere`() {
    var backlog = StoreBacklog()
    for _ in 0..<StoreBacklog.countLimit { #expect(backlog.add(10) == .wherever) }
    #expect(backlog.add(10) == .inMemoryIfItFits)
    backlog.remove(10)
    backlog.remove(10)
    #expect(backlog.add(10) == .wherever)
    #expect(backlog.add(StoreBacklog.byteLimit) == .nowhere)
    backlog.remove(StoreBacklog.byteLimit)
    #expect(backlog.bytes == 160)
  }

  @Test("No size does harm", arguments: [Int.max, Int.min, -1, 0]) func absurd(_ size: Int) {
    var backlog = StoreBacklog()
    for _ in 0..<100 { _ = backlog.add(size) }
    for _ in 0..<100 { backlog.remove(size) }
    #expect(backlog.bytes == 0 && backlog.count == 0)
    #expect(backlog.add(StoreBacklog.byteLimit + 1) == .wherever, "one alone may be large")
  }
}
