import AFSupport
import AFTransport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

private let noon: Double = 1_000_000_000

/// What follows where a response is kept: RFC 9111 §4.3 and RFC 5861 §4. Pure: no sockets.
@Suite struct FollowUpCacheTests {
  private func ledger(_ fields: [String], isValidating: Bool = true) throws -> HopLedger {
    var ledger = HopLedger()
    ledger.caching.stored = try storedResponse(fields, at: noon)
    ledger.caching.isValidating = isValidating
    ledger.caching.requested = noon + 10
    return ledger
  }

  /// Status, the answer's fields, whether the server was asked, what follows, and what becomes of the kept response.
  private static let answers: [(Int, [String], Bool, String, String)] = [
    // RFC 9111 §4.3.3: "304 ... the stored response is to be updated and reused".
    (304, ["ETag: \"a\""], true, "replay", "refresh"), (304, ["ETag: W/\"a\""], true, "replay", "refresh"),
    (304, [], true, "replay", "refresh"),
    // §4.3.4: it speaks of another response. The server is asked again as if there were none.
    (304, ["ETag: \"b\""], true, "again GET http://a/x", "none"),
    // It was not asked for.
    (304, ["ETag: \"a\""], false, "final", "none"),
    // "A full response indicates that none of the stored responses ... is suitable".
    (200, ["ETag: \"b\""], true, "final", "remove"), (200, [], false, "final", "remove"),
    (204, [], true, "final", "remove"), (206, [], true, "final", "remove"), (404, [], true, "final", "remove"),
    (410, [], true, "final", "remove"), (301, ["Location: /y"], true, "again GET http://a/y", "remove"),
    (302, ["Location: /y"], true, "again GET http://a/y", "remove"),
    // Errors say nothing of it.
    (400, [], true, "final", "none"), (403, [], true, "final", "none"), (412, [], true, "final", "none"),
    (429, [], true, "final", "none"), (501, [], true, "final", "none"),
    (401, ["WWW-Authenticate: Basic realm=r"], true, "ask credentials server basic", "none"),
    (401, [], true, "final", "none"),
  ]

  @Test(arguments: answers) func `a response to a request for which one is kept`(
    _ status: Int, _ fields: [String], _ wasAsked: Bool, _ expected: String, _ change: String
  ) throws {
    var ledger = try ledger(["ETag: \"a\"", "Cache-Control: max-age=0"], isValidating: wasAsked)
    var rules = FollowUp.Rules()
    rules.now = noon + 20
    rules.standIn = CacheControl()
    let request = HopRequest(url: "http://a/x", method: "GET")
    let followUp = FollowUp(responseHead(status, fields), to: request, &ledger, rules)
    #expect(spoken(followUp) == expected)
    switch ledger.caching.change {
    case nil: #expect(change == "none")
    case .remove: #expect(change == "remove")
    case .refresh: #expect(change == "refresh")
    }
    #expect((ledger.caching.replay != nil) == (expected == "replay"))
    #expect(ledger.caching.replay?.isConfirmed ?? true)
    #expect(ledger.caching.bypasses == (status == 304 && expected.hasPrefix("again")))
  }

  /// Status, the kept response's directives, the request's (nil: its policy allows nothing stale), its age, and what follows.
  private static let errors: [(Int, String, [String]?, Double, String)] = [
    (500, "max-age=0, stale-if-error=50", [], 50, "replay"), (502, "max-age=0, stale-if-error=50", [], 50, "replay"),
    (503, "max-age=0, stale-if-error=50", [], 50, "replay"), (504, "max-age=0, stale-if-error=50", [], 50, "replay"),
    (500, "max-age=0, stale-if-error=50", [], 51, "final"), (500, "max-age=0, stale-if-error=50", nil, 50, "final"),
    (500, "max-age=0", [], 1, "final"), (500, "max-age=0", ["stale-if-error=50"], 50, "replay"),
    (500, "max-age=0", ["stale-if-error=50"], 51, "final"), (501, "max-age=0, stale-if-error=50", [], 1, "final"),
    (505, "max-age=0, stale-if-error=50", [], 1, "final"), (404, "max-age=0, stale-if-error=50", [], 1, "final"),
    (503, "max-age=0, stale-if-error=50, must-revalidate", [], 1, "final"),
    (503, "no-cache, stale-if-error=50", [], 1, "final"), (429, "max-age=0, stale-if-error=50", [], 1, "final"),
  ]

