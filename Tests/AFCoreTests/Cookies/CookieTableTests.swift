import Testing

@testable import AFCore

private let now: Double = 1_000_000_000

/// A table that is filled as servers would do it.
private struct Scene {
  var table = CookieTable()
  var clock = now

  /// Takes in `field` from `url`; nil if it is refused.
  @discardableResult
  mutating func set(_ field: String, _ url: String) throws -> CookieTable.Change? {
    let from = try #require(CookieURL(url))
    guard let parsed = try? SetCookie(ArraySlice(Array(field.utf8))),
      let cookie = try? Cookie(parsed, from: from, at: clock)
    else { return nil }
    return try? table.store(cookie, from: from, at: clock)
  }

  /// The Cookie field of a request.
  mutating func sent(_ url: String) throws -> String {
    let target = try #require(CookieURL(url))
    return table.cookies(for: target, at: clock).map(\.pair).joined(separator: "; ")
  }
}

@Suite struct CookieTableTests {
  @Test(
    arguments: [
      // Hosts (§5.1.3).
      ("http://example.org/", "a=b", "http://example.org/", true),
      ("http://example.org/", "a=b", "http://EXAMPLE.org:81/", true),
      ("http://example.org/", "a=b", "http://www.example.org/", false),
      ("http://www.example.org/", "a=b", "http://example.org/", false),
      ("http://www.example.org/", "a=b; Domain=example.org", "http://example.org/", true),
      ("http://www.example.org/", "a=b; Domain=example.org", "http://x.y.example.org/", true),
      ("http://www.example.org/", "a=b; Domain=example.org", "http://badexample.org/", false),
      ("http://www.example.org/", "a=b; Domain=example.org", "http://example.org.evil.com/", false),
      ("http://www.example.org/", "a=b; Domain=example.org", "http://org/", false),
      ("http://www.example.org/", "a=b; Domain=www.example.org", "http://example.org/", false),
      ("http://me.github.io/", "a=b; Domain=me.github.io", "http://you.github.io/", false),
      ("http://github.io/", "a=b; Domain=github.io", "http://you.github.io/", false),
      ("http://127.0.0.1/", "a=b", "http://127.0.0.1:8080/", true),
      ("http://127.0.0.1/", "a=b", "http://127.0.0.2/", false),
      ("http://0.0.1/", "a=b", "http://127.0.0.1/", false), ("http://[::1]/", "a=b", "http://[::1]:81/", true),
      ("http://localhost/", "a=b", "http://localhost:81/", true),
      ("http://localhost/", "a=b", "http://a.localhost/", false),
      ("http://example.org./", "a=b", "http://example.org/", false),
      ("http://example.org/", "a=b", "http://example.org./", false),
      // Paths (§5.1.4). F03, B85.
      ("http://h/", "a=b; Path=/private", "http://h/private", true),
      ("http://h/", "a=b; Path=/private", "http://h/private/", true),
      ("http://h/", "a=b; Path=/private", "http://h/private/x", true),
      ("http://h/", "a=b; Path=/private", "http://h/privatex", false),
      ("http://h/", "a=b; Path=/private", "http://h/", false),
      ("http://h/", "a=b; Path=/private", "http://h/public", false),
      ("http://h/", "a=b; Path=/private", "http://h/Private", false),
      ("http://h/", "a=b; Path=/private", "http://h/private?x", true),
      ("http://h/", "a=b; Path=/private", "http://h/?/private", false),
      ("http://h/", "a=b; Path=/private/", "http://h/private", false),
      ("http://h/", "a=b; Path=/private/", "http://h/private/x", true),
      ("http://h/", "a=b; Path=/docs", "http://h/docsets", false),
      ("http://h/", "a=b; Path=/foo/bar", "http://h/foo", false), ("http://h/a/b/c", "a=b", "http://h/a/b/x", true),
      ("http://h/a/b/c", "a=b", "http://h/a/b", true), ("http://h/a/b/c", "a=b", "http://h/a", false),
      ("http://h/a/b/c", "a=b", "http://h/z", false), ("http://h/", "a=b", "http://h", true),
      ("http://h/x", "a=b; Path=/x%2Fy", "http://h/x/y", false),
      ("http://h/", "a=b; Path=/é", "http://h/%C3%A9", false),
      // Secure. F02, B85.
      ("https://h/", "a=b; Secure", "https://h/", true), ("https://h/", "a=b; Secure", "http://h/", false),
      ("https://localhost/", "a=b; Secure", "http://localhost/", false),
      ("https://127.0.0.1/", "a=b; Secure", "http://127.0.0.1/", false),
      ("https://h/", "a=b; Secure", "https://h:8443/", true),
      ("https://h/", "a=b", "http://h/", true), ("http://h/", "a=b", "https://h/", true),
      // What does not limit an app's requests.
      ("https://h/", "a=b; SameSite=Strict", "https://h/", true), ("https://h/", "a=b; HttpOnly", "https://h/", true),
    ] as [(String, String, String, Bool)])
  func `To where a cookie goes`(_ from: String, _ field: String, _ to: String, _ isSent: Bool) throws {
    var scene = Scene()
    try scene.set(field, from)
    #expect(try scene.sent(to) == (isSent ? "a=b" : ""))
  }

