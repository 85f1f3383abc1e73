import Testing

@testable import AFCore

private let now: Double = 1_000_000_000

private func cookie(_ field: String, _ url: String) throws -> Cookie {
  let from = try #require(CookieURL(url))
  return try Cookie(SetCookie(ArraySlice(Array(field.utf8))), from: from, at: now)
}

/// RFC 6265bis §5.7, row by row: what is kept of a field that came from a URL.
@Suite struct CookieStoringTests {
  @Test(
    arguments: [
      // Host-only, and the domain that the host lies in.
      ("http://www.example.org/", "a=b", "www.example.org /"), ("http://WWW.Example.ORG/", "a=b", "www.example.org /"),
      ("http://www.example.org/", "a=b; Domain=example.org", ".example.org /"),
      ("http://www.example.org/", "a=b; Domain=.EXAMPLE.org", ".example.org /"),
      ("http://www.example.org/", "a=b; Domain=www.example.org", ".www.example.org /"),
      ("http://a.b.example.org/", "a=b; Domain=b.example.org", ".b.example.org /"),
      ("http://www.example.org/", "a=b; Domain=", "www.example.org /"),
      ("http://u:p@www.example.org:8080/", "a=b", "www.example.org /"),
      // Addresses.
      ("http://127.0.0.1:81/", "a=b", "127.0.0.1 /"), ("http://127.0.0.1/", "a=b; Domain=127.0.0.1", "127.0.0.1 /"),
      ("http://[::1]/", "a=b", "::1 /"),
      // Public suffixes: only for the host itself. F11.
      ("http://localhost/", "a=b; Domain=localhost", "localhost /"), ("http://com/", "a=b; Domain=com", "com /"),
      ("http://github.io/", "a=b; Domain=.github.io", "github.io /"),
      ("http://me.github.io/", "a=b; Domain=me.github.io", ".me.github.io /"),
      ("http://www.shop.co.uk/", "a=b; Domain=shop.co.uk", ".shop.co.uk /"),
      ("http://a.www.ck/", "a=b; Domain=www.ck", ".www.ck /"), ("http://x.y.ck/", "a=b; Domain=x.y.ck", ".x.y.ck /"),
      // Path, and the default path (§5.1.4). F03.
      ("http://h/", "a=b", "h /"), ("http://h", "a=b", "h /"), ("http://h/x", "a=b", "h /"),
      ("http://h/x/", "a=b", "h /x"), ("http://h/x/y", "a=b", "h /x"), ("http://h/x/y/", "a=b", "h /x/y"),
      ("http://h//", "a=b", "h /"), ("http://h/x//", "a=b", "h /x/"), ("http://h/x/y?z=/q/", "a=b", "h /x"),
      ("http://h?x=/y/z", "a=b", "h /"), ("http://h/x/y#/z/", "a=b", "h /x"), ("http://h/%2Fx/y", "a=b", "h /%2Fx"),
      ("http://h/x/y", "a=b; Path=/", "h /"), ("http://h/x/y", "a=b; Path=/z", "h /z"),
      ("http://h/x/y", "a=b; Path=/z/", "h /z/"), ("http://h/x/y", "a=b; Path=z", "h /x"),
      ("http://h/x/y", "a=b; Path=", "h /x"), ("http://h/x/y", "a=b; Path=/é", "h /é"),
      // Times: Max-Age before Expires, never more than 400 days. F04.
      ("http://h/", "a=b; Max-Age=60", "h / +60"),
      ("http://h/", "a=b; Max-Age=60; Expires=1 Jan 1970 0:0:0", "h / +60"),
      ("http://h/", "a=b; Expires=1 Jan 1970 0:0:0; Max-Age=60", "h / +60"),
      ("http://h/", "a=b; Max-Age=x; Expires=Sun, 09 Sep 2001 01:46:50 GMT", "h / +10"),
      ("http://h/", "a=b; Expires=Sun, 09 Sep 2001 01:46:40 GMT", "h / +0"),
      ("http://h/", "a=b; Expires=Sun, 09 Sep 2001 01:46:39 GMT", "h / +-1"), ("http://h/", "a=b; Expires=x", "h /"),
      ("http://h/", "a=b; Max-Age=0", "h / gone"), ("http://h/", "a=b; Max-Age=-5", "h / gone"),
      ("http://h/", "a=b; Max-Age=99999999999999999999", "h / +34560000"),
      ("http://h/", "a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "h / +34560000"),
      // Flags. F09.
      ("https://h/", "a=b; Secure", "h / secure"), ("https://h/", "a=b; Secure; HttpOnly", "h / secure http"),
      ("http://h/", "a=b; HttpOnly", "h / http"), ("http://h/", "a=b; SameSite=Lax", "h / Lax"),
      ("https://h/", "a=b; SameSite=None; Secure", "h / secure None"), ("http://h/", "a=b; SameSite=what", "h /"),
      // Prefixes. F09.
      ("https://h/", "__Secure-a=b; Secure", "h / secure"), ("https://h/", "__secure-a=b; Secure", "h / secure"),
      ("https://w.example.org/", "__Secure-a=b; Secure; Domain=example.org", ".example.org / secure"),
      ("https://h/", "__Host-a=b; Secure; Path=/", "h / secure"),
      ("https://h/", "__HOST-a=b; Path=/; Secure", "h / secure"),
      ("https://h/", "__Host-a=b; Secure; Path=", "h / secure"),
      ("https://localhost/", "__Host-a=b; Secure; Path=/; Domain=localhost", "localhost / secure"),
      ("http://h/", "__Secured=b", "h /"), ("http://h/", "_Host-a=b", "h /"), ("http://h/", "a__Host-=b", "h /"),
      ("http://h/", "a=__Host-b", "h /"),
    ] as [(String, String, String)])
  func `What is kept`(_ url: String, _ field: String, _ expected: String) throws {
    let cookie = try cookie(field, url)
    var parts = [(cookie.isHostOnly ? "" : ".") + cookie.domain, cookie.path]
    if let expires = cookie.expires { parts.append(expires.isFinite ? "+\(Int(expires - now))" : "gone") }
    if cookie.isSecure { parts.append("secure") }
    if cookie.isHTTPOnly { parts.append("http") }
    if cookie.sameSite != .standard { parts.append(cookie.sameSite.rawValue) }
    #expect(parts.joined(separator: " ") == expected)
    #expect(cookie.creation == now)
  }

  @Test(
    arguments: [
      // Domains that the host does not lie in.
      ("http://example.org/", "a=b; Domain=www.example.org", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=other.org", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=ample.org", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=w.example.org", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=..example.org", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=example.org.", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=example.org:80", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=*.example.org", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=a.org; Domain=b.org", .foreignDomain),
      ("http://www.example.org/", "a=b; Domain=exämple.org", .foreignDomain),
      ("http://127.0.0.1/", "a=b; Domain=0.0.1", .foreignDomain),
      ("http://127.0.0.1/", "a=b; Domain=1", .foreignDomain),
      ("http://127.0.0.1/", "a=b; Domain=127.0.0.2", .foreignDomain),
      ("http://[::1]/", "a=b; Domain=::2", .foreignDomain),
      ("http://a.0x7f/", "a=b; Domain=0x7f", .foreignDomain), ("http://10.1/", "a=b; Domain=1", .foreignDomain),
      // Public suffixes. F11.
      ("http://example.org/", "a=b; Domain=org", .publicSuffix),
      ("http://example.org/", "a=b; Domain=.org", .publicSuffix),
      ("http://shop.co.uk/", "a=b; Domain=co.uk", .publicSuffix),
      ("http://a.com.ar/", "a=b; Domain=com.ar", .publicSuffix),
      ("http://me.github.io/", "a=b; Domain=github.io", .publicSuffix),
      ("http://a.b.ck/", "a=b; Domain=b.ck", .publicSuffix),
      ("http://a.localhost/", "a=b; Domain=localhost", .publicSuffix),
      ("http://host.unheardof/", "a=b; Domain=unheardof", .publicSuffix),
      ("http://a.xn--55qx5d.cn/", "a=b; Domain=xn--55qx5d.cn", .publicSuffix),
      ("http://shop.co.uk./", "a=b; Domain=co.uk.", .publicSuffix),
      ("http://example.org./", "a=b; Domain=org.", .publicSuffix),
      ("http://example.org/", "a=b; Domain=a.github.io; Domain=org", .publicSuffix),
      // Secure over http. F02.
      ("http://h/", "a=b; Secure", .secureOverHTTP), ("http://localhost/", "a=b; Secure", .secureOverHTTP),
      ("http://127.0.0.1/", "a=b; Secure", .secureOverHTTP), ("http://h/", "__Secure-a=b; Secure", .secureOverHTTP),
      // SameSite=None.
      ("https://h/", "a=b; SameSite=None", .sameSiteNoneWithoutSecure),
      ("http://h/", "a=b; SameSite=None", .sameSiteNoneWithoutSecure),
      // Prefixes. F09.
      ("https://h/", "__Secure-a=b", .prefix), ("http://h/", "__SECURE-a=b", .prefix),
      ("https://h/", "__Host-a=b; Path=/", .prefix), ("https://h/", "__Host-a=b; Secure", .prefix),
      ("https://h/x/y", "__Host-a=b; Secure; Path=", .prefix), ("https://h/", "__Host-a=b; Secure; Path=/x", .prefix),
      ("https://w.example.org/", "__Host-a=b; Secure; Path=/; Domain=w.example.org", .prefix),
      ("https://h/", "__host-a=b; Secure", .prefix), ("https://h/", "__Host-a; Secure; Path=/", .prefix),
      ("https://h/", "=__Secure-a=b; Secure", .prefix), ("https://h/", "=__host-a=b; Secure; Path=/", .prefix),
    ] as [(String, String, CookieRefusal)])
  func `What is refused`(_ url: String, _ field: String, _ refusal: CookieRefusal) {
    #expect(throws: refusal) { try cookie(field, url) }
  }

  @Test(arguments: [
    "", "h", "/x", "ftp://h/", "file:///x", "http:///x", "http://", "http://h\\x/", "http://a b/",
    "http://ex%61mple.org/",
    "http://bücher.example/", "http://[::1/", "http://[h]/", "http:h", "httpx://h/", "http://@/",
  ])
  func `A URL that libcurl may read otherwise takes part in no cookies`(_ url: String) {
    #expect(CookieURL(url) == nil)
  }
}
