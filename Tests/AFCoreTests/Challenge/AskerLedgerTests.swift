import AFSupport
import Foundation
import Testing

@testable import AFCore

/// What follows a challenge, without sockets: F22, F23, and what is remembered.
@Suite struct AskerLedgerTests {
  private func offers(_ field: String) -> [AuthenticationOffer] {
    AuthenticationOffer.all(in: ChallengeParser.challenges(in: [Array(field.utf8)]))
  }

  private func answer(_ offer: AuthenticationOffer, _ user: String) throws -> AuthenticationAnswer {
    try #require(AuthenticationAnswer(offer, Login(user: user, password: "p"), .storage, paths: .all))
  }

  /// The hop carries the answer, and the asker asks again with `field`.
  private func refuse(
    _ ledger: inout AskerLedger, _ offer: AuthenticationOffer, _ user: String, isEarly: Bool = false, _ field: String
  ) throws -> AskerLedger.Step {
    var carried = AskerLedger.Carried(answer: try answer(offer, user), isEarly: isEarly)
    carried.digest = carried.answer.digest?.answer(.init(method: "GET", target: "/"))
    ledger.carried = carried
    return ledger.challenged(by: offers(field))
  }

  @Test func `F23 each refusal counts, in its space alone, and ten are the end`() throws {
    var ledger = AskerLedger()
    let basic = offers("Basic realm=a")[0]
    #expect(ledger.challenged(by: [basic]) == .ask(basic))
    for count in 1...9 {
      #expect(try refuse(&ledger, basic, "u\(count)", "Basic realm=a") == .ask(basic))
      #expect(ledger.failureCount(basic.space) == count)
    }
    #expect(ledger.failureCount(offers("Basic realm=b")[0].space) == 0)
    #expect(try refuse(&ledger, basic, "u", "Basic realm=a") == .end)
    // A realm that changes with each answer is no way around it.
    #expect(ledger.challenged(by: offers("Basic realm=c")) == .end)
  }

