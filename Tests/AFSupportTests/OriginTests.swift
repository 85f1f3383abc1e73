import AFSupport
import Testing

@Suite struct OriginTests {
  @Test(
    arguments: [
      ("http://a/", "http", "a", 80), ("https://a/", "https", "a", 443),
      ("HTTPS://A.Example/", "https", "a.example", 443),
      ("http://Z/", "http", "z", 80), ("http://a", "http", "a", 80), ("http://a?q", "http", "a", 80),
      ("http://a#f", "http", "a", 80), ("http://a:/", "http", "a", 80), ("https://a:/", "https", "a", 443),
      ("http://a:1/", "http", "a", 1), ("http://a:65535/", "http", "a", 65_535),
      ("https://a:00443/", "https", "a", 443),
      ("http://[::1]/", "http", "::1", 80), ("http://[FE80::1]:8080/", "http", "fe80::1", 8080),
      ("http://a_b~c.d-e/", "http", "a_b~c.d-e", 80), ("http://u:p@a/", "http", "a", 80),
      ("http://b@c@a/", "http", "a", 80), ("http://a?b@c", "http", "a", 80), ("http://a/b@c", "http", "a", 80),
    ] as [(String, String, String, Int)])
  func `scheme, host and port are read, with the scheme's port where none is named`(
    url: String, scheme: String, host: String, port: Int
  ) throws {
    let origin = try #require(Origin(url))
    #expect(origin.scheme == scheme && origin.host == host && origin.port == port)
    #expect(origin.isSecure == (scheme == "https"))
  }

  @Test(arguments: [
    "", "a", "http:", "http:/", "http:///", "http://", "http://:80/", "http://?", "ftp://a/", "httpx://a/",
    "http://a:0/",
    "http://a:65536/", "http://a:99999/", "http://a:000080/", "http://a:8x/", "http://a:-1/", "http://[::1/",
    "http://[]/", "http://[::g]/", "http://[::1]x/", "http://a b/", "http://ä/", "http://a%2e/", "http://u:p@/",
  ])
  func `what is no http or https URL with a plain host has no origin`(url: String) {
    #expect(Origin(url) == nil)
  }

  @Test func `user information is taken out only where it is asked for`() {
    #expect(Origin(url: "http://u@a/") == nil)
    #expect("http://u:p@a/b@c?d@e".withoutUserInfo == "http://a/b@c?d@e")
    #expect("http://a/b@c".withoutUserInfo == "http://a/b@c")
    #expect("u@a".withoutUserInfo == "u@a")
  }

  @Test(arguments: [
    ("http://a/x", "http://A:80/y?z", true), ("http://a/", "http://u@a/", true), ("http://a/", "https://a/", false),
    ("http://a/", "http://a:81/", false), ("http://a/", "http://b/", false), ("http://a/", "nonsense", false),
    ("nonsense", "nonsense", false), ("", "", false),
  ])
  func `two URLs are of one origin if scheme, host and port are the same, and both have one`(
    first: String, second: String, areSame: Bool
  ) {
    #expect(Origin.areSame(first, second) == areSame)
    #expect(Origin.areSame(second, first) == areSame)
  }
}
