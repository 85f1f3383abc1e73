import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

@Suite struct CookieScopeTests {
  @Test(arguments: [
    ("example.org", "www.example.org", true), (".example.org", "www.example.org", true),
    ("example.org", "example.org", true), ("www.example.org", "example.org", false),
    ("other.org", "www.example.org", false), ("ample.org", "www.example.org", false), ("org", "www.example.org", false),
    ("co.uk", "shop.co.uk", false), ("shop.co.uk", "www.shop.co.uk", true), ("127.0.0.1", "127.0.0.1", true),
    ("0.0.1", "127.0.0.1", false),
  ])
  func `A host sets cookies for itself and for domains above it, but for no public suffix`(
    domain: String, host: String, isAllowed: Bool
  ) throws {
    let cookie = try #require(HTTPCookie(properties: [.name: "a", .value: "1", .path: "/", .domain: domain]))
    #expect(CookieScope.allows(cookie, from: host) == isAllowed)
  }

  @Test func `The list's rules, wildcards and exceptions`() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("// comment\n\ncom\n*.ck\n!www.ck\n".utf8), to: "list")
    let suffixes = PublicSuffixes(path: file.path)
    #expect(suffixes.contains("com"))
    #expect(suffixes.contains("anything.ck"))
    #expect(!suffixes.contains("www.ck"))
    #expect(!suffixes.contains("example.com"))
    #expect(PublicSuffixes(path: "/nowhere").contains("co.uk"))
  }
}
