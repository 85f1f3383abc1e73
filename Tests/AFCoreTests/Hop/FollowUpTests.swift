import AFSupport
import AFTransport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// What follows a response: RFC 9110 §11 and §15, RFC 9111 §4.3, RFC 5861, and AFNetworking's rules. Pure: no sockets.
@Suite struct FollowUpTests {
  // MARK: Redirects

  /// Status, method, Location, and what follows `http://a/x`.
  private static let redirects: [(Int, String, String?, String)] = [
    // RFC 9110 §15.4.9, §15.4.8: the method stays.
    (307, "GET", "/y", "again GET http://a/y"), (307, "POST", "/y", "again POST http://a/y"),
    (307, "PUT", "/y", "again PUT http://a/y"), (307, "HEAD", "/y", "again HEAD http://a/y"),
    (308, "GET", "/y", "again GET http://a/y"), (308, "POST", "/y", "again POST http://a/y"),
    (308, "DELETE", "/y", "again DELETE http://a/y"), (308, "PATCH", "/y", "again PATCH http://a/y"),
    // §15.4.4: a GET, unless it was a HEAD.
    (303, "GET", "/y", "again GET http://a/y"), (303, "POST", "/y", "again GET http://a/y"),
    (303, "PUT", "/y", "again GET http://a/y"), (303, "DELETE", "/y", "again GET http://a/y"),
    (303, "HEAD", "/y", "again HEAD http://a/y"),
    // §15.4.2, §15.4.3: "for historical reasons" a POST becomes a GET.
    (301, "GET", "/y", "again GET http://a/y"), (301, "POST", "/y", "again GET http://a/y"),
    (301, "PUT", "/y", "again PUT http://a/y"), (301, "HEAD", "/y", "again HEAD http://a/y"),
    (302, "GET", "/y", "again GET http://a/y"), (302, "POST", "/y", "again GET http://a/y"),
    (302, "PUT", "/y", "again PUT http://a/y"), (302, "DELETE", "/y", "again DELETE http://a/y"),
    // Not followed: no target, not http, or no redirect.
    (301, "GET", nil, "final"), (302, "GET", nil, "final"), (303, "POST", nil, "final"), (307, "GET", nil, "final"),
    (308, "GET", nil, "final"), (302, "GET", "ftp://a/y", "final"), (302, "GET", "file:///etc/passwd", "final"),
    (302, "GET", "javascript:alert(1)", "final"), (302, "GET", "data:text/plain,x", "final"),
    (300, "GET", "/y", "final"), (304, "GET", "/y", "final"), (305, "GET", "/y", "final"), (306, "GET", "/y", "final"),
    (309, "GET", "/y", "final"), (399, "GET", "/y", "final"), (200, "GET", "/y", "final"), (201, "POST", "/y", "final"),
    (202, "POST", "/y", "final"), (400, "GET", "/y", "final"), (404, "GET", "/y", "final"), (500, "GET", "/y", "final"),
    (503, "GET", "/y", "final"),
    // Where they lead.
    (302, "GET", "http://b/y", "again GET http://b/y"), (302, "GET", "//b/y", "again GET http://b/y"),
    (302, "GET", "https://a/y", "again GET https://a/y"), (302, "GET", "?q", "again GET http://a/x?q"),
    (302, "GET", "y", "again GET http://a/y"), (302, "GET", "../y", "again GET http://a/y"),
  ]

  @Test(arguments: redirects) func `a redirect by status, method and target`(
    _ status: Int, _ method: String, _ location: String?, _ expected: String
  ) {
    let head = responseHead(status, location.map { ["Location: \($0)"] } ?? [])
    let request = HopRequest(url: "http://a/x", method: method)
    var ledger = HopLedger()
    #expect(spoken(FollowUp(head, to: request, &ledger, .init())) == expected)
    #expect(ledger.redirects == (expected == "final" ? 0 : 1))
    // The app is asked about exactly those that would be followed.
    var asking = FollowUp.Rules()
    asking.asksAboutRedirects = true
    ledger = HopLedger()
    let asked = expected == "final" ? expected : expected.replacing("again", with: "ask redirect")
    #expect(spoken(FollowUp(head, to: request, &ledger, asking)) == asked)
  }

  /// Redirects so far, how many there were when the chain began, and what follows the next.
  private static let counts: [(Int, Int, String)] = [
    (0, 0, "again GET http://a/y"), (1, 0, "again GET http://a/y"), (19, 0, "again GET http://a/y"),
    (20, 0, "fail -1007"), (21, 0, "fail -1007"), (20, 1, "again GET http://a/y"), (39, 20, "again GET http://a/y"),
    (40, 20, "fail -1007"), (Int.max - 1, 0, "fail -1007"),
  ]