  @Test(
    arguments: [
      (["a=1", "b=2"], "a=1; b=2"), (["b=2", "a=1"], "b=2; a=1"),
      (["k=root; Path=/", "k=app; Path=/app"], "k=app; k=root"),
      (["k=app; Path=/app", "k=root; Path=/"], "k=app; k=root"), (["a=1; Path=/app", "b=2; Path=/app/"], "b=2; a=1"),
      (["a=1", "b=2", "a=3"], "a=3; b=2"), (["a=1", "b=2", "a=; Max-Age=0", "a=3"], "b=2; a=3"),
      (["a=1", "A=2"], "a=1; A=2"), (["a=1; Path=/", "a=2; Domain=w.example.org; Path=/"], "a=1; a=2"),
      (["=x", "y"], "y"), (["=x", "a="], "x; a="), (["a=\"1\""], "a=\"1\""), (["a=1; HttpOnly", "a=2"], "a=2"),
      (["a=1", "a=2; Max-Age=0"], ""), (["a=1; Path=/app", "a=; Path=/; Max-Age=0"], "a=1"),
      (["a=1; Max-Age=5", "a=1"], "a=1"), (["é=1", "e\u{301}=2"], "é=1; e\u{301}=2"),
      (["foo=bar, baz=qux"], "foo=bar, baz=qux"),
    ])
  func `F05 F07 Which cookies of several, and their order`(_ fields: [String], _ expected: String) throws {
    var scene = Scene()
    for field in fields {
      try scene.set(field, "http://w.example.org/")
      scene.clock += 1
    }
    #expect(try Array(scene.sent("http://w.example.org/app/x").utf8) == Array(expected.utf8))
  }

  @Test func `F07 Cookies of one moment keep the order in which they came`() throws {
    var scene = Scene()
    for name in ["q", "c", "z", "a", "m"] { try scene.set("\(name)=1", "http://h/") }
    #expect(try scene.sent("http://h/") == "q=1; c=1; z=1; a=1; m=1")
  }

