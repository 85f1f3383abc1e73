import Testing

@testable import AFCore

/// A field as one line, so that a table can be read.
private func summary(_ field: SetCookie) -> String {
  var parts = ["\(field.name)=\(field.value)"]
  if let age = field.maxAge { parts.append("age \(age)") }
  if let expires = field.expires { parts.append("until \(Int(expires))") }
  if !field.domain.isEmpty { parts.append("in \(field.domain)") }
  if field.hasPath { parts.append("at \(field.path ?? "default")") }
  if field.isSecure { parts.append("secure") }
  if field.isHTTPOnly { parts.append("http") }
  if field.sameSite != .standard { parts.append(field.sameSite.rawValue) }
  return parts.joined(separator: ", ")
}

private func bytes(_ text: String) -> ArraySlice<UInt8> { ArraySlice(Array(text.utf8)) }
private func long(_ count: Int) -> String { String(repeating: "x", count: count) }

/// RFC 6265bis §5.6, row by row.
@Suite struct SetCookieTests {
  @Test(
    arguments: [
      // Name and value.
      ("a=b", "a=b"), ("a=", "a="), ("=b", "=b"), ("b", "=b"), ("a=b=c", "a=b=c"), ("a==b", "a==b"), ("==b", "==b"),
      ("  a  =  b  ", "a=b"), ("\ta\t=\tb\t", "a=b"), ("a b=c d", "a b=c d"), ("a=b\tc", "a=b\tc"),
      ("a=\"b\"", "a=\"b\""), ("a=\" b; c\"", "a=\" b"), ("\"a\"=b", "\"a\"=b"), ("a=b,c", "a=b,c"),
      ("foo=bar, baz=qux", "foo=bar, baz=qux"), ("a=b, c=d; Path=/", "a=b, c=d, at /"), ("😀😀😀=1", "😀😀😀=1"),
      ("a=😀", "a=😀"), ("a=%00%0A", "a=%00%0A"), ("a={\"b\":[1,2]}", "a={\"b\":[1,2]}"), ("a=b; ", "a=b"),
      ("a=b;", "a=b"), ("a=b;;;", "a=b"), ("a=b ;c", "a=b"), ("$Version=1", "$Version=1"), ("Secure", "=Secure"),
      ("Path=/", "Path=/"), ("a;b=c", "=a"), ("=; Path=/x; a", nil),
      // Expires.
      ("a=b; Expires=Thu, 01 Jan 1970 00:00:10 GMT", "a=b, until 10"),
      ("a=b; expires = Thu, 01-Jan-70 00:00:10 GMT ", "a=b, until 10"), ("a=b; Expires=never", "a=b"),
      ("a=b; Expires=", "a=b"), ("a=b; Expires", "a=b"),
      ("a=b; Expires=\"Thu, 01 Jan 1970 00:00:10 GMT\"", "a=b, until 10"),
      ("a=b; Expires=1 Jan 1970 0:0:10; Expires=1 Jan 1970 0:0:20", "a=b, until 20"),
      ("a=b; Expires=1 Jan 1970 0:0:10; Expires=never", "a=b, until 10"),
      // Max-Age.
      ("a=b; Max-Age=60", "a=b, age 60"), ("a=b; max-age=60", "a=b, age 60"), ("a=b; MAX-AGE = 60", "a=b, age 60"),
      ("a=b; Max-Age=0", "a=b, age 0"), ("a=b; Max-Age=-1", "a=b, age 0"), ("a=b; Max-Age=-0", "a=b, age 0"),
      ("a=b; Max-Age=007", "a=b, age 7"), ("a=b; Max-Age=", "a=b"), ("a=b; Max-Age", "a=b"), ("a=b; Max-Age=-", "a=b"),
      ("a=b; Max-Age=+1", "a=b"), ("a=b; Max-Age=1.5", "a=b"), ("a=b; Max-Age=1e3", "a=b"),
      ("a=b; Max-Age=\"1\"", "a=b"),
      ("a=b; Max-Age=x1", "a=b"), ("a=b; Max-Age=1 2", "a=b"), ("a=b; Max-Age=٣", "a=b"),
      ("a=b; Max-Age=99999999999999999999999999", "a=b, age 1000000000000"),
      ("a=b; Max-Age=-99999999999999999999999999", "a=b, age 0"), ("a=b; Max-Age=1; Max-Age=2", "a=b, age 2"),
      ("a=b; Max-Age=1; Max-Age=x", "a=b, age 1"),
      ("a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:10 GMT", "a=b, age 60, until 10"),
      // Domain.
      ("a=b; Domain=example.org", "a=b, in example.org"), ("a=b; domain=EXAMPLE.org", "a=b, in example.org"),
      ("a=b; Domain=.example.org", "a=b, in example.org"), ("a=b; Domain=..example.org", "a=b, in .example.org"),
      ("a=b; Domain=", "a=b"), ("a=b; Domain=.", "a=b"), ("a=b; Domain", "a=b"), ("a=b; Domain=a.org; Domain=", "a=b"),
      ("a=b; Domain=a.org; Domain=b.org", "a=b, in b.org"), ("a=b; Domain=example.org:80", "a=b, in example.org:80"),
      // Path.
      ("a=b; Path=/", "a=b, at /"), ("a=b; PATH=/c/d/", "a=b, at /c/d/"), ("a=b; Path=/c=d", "a=b, at /c=d"),
      ("a=b; Path=", "a=b, at default"), ("a=b; Path", "a=b, at default"), ("a=b; Path=c", "a=b, at default"),
      ("a=b; Path=\"/\"", "a=b, at default"), ("a=b; Path=/c; Path=/d", "a=b, at /d"),
      ("a=b; Path=/c; Path=d", "a=b, at default"), ("a=b; Path= /c ", "a=b, at /c"), ("a=b; Path=/c d", "a=b, at /c d"),
      ("a=b; Path=/,/d", "a=b, at /,/d"),
      // Flags.
      ("a=b; Secure", "a=b, secure"), ("a=b;secure", "a=b, secure"), ("a=b; SECURE=no", "a=b, secure"),
      ("a=b; Secure ; HttpOnly", "a=b, secure, http"), ("a=b; httponly=", "a=b, http"), ("a=b; Sec", "a=b"),
      ("a=b; SecureX", "a=b"), ("a=b, Secure", "a=b, Secure"), ("Secure; a=b", "=Secure"), ("a=b; =Secure", "a=b"),
      ("a=b; SameSite=Strict", "a=b, Strict"), ("a=b; samesite=LAX", "a=b, Lax"), ("a=b; SameSite=none", "a=b, None"),
      ("a=b; SameSite", "a=b"), ("a=b; SameSite=Other", "a=b"), ("a=b; SameSite=Lax; SameSite=Other", "a=b"),
      ("a=b; SameSite=Lax; SameSite=Strict", "a=b, Strict"), ("a=b; SameSite=\"Lax\"", "a=b"),
      ("a=b; Partitioned; Priority=High; Version=1; Comment=c; Port=80", "a=b"),
      (
        "a=b; Max-Age=1; Domain=c.org; Path=/d; Secure; HttpOnly; SameSite=Lax",
        "a=b, age 1, in c.org, at /d, secure, http, Lax"
      ),
    ] as [(String, String?)])
  func `What a field says`(_ text: String, _ expected: String?) {
    #expect((try? SetCookie(bytes(text))).map(summary) == expected)
  }

