import AFSupport
import Testing

@testable import AFTransport

@Suite struct AuthorityTests {
  @Test(arguments: [
    ("http://example.test", "example.test", 80, false), ("HTTPS://Example.Test/", "example.test", 443, true),
    ("http://a:8080?x", "a", 8080, false), ("https://[::1]:8443/p", "::1", 8443, true),
    ("http://127.0.0.1:1/", "127.0.0.1", 1, false), ("http://a:/", "a", 80, false),
    ("http://a_b.test#f", "a_b.test", 80, false),
  ])
  func `plain hosts`(url: String, host: String, port: Int, isSecure: Bool) throws {
    let authority = try #require(Authority(url: url))
    #expect(authority.host == host)
    #expect(authority.port == port)
    #expect(authority.isSecure == isSecure)
  }

  @Test(arguments: [
    "ftp://a/", "file:///etc/passwd", "http:///p", "http://", "http://user@host/", "http://a@b@c/", "http://a\\@b/",
    "http://a b/", "http://a%2eb/", "http://a:99999/", "http://a:0/", "http://a:8x/", "http://[::1/", "http://[g]/",
    "http://a:80:81/", "http://ex\u{E4}mple/", "//a/", "a", "",
  ])
  func `pitfall 27: whatever two parsers might read differently is refused`(url: String) {
    #expect(Authority(url: url) == nil)
  }
}