  @Test(arguments: errors) func `RFC 5861 §4 what is stale stands in for an error`(
    _ status: Int, _ control: String, _ request: [String]?, _ age: Double, _ expected: String
  ) throws {
    var ledger = try ledger(["ETag: \"a\"", "Cache-Control: \(control)"])
    var rules = FollowUp.Rules()
    rules.now = noon + age
    rules.standIn = request.map { CacheControl($0) }
    let get = HopRequest(url: "http://a/x", method: "GET")
    #expect(spoken(FollowUp(responseHead(status), to: get, &ledger, rules)) == expected)
    #expect(ledger.caching.replay?.isConfirmed ?? false == false)
    // Out of the cache, it is the response itself.
    ledger.caching.isServing = true
    #expect(spoken(FollowUp(responseHead(status), to: get, &ledger, rules)) == "final")
  }

  @Test(arguments: [200, 204, 206, 400, 403, 404, 410, 500, 503]) func `most responses are not looked at`(
    _ status: Int
  ) throws {
    #expect(FollowUp.isFinal(status, HopLedger()))
    var ledger = try ledger([])
    #expect(!FollowUp.isFinal(status, ledger))
    ledger.caching.isServing = true
    #expect(FollowUp.isFinal(status, ledger))
  }

  @Test(arguments: [300, 301, 302, 303, 304, 307, 308, 401, 407]) func `these always are`(_ status: Int) {
    #expect(!FollowUp.isFinal(status, HopLedger()))
  }
}

/// What follows a hop that failed. Pure: no sockets.
@Suite struct FollowUpFailureTests {
  private static let peer = PeerTrust(host: "a", port: 443, chain: [])
  private static let next = HopRequest(url: "http://a/next", method: "GET")

  private func failure(_ kind: TransferFailure.Kind, curl: Int32 = 0, system: Int32 = 0, started: Bool = false)
    -> TransferFailure
  {
    var failure = TransferFailure(kind: kind, message: "It failed")
    failure.curlCode = curl
    failure.osError = system
    failure.responseStarted = started
    return failure
  }

  private static let kinds: [(TransferFailure.Kind, peer: Bool, silent: Bool, next: Bool, String)] = [
    (.trustUndecided, true, false, false, "ask trust"), (.trustUndecided, true, false, true, "ask trust"),
    (.trustUndecided, true, true, false, "final"), (.trustUndecided, false, false, false, "final"),
    (.identityUndecided, true, false, false, "ask identity"), (.identityUndecided, true, true, false, "final"),
    (.identityUndecided, false, false, false, "final"), (.trustRefused, true, false, false, "final"),
    (.identityRefused, true, false, false, "final"),
    // A redirect whose own body broke off is a redirect all the same.
    (.transport, false, false, true, "again GET http://a/next"),
    (.connectionLost, false, false, true, "again GET http://a/next"),
    (.idleTimeout, false, false, true, "again GET http://a/next"),
    (.badContent, false, false, true, "again GET http://a/next"),
    (.badFraming, false, false, true, "again GET http://a/next"), (.cancelled, false, false, true, "final"),
    (.transport, false, false, false, "final"), (.cancelled, false, false, false, "final"),
    (.idleTimeout, false, false, false, "final"), (.totalTimeout, false, false, false, "final"),
    (.body, false, false, false, "final"), (.bodyNotReplayable, false, false, false, "final"),
    (.tlsAlert, false, false, false, "final"), (.proxyAuthentication, false, false, false, "final"),
    (.proxyRefused, false, false, false, "final"), (.connectionLost, false, false, false, "final"),
    (.badRequest, false, false, false, "final"), (.noThread, false, false, false, "final"),
    (.badFraming, false, false, false, "final"), (.oversizedHead, false, false, false, "final"),
    (.badContent, false, false, false, "final"), (.oversizedBody, false, false, false, "final"),
    (.noMemory, false, false, false, "final"), (.unsuitableLibrary, false, false, false, "final"),
    (.refusedByHandler, false, false, false, "final"),
  ]

  @Test(arguments: kinds) func `a failure by its kind`(
    _ kind: TransferFailure.Kind, _ hasPeer: Bool, _ isSilent: Bool, _ hasNext: Bool, _ expected: String
  ) {
    var failure = failure(kind)
    if hasPeer { failure.peer = Self.peer }
    var rules = FollowUp.Rules()
    rules.asksAboutPeers = !isSilent
    var ledger = HopLedger()
    let request = HopRequest(url: "http://a/x", method: "GET")
    #expect(spoken(FollowUp(failure, of: request, next: hasNext ? Self.next : nil, &ledger, rules)) == expected)
  }

  @Test func `the app's own error is the task's`() {
    var ledger = HopLedger()
    let failure = TransferFailure(kind: .refusedByHandler, message: "", underlying: URLError(.badURL))
    let followUp = FollowUp(failure, of: HopRequest(url: "http://a/x", method: "GET"), next: nil, &ledger, .init())
    #expect(spoken(followUp) == "fail -1000")
  }