  @Test(
    arguments: [
      ("", .empty), ("=", .empty), (" = ", .empty), (";", .empty), ("; Path=/", .empty), ("=; Secure", .empty),
      ("\u{0}a=b", .controlCharacter), ("a=b\u{0}", .controlCharacter), ("a\u{1}=b", .controlCharacter),
      ("a=b\rc", .controlCharacter), ("a=b\nc", .controlCharacter), ("a=\u{8}", .controlCharacter),
      ("a=\u{B}", .controlCharacter), ("a=\u{1F}", .controlCharacter), ("a=\u{7F}", .controlCharacter),
      ("a=b; Path=/\u{1}", .controlCharacter), ("a=b; x\u{0}y", .controlCharacter), ("a=b;\r", .controlCharacter),
      ("\u{1B}[2J", .controlCharacter),
    ] as [(String, CookieRefusal)])
  func `F08 What is dropped whole`(_ text: String, _ refusal: CookieRefusal) {
    #expect(throws: refusal) { try SetCookie(bytes(text)) }
  }

  @Test(arguments: [
    (4095, 1, false, true), (4095, 1, true, true), (4096, 1, false, false), (1, 4095, false, true),
    (1, 4096, true, false), (0, 4096, false, true), (0, 4097, false, false), (4096, 0, true, true),
    (4097, 0, false, false),
  ])
  func `F09 Name and value hold 4096 bytes, spaces around them not counted`(
    name: Int, value: Int, spaced: Bool, isKept: Bool
  ) {
    let space = spaced ? " " : ""
    let field = try? SetCookie(bytes("\(space)\(long(name))\(space)=\(space)\(long(value))\(space); Secure"))
    #expect((field != nil) == isKept)
    #expect(field?.name.utf8.count == (isKept ? name : nil))
  }

  @Test func `F09 An attribute of more than 1024 bytes does not count`() throws {
    #expect(try SetCookie(bytes("a=b; Path=/\(long(1023))")).path?.count == 1024)
    #expect(try !SetCookie(bytes("a=b; Path=/\(long(1024))")).hasPath)
    #expect(try SetCookie(bytes("a=b; Path=/c; Path=/\(long(1024))")).path == "/c")
    #expect(try SetCookie(bytes("a=b; Domain=\(long(1024))")).domain.count == 1024)
    #expect(try SetCookie(bytes("a=b; Domain=\(long(1025))")).domain == "")
    #expect(try SetCookie(bytes("a=b; Domain=c.org; Domain=\(long(1025))")).domain == "c.org")
    #expect(try !SetCookie(bytes("a=b; Secure=\(long(1025))")).isSecure)
    #expect(try SetCookie(bytes("a=b; \(long(5000)); Secure")).isSecure)
  }

  @Test func `Bytes that are no text are dropped`() {
    #expect(throws: CookieRefusal.notText) { try SetCookie([0x61, 0x3D, 0xE9]) }
    #expect(throws: CookieRefusal.notText) { try SetCookie([0xFF, 0x3D, 0x61]) }
    #expect((try? SetCookie(ArraySlice(Array("a=b; Path=/".utf8) + [0xE9])))?.name == "a")
  }
}
