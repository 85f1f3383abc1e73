import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

private func cookie(
  _ name: String, _ value: String = "1", domain: String = "h", path: String = "/", secure: Bool = false
) -> Cookie {
  Cookie(
    name: name, value: value, domain: domain, isHostOnly: true, path: path, isSecure: secure, creation: 1_000_000_000)
}

private func foundation(_ properties: [HTTPCookiePropertyKey: Any]) throws -> HTTPCookie {
  let all: [HTTPCookiePropertyKey: Any] = [.name: "a", .value: "1", .domain: "h", .path: "/"]
  return try #require(HTTPCookie(properties: all.merging(properties) { $1 }))
}

/// What stands between the jar and Foundation's storage.
@Suite struct CookieFaceTests {
  private let storage: HTTPCookieStorage

  init() throws {
    storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
  }

  @Test func `A look finds what the app has put, replaced and deleted since the last one, and nothing else`() throws {
    let face = CookieFace(storage)
    #expect(face.look().isEmpty)
    storage.setCookie(try foundation([:]))
    storage.setCookie(try foundation([.name: "b"]))
    #expect(Set(face.look().put.map(\.name)) == ["a", "b"])
    #expect(face.look().isEmpty)
    storage.setCookie(try foundation([.value: "2"]))
    let replaced = face.look()
    #expect(replaced.put.map(\.value) == ["2"])
    #expect(replaced.gone.isEmpty)
    storage.deleteCookie(try foundation([.name: "b"]))
    #expect(face.look().gone.map(\.name) == ["b"])
    #expect(face.look().isEmpty)
  }

  @Test func `What the face was told to show is no news`() {
    let face = CookieFace(storage)
    face.show(cookie("a"))
    #expect(storage.cookies?.map(\.name) == ["a"])
    #expect(face.look().isEmpty)
    face.show(cookie("a", "2"))
    #expect(storage.cookies?.map(\.value) == ["2"])
    #expect(face.look().isEmpty)
    face.hide(cookie("a", "2"))
    #expect(storage.cookies?.isEmpty == true)
    #expect(face.look().isEmpty)
  }

  @Test func `A cookie that is shown already is not written again`() {
    let face = CookieFace(storage)
    face.show(cookie("a"))
    let object = storage.cookies?.first
    face.show(cookie("a"))
    #expect(storage.cookies?.first === object)
  }

  @Test func `Two cookies that Foundation takes for one are both kept by the jar`() {
    let face = CookieFace(storage)
    face.show(cookie("xy", path: "/"))
    face.show(cookie("y", path: "/x"))
    #expect(storage.cookies?.map(\.name) == ["y"])
    #expect(face.look().gone.isEmpty)
    face.hide(cookie("xy", path: "/"))
    #expect(storage.cookies?.map(\.name) == ["y"])
  }

  @Test func `A storage that accepts nothing shows nothing, and says so`() {
    storage.cookieAcceptPolicy = .never
    let face = CookieFace(storage)
    storage.cookieAcceptPolicy = .always
    face.show(cookie("a"))
    storage.cookieAcceptPolicy = .never
    face.show(cookie("b"))
    #expect(face.look().gone.map(\.name) == ["b"])
  }

  @Test func `F02 What Foundation's archive loses is read from the comment`() throws {
    var whole = cookie("a", secure: true)
    whole.isHTTPOnly = true
    whole.sameSite = .lax
    whole.expires = 2_000_000_000
    let shown = try #require(HTTPCookie(whole))
    #expect(shown.isSecure && shown.isHTTPOnly && !shown.isSessionOnly)
    // As Foundation's archive has it: a Secure flag that it does not read back, no HttpOnly.
    let archived = try foundation([
      .expires: shown.expiresDate as Any, .secure: true, .version: 0, .comment: shown.comment as Any,
    ])
    #expect(!archived.isSecure && !archived.isHTTPOnly)
    #expect(Cookie(archived) == whole)
  }

  @Test(arguments: ["Secure", "afnetworking: Secure", "AFNetworking", "", "AFNetworking:Secure"])
  func `A comment of the app's says nothing`(comment: String) throws {
    #expect(CookieNote(comment) == nil)
    #expect(try Cookie(foundation([.comment: comment]))?.isSecure == false)
  }

  @Test(arguments: [
    ("AFNetworking: ", 0, false), ("AFNetworking: Secure=1", 0, false), ("AFNetworking: Created=x; Secure", 0, true),
    ("AFNetworking: Created=5", 5, false), ("AFNetworking: Created; SameSite; =; Secure; Secure", 0, true),
  ])
  func `A damaged note is read as far as it goes`(comment: String, creation: Double, isSecure: Bool) {
    let note = CookieNote(comment)
    #expect(note?.creation == creation)
    #expect(note?.isSecure == isSecure)
  }

  @Test(
    arguments: [
      (".example.org", "example.org", false), ("example.org", "example.org", true),
      (".EXAMPLE.org", "example.org", false),
      (".com", "com", true), (".co.uk", "co.uk", true), (".github.io", "github.io", true),
      // No list knows these: the app's own names.
      (".corp", "corp", false), (".localhost", "localhost", false),
    ])
  func `F11 To which hosts a cookie of the app's goes`(domain: String, expected: String, isHostOnly: Bool) throws {
    let cookie = try #require(try Cookie(foundation([.domain: domain])))
    #expect(cookie.domain == expected)
    #expect(cookie.isHostOnly == isHostOnly)
  }