  /// libcurl's code, errno, whether requests are held, whether the body can be sent again, and what follows.
  private static let outages: [(Int32, Int32, Bool, Bool, String)] = [
    (6, 0, true, true, "ask network -1003"), (7, ENETUNREACH, true, true, "ask network -1004"),
    (7, EHOSTUNREACH, true, true, "ask network -1004"), (7, ENETDOWN, true, true, "ask network -1004"),
    (7, EADDRNOTAVAIL, true, true, "ask network -1004"), (7, ECONNREFUSED, true, true, "final"),
    (7, ETIMEDOUT, true, true, "final"), (7, 0, true, true, "final"), (28, 0, true, true, "final"),
    (56, ENETUNREACH, true, true, "final"), (6, 0, false, true, "final"), (7, ENETUNREACH, false, true, "final"),
    (6, 0, true, false, "final"), (7, ENETUNREACH, true, false, "final"),
  ]

  @Test(arguments: outages) func `a hop that never reached a network waits for one`(
    _ curl: Int32, _ system: Int32, _ holds: Bool, _ canBeSent: Bool, _ expected: String
  ) throws {
    var rules = FollowUp.Rules()
    rules.holdsUntilReachable = holds
    var ledger = HopLedger()
    var request = HopRequest(url: "http://a/x", method: "POST")
    request.body = try streamBody(isSpent: !canBeSent)
    let failure = failure(.transport, curl: curl, system: system)
    #expect(spoken(FollowUp(failure, of: request, next: nil, &ledger, rules)) == expected)
  }

  /// The kind, whether a byte of a response came, the proxy's status, and what follows where something stale may be used.
  private static let standIns: [(TransferFailure.Kind, Bool, Int?, String)] = [
    (.transport, false, nil, "replay"), (.connectionLost, false, nil, "replay"), (.idleTimeout, false, nil, "replay"),
    (.proxyRefused, false, nil, "replay"), (.proxyRefused, false, 503, "replay"), (.proxyRefused, false, 502, "replay"),
    (.proxyRefused, false, 403, "final"), (.transport, true, nil, "final"), (.connectionLost, true, nil, "final"),
    (.totalTimeout, false, nil, "final"), (.cancelled, false, nil, "final"), (.trustRefused, false, nil, "final"),
    (.badRequest, false, nil, "final"), (.tlsAlert, false, nil, "final"), (.oversizedHead, false, nil, "final"),
  ]

  @Test(arguments: standIns) func `RFC 5861 §4 what is stale stands in for a server that cannot be reached`(
    _ kind: TransferFailure.Kind, _ started: Bool, _ proxyStatus: Int?, _ expected: String
  ) throws {
    var failure = failure(kind, started: started)
    failure.proxyHead = proxyStatus.map { responseHead($0) }
    for (control, isAllowed) in [("max-age=0, stale-if-error=50", true), ("max-age=0", false)] {
      var ledger = HopLedger()
      ledger.caching.stored = try storedResponse(["Cache-Control: \(control)"], at: noon)
      var rules = FollowUp.Rules()
      rules.now = noon + 10
      rules.standIn = CacheControl()
      let request = HopRequest(url: "http://a/x", method: "GET")
      let followUp = FollowUp(failure, of: request, next: nil, &ledger, rules)
      #expect(spoken(followUp) == (isAllowed ? expected : "final"))
    }
  }

  /// The proxy's answer to CONNECT, the URL's scheme, and what follows.
  private static let tunnels: [(Int, String, ProxyRoute, String)] = [
    (
      407, "Proxy-Authenticate: Basic realm=r", .proxy(url: "http://p", user: nil, password: nil),
      "ask credentials proxy basic"
    ),
    (
      407, "Proxy-Authenticate: Negotiate", .proxy(url: "http://p", user: nil, password: nil),
      "ask credentials proxy negotiate"
    ),
    (407, "Proxy-Authenticate: Hawk", .proxy(url: "http://p", user: nil, password: nil), "final"),
    (407, "X: y", .proxy(url: "http://p", user: nil, password: nil), "final"),
    (407, "Proxy-Authenticate: Basic realm=r", .direct, "final"),
  ]

  @Test(arguments: tunnels) func `a proxy that makes no tunnel without credentials`(
    _ status: Int, _ field: String, _ proxy: ProxyRoute, _ expected: String
  ) {
    var failure = failure(.proxyAuthentication)
    failure.proxyHead = responseHead(status, [field])
    var rules = FollowUp.Rules()
    rules.proxy = proxy
    var ledger = HopLedger()
    let request = HopRequest(url: "https://a/x", method: "GET")
    #expect(spoken(FollowUp(failure, of: request, next: nil, &ledger, rules)) == expected)
  }
}