  @Test(arguments: counts) func `more than twenty redirects, one after another, are a loop`(
    _ redirects: Int, _ first: Int, _ expected: String
  ) {
    var ledger = HopLedger()
    ledger.redirects = redirects
    ledger.firstRedirect = first
    let head = responseHead(302, ["Location: /y"])
    for asks in [false, true] {
      var rules = FollowUp.Rules()
      rules.asksAboutRedirects = asks
      var copy = ledger
      let followUp = FollowUp(head, to: HopRequest(url: "http://a/x", method: "GET"), &copy, rules)
      #expect(spoken(followUp) == (asks ? expected.replacing("again", with: "ask redirect") : expected))
    }
  }

  /// From, to, the hosts that are pinned (nil: it does not matter), and what follows.
  private static let pins: [(String, String, [String]?, String)] = [
    ("https://a/x", "http://a/y", ["a"], "fail -1022"), ("https://a/x", "http://b/y", ["a"], "fail -1022"),
    ("https://a/x", "http://b/y", ["b"], "fail -1022"), ("https://a/x", "http://b/y", ["c"], "again GET http://b/y"),
    ("https://a/x", "http://b/y", [], "again GET http://b/y"),
    ("https://a/x", "http://b/y", nil, "again GET http://b/y"),
    ("https://a/x", "https://b/y", ["a", "b"], "again GET https://b/y"),
    ("http://a/x", "http://b/y", ["a", "b"], "again GET http://b/y"),
    ("http://a/x", "https://a/y", ["a"], "again GET https://a/y"),
    ("https://A/x", "http://a/y", ["a"], "fail -1022"), ("https://a:8443/x", "http://a/y", ["a"], "fail -1022"),
    ("https://u:p@a/x", "http://a/y", ["a"], "fail -1022"),
  ]

  @Test(arguments: pins) func `a redirect in clear fails where the policy pins, also if the app lets it pass`(
    _ from: String, _ to: String, _ hosts: [String]?, _ expected: String
  ) {
    var rules = FollowUp.Rules()
    if let hosts { rules.pins = { hosts.contains($0) } }
    var ledger = HopLedger()
    let request = HopRequest(url: from, method: "GET")
    #expect(spoken(FollowUp(responseHead(302, ["Location: \(to)"]), to: request, &ledger, rules)) == expected)
    #expect(spoken(FollowUp.redirected(from: from, to: HopRequest(url: to, method: "GET"), rules)) == expected)
  }

  /// Status, method, whether the stream has been read, whether the app provides streams, and what follows.
  private static let streams: [(Int, String, Bool, Bool, String)] = [
    (307, "POST", false, false, "again POST http://a/y"), (307, "POST", false, true, "again POST http://a/y"),
    (307, "POST", true, false, "fail -1021"), (307, "POST", true, true, "ask stream POST http://a/y"),
    (308, "PUT", true, false, "fail -1021"), (308, "PUT", true, true, "ask stream PUT http://a/y"),
    (301, "PUT", true, false, "fail -1021"), (302, "PUT", true, true, "ask stream PUT http://a/y"),
    // The body is left behind, read or not.
    (303, "POST", true, false, "again GET http://a/y"), (303, "PUT", true, true, "again GET http://a/y"),
    (301, "POST", true, false, "again GET http://a/y"), (302, "POST", true, true, "again GET http://a/y"),
    // What a refused token or a challenge has to send again.
    (401, "POST", false, false, "again POST http://a/x"), (401, "POST", true, false, "fail -1021"),
    (401, "POST", true, true, "ask stream POST http://a/x"),
  ]

  @Test(arguments: streams) func `a stream that has been read is asked for anew, or the task fails`(
    _ status: Int, _ method: String, _ isSpent: Bool, _ asks: Bool, _ expected: String
  ) throws {
    var request = HopRequest(url: "http://a/x", method: method)
    request.body = try streamBody(isSpent: isSpent)
    var rules = FollowUp.Rules()
    rules.asksForStreams = asks
    var ledger = HopLedger()
    if status == 401 { ledger.token.sent = BearerCore.Stamp(generation: 1, epoch: 0) }
    #expect(spoken(FollowUp(responseHead(status, ["Location: /y"]), to: request, &ledger, rules)) == expected)
  }

  @Test func `a redirect to another origin leaves credentials behind, and so does what follows it`() throws {
    var ledger = HopLedger()
    var request = HopRequest(url: "http://a/x", method: "GET")
    request.set("Authorization", "Basic Zm9v")
    let followUp = FollowUp(responseHead(302, ["Location: http://b/"]), to: request, &ledger, .init())
    guard case .again(let next) = followUp else { throw URLError(.unknown) }
    #expect(next.value("Authorization") == nil)
    #expect(!next.keepsCredentials)
  }