  @Test func `A cookie of the app's counts from when it was made`() throws {
    let made = try #require(try Cookie(foundation([:])))
    #expect(abs(made.creation - Date().timeIntervalSince1970) < 10)
    #expect(made.expires == nil)
    #expect(try Cookie(foundation([.path: "x"]))?.path == "/")
    #expect(try Cookie(foundation([.domain: "."])) == nil)
  }

  @Test(arguments: ["\u{0}", "a\rb", "a\nb", "a;b", "\u{7F}", "\u{1F}"])
  func `F08 A cookie that would break the field is none`(text: String) throws {
    #expect(try Cookie(foundation([.value: text])) == nil)
    #expect(try Cookie(foundation([.name: text])) == nil)
  }
}

@Suite struct CookieJarTests {
  private let storage: HTTPCookieStorage
  private let now = Date().timeIntervalSince1970

  init() throws {
    storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
  }

  private func keep(_ jar: CookieJar, _ fields: String...) throws -> Int? {
    let url = try #require(CookieURL("http://h/"))
    return jar.keep(fields.map { ArraySlice(Array($0.utf8)) }, from: url, at: now)
  }

  private func sent(_ jar: CookieJar) -> String? {
    CookieURL("http://h/").flatMap { jar.field(for: $0, at: now) }
  }

  private func wait(_ jar: CookieJar, _ number: Int?) async throws {
    let number = try #require(number)
    await withCheckedContinuation { continuation in jar.whenShown(number) { continuation.resume() } }
  }

  @Test func `What was kept is sent at once and shown soon`() async throws {
    let jar = CookieJar(storage)
    let number = try keep(jar, "a=1", "b=2")
    #expect(sent(jar) == "a=1; b=2")
    try await wait(jar, number)
    #expect(storage.cookies?.count == 2)
  }

  @Test func `Nothing is waited for when nothing has changed but times`() async throws {
    let jar = CookieJar(storage)
    try await wait(jar, try keep(jar, "a=1; Max-Age=60"))
    #expect(try keep(jar, "a=1; Max-Age=90") == nil)
    #expect(try keep(jar, "=", "b=\u{0}", "c=1; Secure") == nil)
    jar.look()
    #expect(sent(jar) == "a=1")
    try await eventually { storage.cookies?.first?.expiresDate?.timeIntervalSince1970 ?? 0 > now + 80 }
    jar.look()
    #expect(sent(jar) == "a=1")
  }

  @Test func `F10 What was evicted leaves the storage, and a cookie of the app's is not evicted`() async throws {
    let jar = CookieJar(storage)
    for index in 0..<300 { storage.setCookie(try foundation([.name: "own\(index)"])) }
    jar.look()
    for index in 0..<201 { _ = try keep(jar, "n\(index)=1") }
    try await eventually { storage.cookies?.count == 480 }
    jar.lookSoon()
    jar.look()
    let names = try #require(sent(jar)).split(separator: "; ")
    #expect(names.count == 480)
    #expect(names.contains("n200=1") && !names.contains("n0=1") && names.contains("own0=1"))
  }

  @Test func `A large storage is looked at seldom, or when it is said to have changed`() throws {
    let jar = CookieJar(storage, lookInterval: 3600)
    for index in 0...CookieJar.smallStorage {
      storage.setCookie(try foundation([.name: "n\(index)", .domain: "other"]))
    }
    jar.look()
    storage.setCookie(try foundation([:]))
    jar.look()
    #expect(sent(jar) == nil)
    NotificationCenter.default.post(name: .NSHTTPCookieManagerCookiesChanged, object: storage)
    jar.look()
    #expect(sent(jar) == "a=1")
    storage.removeCookies(since: .distantPast)
    storage.setCookie(try foundation([.name: "b"]))
    jar.lookSoon()
    jar.look()
    #expect(sent(jar) == "b=1")
    storage.setCookie(try foundation([.name: "b", .value: "2"]))
    jar.look()
    #expect(sent(jar) == "b=2")
  }

  @Test func `A task does not wait for a change with many ahead of it`() throws {
    let jar = CookieJar(storage)
    let isCalled = Locked(false)
    jar.whenShown(17) { isCalled.withLock { $0 = true } }
    #expect(isCalled.withLock { $0 })
    let other = Locked(false)
    jar.whenShown(16) { other.withLock { $0 = true } }
    #expect(!other.withLock { $0 })
  }

  @Test func `A cookie that the app has deleted is there again when the server sets it again`() async throws {
    let jar = CookieJar(storage)
    try await wait(jar, try keep(jar, "a=1"))
    storage.removeCookies(since: .distantPast)
    jar.look()
    #expect(sent(jar) == nil)
    try await wait(jar, try keep(jar, "a=1"))
    #expect(storage.cookies?.count == 1)
  }

  @Test func `The jar of a storage is one, and goes when nobody uses it`() {
    weak var gone: CookieJar?
    do {
      let jar = CookieJar.of(storage)
      #expect(jar === CookieJar.of(storage))
      gone = jar
    }
    #expect(gone == nil)
  }
}