  @Test func `a challenge to a request that carried nothing counts for nothing`() {
    var ledger = AskerLedger()
    let basic = offers("Basic realm=a")[0]
    for _ in 0..<64 { #expect(ledger.challenged(by: [basic]) == .ask(basic)) }
    #expect(ledger.failureCount(basic.space) == 0)
    #expect(ledger.challenged(by: [basic]) == .end)
  }

  @Test func `what was remembered and is refused counts for nothing either`() throws {
    var ledger = AskerLedger()
    let basic = offers("Basic realm=a")[0]
    #expect(try refuse(&ledger, basic, "u", isEarly: true, "Basic realm=a") == .ask(basic))
    #expect(ledger.failureCount(basic.space) == 0)
    #expect(ledger.mayTry(Login(user: "u", password: "p"), for: basic))
  }

  @Test func `F22 the next weaker offer, once one is closed or Negotiate failed`() throws {
    var ledger = AskerLedger()
    let field = "Negotiate, NTLM, Basic realm=a"
    let all = offers(field)
    #expect(ledger.challenged(by: all) == .ask(all[0]))
    #expect(try refuse(&ledger, all[0], "u", field) == .ask(all[1]))
    ledger.close(all[1].space)
    #expect(ledger.next(of: all) == all[2])
    ledger.close(all[2].space)
    #expect(ledger.next(of: all) == nil)
    #expect(ledger.challenged(by: all) == .end)
  }

  @Test(arguments: [
    ("Digest realm=r, nonce=m, stale=true", true), ("Digest realm=r, nonce=m, stale=TRUE", true),
    ("Digest realm=r, nonce=m, stale=\"true\"", true), ("Digest realm=r, nonce=m, stale=false", false),
    ("Digest realm=r, nonce=m", false), ("Digest realm=r, nonce=m, stale=yes", false),
    // The nonce that has just been called stale; another realm; none of Digest.
    ("Digest realm=r, nonce=n, stale=true", false), ("Digest realm=s, nonce=m, stale=true", false),
    ("Basic realm=r", false), ("Basic realm=r, Digest realm=r, nonce=m, stale=true", true),
  ])
  func `a stale nonce is replaced without a question`(field: String, isStale: Bool) throws {
    for isEarly in [false, true] {
      var ledger = AskerLedger()
      let digest = offers("Digest realm=r, nonce=n")[0]
      let step = try refuse(&ledger, digest, "u", isEarly: isEarly, field)
      if isStale {
        let offer = try #require(offers(field).first { $0.digest != nil })
        #expect(step == .again(offer, Login(user: "u", password: "p")))
        #expect(ledger.failureCount(digest.space) == 0)
      } else {
        #expect(step == .ask(offers(field)[0]))
        #expect(ledger.failureCount(digest.space) == (isEarly ? 0 : 1))
      }
    }
  }

  @Test func `a server that calls every nonce stale is believed three times`() throws {
    var ledger = AskerLedger()
    var steps: [Bool] = []
    for number in 0..<5 {
      let step = try refuse(
        &ledger, offers("Digest realm=r, nonce=\(number)")[0], "u", "Digest realm=r, nonce=\(number + 1), stale=true")
      if case .again = step { steps.append(true) } else { steps.append(false) }
    }
    #expect(steps == [true, true, true, false, false])
  }

  @Test func `what is accepted is worth remembering once`() throws {
    var ledger = AskerLedger()
    let basic = offers("Basic realm=a")[0]
    #expect(ledger.accepted()?.login == nil)
    ledger.carried = AskerLedger.Carried(answer: try answer(basic, "u"), isEarly: false)
    #expect(ledger.accepted()?.login.user == "u")
    #expect(ledger.accepted()?.login == nil)
    ledger.carried = AskerLedger.Carried(answer: try answer(basic, "u"), isEarly: true)
    #expect(ledger.accepted()?.login == nil)
  }

  @Test func `no login that a stronger scheme refused is tried in the clear, unless whoever is asked says so`() throws {
    var ledger = AskerLedger()
    let field = "Digest realm=r, nonce=n, Basic realm=r"
    let all = offers(field)
    let (same, other) = (Login(user: "u", password: "p"), Login(user: "v", password: "p"))
    #expect(try refuse(&ledger, all[0], "u", field) == .ask(all[0]))
    #expect(!ledger.mayTry(same, for: all[1]))
    #expect(ledger.mayTry(other, for: all[1]))
    #expect(!ledger.mayTry(other, for: all[0]))
  }

  @Test func `an answer that cannot be computed is not tried for ever`() throws {
    var ledger = AskerLedger()
    let digest = offers("Digest realm=r, nonce=n, qop=auth-int")[0]
    ledger.carried = AskerLedger.Carried(answer: try answer(digest, "u"), isEarly: false)
    ledger.note(nil)
    #expect(ledger.carried == nil)
    #expect(ledger.challenged(by: [digest]) == .end)
  }

  // MARK: Where it may be sent unasked

  private let origin = Origin("http://a.example/")

  @Test(arguments: [
    // RFC 7617 §2.2, with its own example.
    ("Basic realm=x", "/docs/index.html", "/docs/", true),
    ("Basic realm=x", "/docs/index.html", "/docs/test.doc", true),
    ("Basic realm=x", "/docs/index.html", "/docs/a/b", true), ("Basic realm=x", "/docs/index.html", "/docs", false),
    ("Basic realm=x", "/docs/index.html", "/", false), ("Basic realm=x", "/docs/index.html", "/docsets/a", false),
    ("Basic realm=x", "/docs/index.html", "/Docs/a", false), ("Basic realm=x", "/docs/", "/docs/a", true),
    ("Basic realm=x", "/docs", "/docs", true), ("Basic realm=x", "/docs", "/anything", true),
    ("Basic realm=x", "/", "/", true), ("Basic realm=x", "/", "/a/b", true),
    ("Basic realm=x", "/docs/a", "/docs/../secret", false), ("Basic realm=x", "/docs/a", "/docs/%2E%2e/secret", false),
    ("Basic realm=x", "/docs/a", "/docs/.%2e", false), ("Basic realm=x", "/docs/a", "/docs/./b", false),
    ("Basic realm=x", "/docs/a", "/docs/.well-known", true), ("Basic realm=x", "/docs/a", "/docs/a..b", true),
    // RFC 7616 §3.3, domain.
    ("Digest realm=x, nonce=n", "/docs/a", "/", true), ("Digest realm=x, nonce=n", "/docs/a", "/other", true),
    ("Digest realm=x, nonce=n, domain=\"\"", "/docs/a", "/other", true),
    ("Digest realm=x, nonce=n, domain=\"/docs\"", "/docs/a", "/docs/b", true),
    ("Digest realm=x, nonce=n, domain=\"/docs\"", "/docs/a", "/docsets", true),
    ("Digest realm=x, nonce=n, domain=\"/docs\"", "/docs/a", "/other", false),
    ("Digest realm=x, nonce=n, domain=\"/docs /other\"", "/docs/a", "/other", true),
    ("Digest realm=x, nonce=n, domain=\"http://a.example/x/\"", "/docs/a", "/x/y", true),
    ("Digest realm=x, nonce=n, domain=\"http://a.example:80/x/\"", "/docs/a", "/x/y", true),
    ("Digest realm=x, nonce=n, domain=\"http://b.example/x/\"", "/docs/a", "/x/y", false),
    ("Digest realm=x, nonce=n, domain=\"https://a.example/x/\"", "/docs/a", "/x/y", false),
    ("Digest realm=x, nonce=n, domain=\"//b.example/\"", "/docs/a", "/other", false),
    ("Digest realm=x, nonce=n, domain=\"http://b.example/\"", "/docs/a", "/docs/a", true),
    ("Digest realm=x, nonce=n, domain=\"relative/\"", "/docs/a", "/docs/a", true),
  ])
  func `paths that are answered before they ask`(field: String, asked: String, path: String, isInside: Bool) throws {
    let offer = try #require(offers(field).first)
    let paths = ProtectedPaths(offer, for: asked, of: origin)
    #expect((paths.match(path) != nil) == isInside)
    // Who was asked about a path answers there, whatever it looks like.
    #expect(ProtectedPaths(offer, for: path, of: origin).hold(path))
  }

  @Test func `the memory knows the nearest space, grows no further than its limits, and forgets`() throws {
    let memory = AuthenticationMemory()
    let asker = Asker.server(try #require(origin))
    func remember(_ field: String, _ path: String, _ user: String, _ asker: Asker) throws {
      let offer = try #require(offers(field).first)
      let paths = ProtectedPaths(offer, for: path, of: origin)
      memory.remember(
        try #require(AuthenticationAnswer(offer, Login(user: user, password: "p"), .storage, paths: paths)), for: asker)
    }
    #expect(memory.isEmpty)
    try remember("Basic realm=outer", "/a", "outer", asker)
    try remember("Basic realm=inner", "/in/a", "inner", asker)
    func user(_ path: String) -> String? { memory.answer(to: asker, path: path)?.login.user }
    #expect(user("/x") == "outer" && user("/in/x") == "inner")
    // The same realm elsewhere: one space, both places.
    try remember("Basic realm=inner", "/also/a", "inner", asker)
    #expect(user("/also/x") == "inner" && user("/in/x") == "inner")
    // Other credentials: the old place is forgotten with them.
    try remember("Basic realm=inner", "/also/a", "new", asker)
    #expect(user("/also/x") == "new" && user("/in/x") == "outer")
    let space = AuthenticationOffer.Space(scheme: .basic, realm: "inner")
    memory.forget(Login(user: "inner", password: "p"), in: space, of: asker)
    #expect(user("/also/x") == "new")
    memory.forget(Login(user: "new", password: "p"), in: space, of: asker)
    #expect(user("/also/x") == "outer")
    for number in 0..<40 { try remember("Basic realm=r\(number)", "/r\(number)/a", "u", asker) }
    #expect(user("/r39/x") == "u" && user("/r0/x") == nil)
    for number in 0..<300 { try remember("Basic realm=r", "/a", "u", .proxy(url: "http://p\(number)")) }
    #expect(user("/r39/x") == nil)
    #expect(memory.answer(to: .proxy(url: "http://p299"), path: "/") != nil)
  }

  // MARK: The target that Digest names

  @Test(arguments: [
    ("http://a.example/x?y=z", "/x?y=z", "http://a.example/x?y=z", "a.example:80"),
    ("http://a.example", "/", "http://a.example/", "a.example:80"),
    ("http://a.example?q", "/?q", "http://a.example/?q", "a.example:80"),
    ("http://a.example/?", "/?", "http://a.example/?", "a.example:80"),
    ("http://a.example/a#f?g", "/a", "http://a.example/a", "a.example:80"),
    ("http://u:p@a.example:8080/a", "/a", "http://a.example:8080/a", "a.example:8080"),
    ("http://a.example:80/a", "/a", "http://a.example/a", "a.example:80"),
    ("https://a.example/a", "/a", "https://a.example/a", "a.example:443"),
    ("https://[::1]:8443/a", "/a", "https://[::1]:8443/a", "[::1]:8443"),
    ("https://[::1]/", "/", "https://[::1]/", "[::1]:443"),
    ("HTTP://A.example/%41/../b", "/%41/../b", "http://A.example/%41/../b", "A.example:80"),
    ("http://a.example/x?u=http://b/?c#d", "/x?u=http://b/?c", "http://a.example/x?u=http://b/?c", "a.example:80"),
  ])
  func `the request's target in its three forms`(url: String, origin: String, absolute: String, authority: String) {
    #expect(RequestTarget.origin(url) == origin)
    #expect(RequestTarget.absolute(url) == absolute)
    #expect(RequestTarget.authority(url) == authority)
  }
}