  // MARK: A refused token

  /// Refusals so far, whether the task has waited for a refresh, whether the token has been replaced meanwhile, and what follows.
  private static let tokens: [(Int, Bool, Bool, String)] = [
    (0, false, false, "again GET http://a/x"), (0, false, true, "again GET http://a/x"), (0, true, false, "refuse"),
    (0, true, true, "again GET http://a/x"), (1, false, false, "again GET http://a/x"),
    (1, false, true, "again GET http://a/x"), (1, true, false, "refuse"), (1, true, true, "again GET http://a/x"),
    (2, false, false, "refuse"), (2, false, true, "refuse"), (2, true, false, "refuse"), (2, true, true, "refuse"),
    (3, false, false, "refuse"),
  ]

  @Test(arguments: tokens) func `a 401 to the token is answered with a newer one, three times at most`(
    _ refusals: Int, _ hasWaited: Bool, _ isReplaced: Bool, _ expected: String
  ) {
    let stamp = BearerCore.Stamp(generation: 4, epoch: 2)
    var ledger = HopLedger()
    ledger.token = TokenLedger(sent: stamp, refusals: refusals, hasWaited: hasWaited)
    var rules = FollowUp.Rules()
    rules.isTokenReplaced = isReplaced
    // Whatever else the response says, nothing else is asked about it.
    let head = responseHead(401, ["WWW-Authenticate: Basic realm=a"])
    let followUp = FollowUp(head, to: HopRequest(url: "http://a/x", method: "GET"), &ledger, rules)
    #expect(spoken(followUp) == expected)
    #expect(ledger.token.refusals == refusals + 1)
    #expect(ledger.token.refused == (expected == "refuse" ? nil : stamp))
    #expect(ledger.authentication.isEmpty)
  }

  @Test(arguments: [200, 204, 302, 400, 403, 404, 407, 500]) func `another status says nothing about the token`(
    _ status: Int
  ) {
    var ledger = HopLedger()
    ledger.token.sent = BearerCore.Stamp(generation: 1, epoch: 0)
    let followUp = FollowUp(responseHead(status), to: HopRequest(url: "http://a/x", method: "GET"), &ledger, .init())
    #expect(spoken(followUp) == "final")
    #expect(ledger.token.refusals == 0)
  }

  // MARK: Challenges

  private static let proxy = ProxyRoute.proxy(url: "http://p:8080", user: nil, password: nil)

  /// Status, URL, proxy, the field, and what follows.
  private static let challenges: [(Int, String, ProxyRoute, String, String)] = [
    (401, "http://a/x", .direct, "WWW-Authenticate: Basic realm=r", "ask credentials server basic"),
    (401, "https://a/x", .direct, "WWW-Authenticate: Basic realm=r", "ask credentials server basic"),
    (401, "http://a/x", proxy, "WWW-Authenticate: Basic realm=r", "ask credentials server basic"),
    (401, "http://a/x", .direct, "www-authenticate: BASIC realm=\"r\"", "ask credentials server basic"),
    // The strongest first (RFC 9110 §11.6.1).
    (401, "http://a/x", .direct, "WWW-Authenticate: Basic realm=r, NTLM", "ask credentials server ntlm"),
    (401, "http://a/x", .direct, "WWW-Authenticate: NTLM, Negotiate", "ask credentials server negotiate"),
    (
      401, "http://a/x", .direct, "WWW-Authenticate: Basic realm=r, Digest realm=\"r\", nonce=\"n\", qop=\"auth\"",
      "ask credentials server digest"
    ),
    // Nothing that the package can do, or nothing at all: the response is the result.
    (401, "http://a/x", .direct, "WWW-Authenticate: Hawk", "final"), (401, "http://a/x", .direct, "X: y", "final"),
    (401, "http://a/x", .direct, "WWW-Authenticate: Bearer realm=r", "final"),
    (401, "http://a/x", .direct, "Proxy-Authenticate: Basic realm=r", "final"),
    (401, "http://a/x", .direct, "WWW-Authenticate:", "final"),
    (
      401, "http://a/x", .direct, "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", algorithm=SHA3",
      "final"
    ),
    // Other statuses ask for nothing.
    (200, "http://a/x", .direct, "WWW-Authenticate: Basic realm=r", "final"),
    (403, "http://a/x", .direct, "WWW-Authenticate: Basic realm=r", "final"),
    (404, "http://a/x", proxy, "Proxy-Authenticate: Basic realm=r", "final"),
    (402, "http://a/x", .direct, "WWW-Authenticate: Basic realm=r", "final"),
    // A proxy's (RFC 9110 §11.7.1).
    (407, "http://a/x", proxy, "Proxy-Authenticate: Basic realm=r", "ask credentials proxy basic"),
    (407, "http://a/x", proxy, "Proxy-Authenticate: Negotiate", "ask credentials proxy negotiate"),
    (407, "http://a/x", proxy, "WWW-Authenticate: Basic realm=r", "final"),
    // From a proxy that is not there, or one that speaks SOCKS; and through a tunnel, where the server has no say about the proxy.
    (407, "http://a/x", .direct, "Proxy-Authenticate: Basic realm=r", "final"),
    (
      407, "http://a/x", .proxy(url: "socks5://p", user: nil, password: nil), "Proxy-Authenticate: Basic realm=r",
      "final"
    ),
    (407, "https://a/x", proxy, "Proxy-Authenticate: Basic realm=r", "final"),
    (407, "HTTPS://a/x", proxy, "Proxy-Authenticate: Basic realm=r", "final"),
  ]

