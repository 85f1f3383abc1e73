import AFTransport
import Foundation
import Testing

@testable import AFCore

/// Where a Location points, row by row: RFC 3986 §5.4, the WHATWG URL standard, RFC 9110 §10.2.2; F12, F92, B41.
@Suite struct LocationTableTests {
  private func check(
    _ base: String, _ rows: [(location: String, expected: String?)],
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (location, expected) in rows {
      #expect(
        Redirect.target(location, from: base) == expected, "\(location.debugDescription)",
        sourceLocation: sourceLocation)
    }
  }

  @Test func `RFC 3986 §5.4.1 Normal examples`() {
    check(
      "http://a/b/c/d;p?q",
      [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"),
      ].map { ($0.0, $0.1 == "http://g" ? "http://g/" : $0.1) })
  }

  @Test func `RFC 3986 §5.4.2 Abnormal examples`() {
    check(
      "http://a/b/c/d;p?q",
      [
        ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
        ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
        ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
        ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"),
        ("g#s/./x", "http://a/b/c/g#s/./x"), ("g#s/../x", "http://a/b/c/g#s/../x"),
        // "for backward compatibility"
        ("http:g", "http://a/b/c/g"),
      ])
  }

  @Test func `F12 Escapes stay, and only what may not stand is escaped`() {
    check(
      "http://h/a/b?x=1",
      [
        ("/a%20b c", "http://h/a%20b%20c"), ("/x?sig=a%2Bb%2F&t=a|b", "http://h/x?sig=a%2Bb%2F&t=a%7Cb"),
        ("/%e9%C3%a9", "http://h/%e9%C3%a9"), ("/100%", "http://h/100%25"), ("/%zz", "http://h/%25zz"),
        ("/%2", "http://h/%252"), ("/a\"b<c>d`e{f}g^h", "http://h/a%22b%3Cc%3Ed%60e%7Bf%7Dg%5Eh"),
        ("/[x]?a[]=1", "http://h/%5Bx%5D?a%5B%5D=1"), ("/é", "http://h/%C3%A9"),
        ("/日本?q=本#語", "http://h/%E6%97%A5%E6%9C%AC?q=%E6%9C%AC#%E8%AA%9E"),
        ("/a'b(c)*d!e$f&g+h,i;j=k:l@m~n", "http://h/a'b(c)*d!e$f&g+h,i;j=k:l@m~n"), ("/x?a?b/c", "http://h/x?a?b/c"),
        ("/x#a#b", "http://h/x#a%23b"), ("/a%00b", "http://h/a%00b"), ("/a\u{7F}b", "http://h/a%7Fb"),
        ("/a\u{1}b", "http://h/a%01b"), ("?", "http://h/a/b?"), ("/x?", "http://h/x?"), ("/x#", "http://h/x#"),
        ("/%2F%2f", "http://h/%2F%2f"), ("/a%2fb|c", "http://h/a%2fb%7Cc"),
      ])
  }

  @Test func `WHATWG Space around it, and tabs and line breaks in it, are left out`() {
    check(
      "http://h/a/b",
      [
        ("  /x  ", "http://h/x"), ("\t/x\t", "http://h/x"), ("\u{0}\u{1F}/x\u{1F}", "http://h/x"),
        ("/a\tb", "http://h/ab"), ("ht\ntp://g/x", "http://g/x"), ("/x y ", "http://h/x%20y"), ("   ", nil), ("", nil),
        ("\u{0}", nil),
      ])
  }

  @Test func `WHATWG Backslashes are slashes, but not in a query`() {
    check(
      "https://h/a/b",
      [
        (#"\x\y"#, "https://h/x/y"), (#"\\g\x"#, "https://g/x"), (#"/\g/x"#, "https://g/x"), (#"\/g/x"#, "https://g/x"),
        (#"https:\\g\x"#, "https://g/x"), (#"c\..\d"#, "https://h/a/d"), (#"/x?a\b"#, #"https://h/x?a%5Cb"#),
        (#"/x#a\b"#, #"https://h/x#a%5Cb"#), (#"https://g\@evil/x"#, "https://g/@evil/x"),
      ])
  }

  @Test func `WHATWG Slashes behind the scheme, missing or surplus`() {
    check(
      "https://h/a/b",
      [
        ("https:///g/x", "https://g/x"), ("https:////g/x", "https://g/x"), ("///g/x", "https://g/x"),
        ("http:g/x", "http://g/x"), ("http:/g/x", "http://g/x"), ("http:///g/x", "http://g/x"),
        ("https:x", "https://h/a/x"), ("https:/x", "https://h/x"), ("HTTPS://G/X", "https://g/X"),
        ("HtTp://g", "http://g/"), ("https://", nil), ("https://?x", nil), ("https://#x", nil), ("//", nil),
        ("http:", nil), ("https:", "https://h/a/b"),
      ].map { ($0.0, $0.1) })
  }

  @Test func `F17 Other schemes are not followed`() {
    check(
      "https://h/a/b",
      [
        "ftp://g/x", "file:///etc/passwd", "mailto:a@b", "javascript:alert(1)", "data:text/plain,x", "about:blank",
        "ws://g/", "x-app://open", "FILE:/etc/passwd", "blob:https://h/1", "h2:x", "a+b.c-d:x",
      ].map { ($0, nil) })
    // No schemes.
    check(
      "https://h/a/b",
      [
        ("1http://g", "https://h/a/1http://g"), (":x", "https://h/a/:x"), ("a/b:c", "https://h/a/a/b:c"),
        ("?u=ftp://x", "https://h/a/b?u=ftp://x"),
      ])
  }

  @Test func `User information is left out`() {
    check(
      "https://me:secret@h/a/b",
      [
        ("https://u:p@g/x", "https://g/x"), ("https://u@g/x", "https://g/x"), ("//u:p@g/x", "https://g/x"),
        ("https://a@b@g/x", "https://g/x"), ("https://u:p@/x", nil), ("x", "https://h/a/x"), ("/x@y", "https://h/x@y"),
        ("https://g/u:p@x", "https://g/u:p@x"), ("https://u:p@g:8443?x", "https://g:8443/?x"),
      ])
  }

  @Test func `Hosts and ports`() {
    check(
      "https://h/",
      [
        ("//EXAMPLE.Org/", "https://example.org/"), ("//g:443/x", "https://g/x"), ("//g:80/x", "https://g:80/x"),
        ("http://g:80/x", "http://g/x"), ("//g:/x", "https://g/x"), ("//g:0443/x", "https://g/x"),
        ("//g:65535/", "https://g:65535/"), ("//g:65536/", nil), ("//g:0/", nil), ("//g:-1/", nil), ("//g:8a/", nil),
        ("//g:99999999999999999999/", nil), ("//g:1:2/", nil), ("//:80/", nil),
        ("//ex%61mple.org/", "https://example.org/"),
        ("//a%2eb/", "https://a.b/"), ("//a%2fb/", nil), ("//a%00b/", nil), ("//a b/", nil), ("//a<b/", nil),
        ("//a%zz/", nil), ("//a_b.c-d/", "https://a_b.c-d/"), ("//g./x", "https://g./x"),
        ("//[::1]/x", "https://[::1]/x"), ("//[::1]:8443/x", "https://[::1]:8443/x"),
        ("//[2001:DB8:0:0::1]/", "https://[2001:db8::1]/"), ("//[::ffff:1.2.3.4]/", "https://[::ffff:1.2.3.4]/"),
        ("//[fe80::1%25eth0]/", nil), ("//[::1/x", nil), ("//[::1]x/", nil), ("//[]/", nil), ("//[1.2.3.4]/", nil),
        ("//::1/", nil), ("//127.0.0.1/", "https://127.0.0.1/"), ("//127.1/", "https://127.0.0.1/"),
        ("//2130706433/", "https://127.0.0.1/"), ("//0x7f.0.0.1/", "https://127.0.0.1/"),
        ("//0177.0.0.1/", "https://127.0.0.1/"), ("//0x7F000001/", "https://127.0.0.1/"),
        ("//127.0.0.1./", "https://127.0.0.1/"), ("//256.0.0.1/", nil), ("//1.2.3.4.5/", nil),
        ("//1.2.3/", "https://1.2.0.3/"),
        ("//4294967296/", nil), ("//99999999999999999999/", nil), ("//0x/", "https://0.0.0.0/"), ("//08/", nil),
        ("//0x-0.1/", nil), ("//0-0.1/", nil), ("//-0.1/", nil), ("//0x-1/", "https://0x-1/"),
        ("//a.0x1/", nil), ("//1..2/", nil), ("//1.2.3.4x/", "https://1.2.3.4x/"),
        ("//bücher.example/x", "https://xn--bcher-kva.example/x"), ("//日本.jp/", "https://xn--wgv71a.jp/"),
        ("//ａ.example/", "https://a.example/"), ("//１２７.0.0.1/", "https://127.0.0.1/"),
        ("//b%C3%BCcher.example/", "https://xn--bcher-kva.example/"),
        ("//xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("//" + String(repeating: "a", count: 300) + "/", nil),
        ("//ü" + String(repeating: "a", count: 5000) + "/", nil),
      ])
  }

  @Test func `WHATWG Escaped dots are dot segments`() {
    check(
      "http://h/a/b/c",
      [
        ("%2e%2e/x", "http://h/a/x"), (".%2E/x", "http://h/a/x"), ("%2E./x", "http://h/a/x"),
        ("%2e/x", "http://h/a/b/x"),
        ("%2e%2e", "http://h/a/"), ("%2e%2e%2e/x", "http://h/a/b/%2e%2e%2e/x"), ("a//b/../c", "http://h/a/b/a//c"),
        ("/..//x", "http://h//x"), ("/a/%2e%2e%2f/x", "http://h/a/%2e%2e%2f/x"), ("...", "http://h/a/b/..."),
      ])
  }

  @Test func `A fragment is inherited, a query is not`() {
    check(
      "http://h/a/b?x=1#f",
      [
        ("c", "http://h/a/c#f"), ("c#g", "http://h/a/c#g"), ("c#", "http://h/a/c#"), ("?y", "http://h/a/b?y#f"),
        ("#g", "http://h/a/b?x=1#g"), ("//g", "http://g/#f"), ("https://g/x", "https://g/x#f"),
      ])
    check("http://h", [("c", "http://h/c"), ("../c", "http://h/c"), ("?y", "http://h/?y"), ("#f", "http://h/#f")])
    check("http://h?x", [("c", "http://h/c"), ("#f", "http://h/?x#f")])
    check("http://[::1]:8080/a", [("c", "http://[::1]:8080/c"), ("//g", "http://g/")])
    for base in ["", "x", "/a", "ftp://h/", "http://", "http://h\\x/", "http://h h/"] {
      #expect(Redirect.target("/x", from: base) == nil, "\(base)")
    }
  }

  @Test func `F92 Bytes that are no UTF-8 stay what they are`() {
    let rows: [([UInt8], String)] = [
      (Array("/caf".utf8) + [0xE9], "http://h/caf%E9"), (Array("/caf".utf8) + [0xC3, 0xA9], "http://h/caf%C3%A9"),
      (Array("/x?q=".utf8) + [0xFF, 0xFE], "http://h/x?q=%FF%FE"),
      (Array("/a".utf8) + [0x80] + Array("/b".utf8), "http://h/a%80/b"),
    ]
    for (bytes, expected) in rows {
      let head = ResponseHead(bytes: Array("HTTP/1.1 302 Found\r\nLocation: ".utf8) + bytes + Array("\r\n".utf8))
      let next = Redirect.following(HopRequest(url: "http://h/", method: "GET"), head)
      #expect(next?.url == expected)
    }
    let host = Array("http://b".utf8) + [0xFC] + Array("cher.example/".utf8)
    #expect(Location.target(host, from: "http://h/") == nil)
  }

  @Test func `What comes out, every parser reads alike`() throws {
    for location in ["/a%20b c", "/x?sig=a%2Bb%2F&t=a|b", "/100%", "/[x]", #"\\g\x"#, "/é?ü#ß", "//127.1:8080"] {
      let text = try #require(Redirect.target(location, from: "https://h/a"))
      #expect(URL(string: text)?.absoluteString == text)
    }
  }
}