  @Test(arguments: [
    ("sid=; Max-Age=0", ""), ("sid=; Max-Age=-1", ""), ("sid=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT", ""),
    ("sid=x; Expires=Thu, 01-Jan-70 00:00:00 GMT", ""), ("sid=; Max-Age=0; Path=/other", "sid=abc"),
    ("sid=; Max-Age=0; Domain=www.example.org", "sid=abc"), ("other=; Max-Age=0", "sid=abc"),
    ("sid=x; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "sid=x"),
    ("sid=x; Max-Age=0; Expires=Fri, 31 Dec 9999 23:59:59 GMT", ""), ("sid=", "sid="), ("sid=x; Secure", "sid=abc"),
  ])
  func `F04 What deletes, what replaces, what does neither`(_ field: String, _ left: String) throws {
    var scene = Scene()
    try scene.set("sid=abc; Path=/", "http://www.example.org/")
    try scene.set(field, "http://www.example.org/")
    #expect(try scene.sent("http://www.example.org/") == left)
  }

  @Test func `F04 Nothing is sent after its expiry`() throws {
    var scene = Scene()
    try scene.set("a=1; Max-Age=1", "http://h/")
    try scene.set("b=1; Expires=Sun, 09 Sep 2001 01:46:42 GMT", "http://h/")
    #expect(try scene.sent("http://h/") == "a=1; b=1")
    scene.clock = now + 0.5
    #expect(try scene.sent("http://h/") == "a=1; b=1")
    scene.clock = now + 1
    #expect(try scene.sent("http://h/") == "b=1")
    scene.clock = now + 2
    #expect(try scene.sent("http://h/") == "")
    #expect(scene.table.count == 0)
  }

  @Test(
    arguments: [
      // (what http wants to set, whether it may) beside `sid=s; Secure; Path=/login; Domain=a.example.org`.
      ("http://a.example.org/login", "sid=x; Path=/login; Domain=a.example.org", false),
      ("http://a.example.org/login", "sid=x; Path=/login", false),
      ("http://a.example.org/login", "sid=x; Path=/login/en", false),
      ("http://a.example.org/", "sid=x; Path=/", true), ("http://a.example.org/", "sid=x; Path=/loginx", true),
      ("http://a.example.org/", "sid=x; Domain=example.org; Path=/login", false),
      ("http://b.a.example.org/", "sid=x; Path=/login", false), ("http://b.example.org/", "sid=x; Path=/login", true),
      ("http://a.example.org/", "other=x; Path=/login", true),
      ("http://a.example.org/login", "SID=x; Path=/login", true),
      ("http://a.example.org/login", "sid=; Path=/login; Domain=a.example.org; Max-Age=0", false),
      ("https://a.example.org/login", "sid=x; Path=/login; Domain=a.example.org", true),
      ("https://a.example.org/login", "sid=; Path=/login; Domain=a.example.org; Max-Age=0", true),
    ] as [(String, String, Bool)])
  func `F02 http does not touch a Secure cookie`(_ url: String, _ field: String, _ isKept: Bool) throws {
    var scene = Scene()
    try scene.set("sid=s; Secure; Path=/login; Domain=a.example.org", "https://a.example.org/")
    let change = try scene.set(field, url)
    #expect((change != nil) == isKept)
    if !isKept { #expect(try scene.sent("https://a.example.org/login") == "sid=s") }
  }

  @Test func `What a change is`() throws {
    var scene = Scene()
    #expect(try scene.set("a=1; Max-Age=60", "http://h/") == .stored)
    scene.clock += 1
    #expect(try scene.set("a=1; Max-Age=60", "http://h/") == .refreshed)
    #expect(try scene.set("a=1; Max-Age=60", "http://h/") == CookieTable.Change.none)
    #expect(try scene.set("a=1", "http://h/") == .stored)
    #expect(try scene.set("a=1", "http://h/") == CookieTable.Change.none)
    #expect(try scene.set("a=2", "http://h/") == .stored)
    #expect(try scene.set("a=2; HttpOnly", "http://h/") == .stored)
    #expect(try scene.set("a=; Max-Age=0", "http://h/") == .removed)
    #expect(try scene.set("a=; Max-Age=0", "http://h/") == CookieTable.Change.none)
  }

  // MARK: Limits. F09, F10.

  @Test func `A site holds so many cookies, whatever its hosts are called`() throws {
    var scene = Scene(table: CookieTable(limits: .init(perSite: 20, total: 1000)))
    try scene.set("other=1", "http://example.com/")
    try scene.set("kept=1; Secure; Domain=example.org", "https://a.example.org/")
    try scene.set("dead=1; Max-Age=1", "http://dead.example.org/")
    scene.clock += 2
    for index in 0..<100 {
      try scene.set("n\(index)=1", "http://h\(index % 7).example.org/")
      #expect(scene.table.count <= 21)
      #expect(try scene.sent("https://a.example.org/") == "kept=1")
      #expect(try scene.sent("http://h\(index % 7).example.org/").contains("n\(index)=1"))
    }
    #expect(try scene.sent("http://example.com/") == "other=1")
  }

  @Test func `Among a site's cookies those go that were sent longest ago`() throws {
    var scene = Scene(table: CookieTable(limits: .init(perSite: 10, total: 1000)))
    for index in 0..<10 { try scene.set("n=\(index); Path=/\(index)", "http://h/") }
    for index in [0, 1, 2] { _ = try scene.sent("http://h/\(index)") }
    try scene.set("n=10; Path=/10", "http://h/")
    let left = try (0...10).filter { try !scene.sent("http://h/\($0)").isEmpty }
    #expect(left == [0, 1, 2, 5, 6, 7, 8, 9, 10])
  }

  @Test func `Of a site's cookies expired ones go first, and Secure ones last`() throws {
    var scene = Scene(table: CookieTable(limits: .init(perSite: 10, total: 1000)))
    for index in 0..<5 { try scene.set("s\(index)=1; Secure", "https://h/") }
    for index in 0..<4 { try scene.set("n\(index)=1", "https://h/") }
    try scene.set("dead=1; Max-Age=1", "https://h/")
    scene.clock += 2
    try scene.set("n4=1", "https://h/")
    #expect(scene.table.count == 9)
    #expect(try scene.sent("https://h/") == "s0=1; s1=1; s2=1; s3=1; s4=1; n1=1; n2=1; n3=1; n4=1")
  }

  @Test func `The jar holds so many cookies`() throws {
    var scene = Scene(table: CookieTable(limits: .init(perSite: 10, total: 100)))
    for index in 0..<1000 {
      try scene.set("a=1", "http://h\(index)/")
      #expect(scene.table.count <= 100)
      #expect(try scene.sent("http://h\(index)/") == "a=1")
    }
    #expect(scene.table.count >= 90)
  }

  @Test func `F10 A request looks at the cookies of its own host alone`() throws {
    var scene = Scene()
    for index in 0..<10_000 { try scene.set("a=1", "http://h\(index).example\(index).org/") }
    try scene.set("b=2; Domain=example.org", "http://www.example.org/")
    let before = scene.table.lookedAt
    #expect(try scene.sent("http://www.example.org/") == "b=2")
    #expect(try scene.sent("http://x.y.z.example.com/") == "")
    #expect(scene.table.lookedAt == before + 1)
    #expect(scene.table.count == 10_001)
  }
}