  @Test(arguments: challenges) func `a challenge by status, way and scheme`(
    _ status: Int, _ url: String, _ proxy: ProxyRoute, _ field: String, _ expected: String
  ) {
    var ledger = HopLedger()
    var rules = FollowUp.Rules()
    rules.proxy = proxy
    let request = HopRequest(url: url, method: "GET")
    #expect(spoken(FollowUp(responseHead(status, [field]), to: request, &ledger, rules)) == expected)
    // A response out of the cache asks for nothing.
    ledger = HopLedger()
    ledger.caching.isServing = true
    #expect(spoken(FollowUp(responseHead(status, [field]), to: request, &ledger, rules)) == "final")
  }

  private func carrying(_ field: String, refusals: Int, isEarly: Bool = false) throws -> (HopLedger, Asker) {
    let offer = try #require(AuthenticationOffer.all(in: ChallengeParser.challenges(in: [Array(field.utf8)])).first)
    let asker = Asker.server(try #require(Origin("http://a/")))
    let answer = try #require(AuthenticationAnswer(offer, Login(user: "u", password: "p"), .storage, paths: .all))
    var ledger = HopLedger()
    ledger.with(asker) { ledger in
      for _ in 0..<refusals { ledger.refuse(Login(user: "u", password: "p"), in: offer.space) }
      ledger.chosen = answer
      ledger.carried = AskerLedger.Carried(answer: answer, isEarly: isEarly)
      ledger.carried?.digest = answer.digest?.answer(.init(method: "GET", target: "/x"))
    }
    return (ledger, asker)
  }

  /// What the hop carried, how often that was refused before, the challenge, and what follows.
  private static let refused: [(String, Int, String, String)] = [
    ("Basic realm=r", 0, "Basic realm=r", "ask credentials server basic"),
    ("Basic realm=r", 8, "Basic realm=r", "ask credentials server basic"),
    // Ten refusals are the end.
    ("Basic realm=r", 9, "Basic realm=r", "final"), ("Basic realm=r", 10, "Basic realm=r", "final"),
    ("Basic realm=r", 9, "Basic realm=s", "final"),
    ("Digest realm=\"r\", nonce=\"n\"", 0, "Digest realm=\"r\", nonce=\"m\"", "ask credentials server digest"),
    // RFC 7616 §3.3: the login was good, the nonce too old.
    ("Digest realm=\"r\", nonce=\"n\"", 0, "Digest realm=\"r\", nonce=\"m\", stale=true", "again GET http://a/x"),
    (
      "Digest realm=\"r\", nonce=\"n\"", 0, "Digest realm=\"r\", nonce=\"n\", stale=true",
      "ask credentials server digest"
    ),
    (
      "Digest realm=\"r\", nonce=\"n\"", 0, "Digest realm=\"s\", nonce=\"m\", stale=true",
      "ask credentials server digest"
    ),
  ]

  @Test(arguments: refused) func `a challenge to what the hop carried`(
    _ carried: String, _ refusals: Int, _ challenge: String, _ expected: String
  ) throws {
    var (ledger, asker) = try carrying(carried, refusals: refusals)
    let head = responseHead(401, ["WWW-Authenticate: \(challenge)"])
    var request = HopRequest(url: "http://a/x", method: "GET")
    request.set("Authorization", "what the caller set")
    let followUp = FollowUp(head, to: request, &ledger, .init())
    #expect(spoken(followUp) == expected)
    if case .again(let next) = followUp {
      #expect(ledger.refused == nil)
      #expect(ledger.authentication[asker]?.chosen != nil)
      #expect(next.value("Authorization") == nil)
    } else {
      // The session forgets it, so that no other request sends it.
      #expect(ledger.refused?.asker == asker)
      #expect(ledger.refused?.answer.login == Login(user: "u", password: "p"))
    }
  }
}
