import Testing

@testable import AFTransport

/// Pitfall 46. RFC 3986 §3.4: a query is there as soon as there is a question mark; §6.2.3: an empty one is not none. What is asked
/// of a server is path and query (RFC 9112 §3.2.1), of a proxy the whole URL (§3.2.2), and neither has the fragment.
@Suite struct EmptyQueryTests {
  private static let rows: [(url: String, origin: String?, absolute: String?)] = [
    ("http://h/p?", "/p?", "http://h/p?"),
    ("http://h/?", "/?", "http://h/?"),
    ("http://h?", "/?", "http://h/?"),
    ("https://h:8443/a/b?", "/a/b?", "https://h:8443/a/b?"),
    ("http://[::1]:80/p?", "/p?", "http://[::1]:80/p?"),
    ("http://[::1]?", "/?", "http://[::1]/?"),
    ("http://h/p?#f", "/p?", "http://h/p?"),
    ("http://h/p?#f?", "/p?", "http://h/p?"),
    ("http://h/a:b/c@d?", "/a:b/c@d?", "http://h/a:b/c@d?"),
    ("http://h/%3F?", "/%3F?", "http://h/%3F?"),
    ("http://h//?", "//?", "http://h//?"),
    // A query that is not empty, or none.
    ("http://h/p", nil, nil), ("http://h/", nil, nil), ("http://h", nil, nil), ("http://h/p?a", nil, nil),
    ("http://h/p??", nil, nil), ("http://h/p?a?", nil, nil), ("http://h/p#?", nil, nil), ("http://h/p#f", nil, nil),
    ("http://h/p?a#?", nil, nil), ("http://h/p?=", nil, nil), ("http://h#", nil, nil), ("", nil, nil), ("?", nil, nil),
    ("#?", nil, nil),
  ]

  @Test(arguments: rows) func `the target of a URL with an empty query`(url: String, origin: String?, absolute: String?)
  {
    #expect(EmptyQuery.target(of: url, isForwarded: false) == origin)
    #expect(EmptyQuery.target(of: url, isForwarded: true) == absolute)
  }

  private static let versions: [(version: UInt32, drops: Bool)] = [
    (0x07_58_01, true), (0x08_08_00, true), (0x08_0E_01, true), (0x08_14_00, true),
    (0x08_15_00, false),
  ]

  @Test(arguments: versions) func `only versions that drop the question mark are told the target`(
    version: UInt32, drops: Bool
  ) {
    #expect(LibcurlCapabilities(version: version, tlsLibrary: "", features: 0).dropsEmptyQuery == drops)
  }
}
