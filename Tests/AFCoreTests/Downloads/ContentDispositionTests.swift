import AFCore
import Foundation
import FoundationNetworking
import Testing

/// RFC 6266 and RFC 8187: which name a Content-Disposition suggests, for whatever servers write. Without one it is the URL's, "page".
@Suite struct ContentDispositionTests {
  @Test(
    arguments: [
      // Tokens and quoted strings, whatever the disposition.
      (#"inline; filename="foo.html""#, "foo.html"), (#"attachment; filename="foo.html""#, "foo.html"),
      (#"attachment; filename=foo.html"#, "foo.html"), (#"ATTACHMENT; FILENAME="foo.html""#, "foo.html"),
      (#"form-data; name="x"; filename="foo.html""#, "foo.html"), (#"foobar; filename="foo.html""#, "foo.html"),
      (#"attachment;filename=foo.html;size=5"#, "foo.html"), (#"attachment; filename = foo.html ;"#, "foo.html"),
      (#"attachment; ;filename=foo.html"#, "foo.html"), (#"attachment; filename ="foo.html""#, "foo.html"),
      (#"filename="foo.html""#, "foo.html"), (#"; filename=foo.html"#, "foo.html"),
      (#"attachment; filename=foo bar.html"#, "foo bar.html"),
      (#"attachment; filename="  foo  bar.html""#, "foo  bar.html"),
      (#"attachment; filename=foo"bar".html"#, "foobar.html"), (#"attachment; filename='foo.bar'"#, "'foo.bar'"),
      (#"attachment; filename="foo;bar.html""#, "foo;bar.html"), (#"attachment; filename="f\oo.html""#, "foo.html"),
      (#"attachment; filename="\"quoting\" tested.html""#, #""quoting" tested.html"#),
      (#"attachment; filename="a, b.html""#, "a, b.html"), (#"attachment; filename="foo.html"#, "foo.html"),
      (#"attachment; filename="foo-%41.html""#, "foo-%41.html"), (#"attachment; filename="50%.html""#, "50%.html"),
      (#"attachment; filename="foo-%c3%a4.html""#, "foo-%c3%a4.html"),
      (#"attachment; filename="foo-ä.html""#, "foo-ä.html"),
      (#"attachment; filename="=?UTF-8?Q?foo-=C3=A4.html?=""#, "=?UTF-8?Q?foo-=C3=A4.html?="),
      (#"attachment; filename=foo.html; filename=bar.html"#, "foo.html"),
      (#"attachment; xfilename=foo.html"#, "page"), (#"attachment; foo=foo.html"#, "page"), (#"attachment"#, "page"),
      (#""#, "page"), (#"attachment; filename"#, "page"), (#"attachment; filename="#, "page"),
      (#"attachment; filename="""#, "page"),
      (#"attachment; filename*0="foo."; filename*1="html""#, "page"),
      (#"attachment; foo="\"\\";filename="foo.html""#, "foo.html"),
      (#"attachment; foo="filename=bar";filename="foo.html""#, "foo.html"),
      // RFC 8187.
      (#"attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html"#, "foo-ä-€.html"),
      (#"attachment; filename*=utf-8'en'foo-%C3%A4.html"#, "foo-ä.html"),
      (#"attachment; filename*=iso-8859-1''foo-%E4.html"#, "foo-ä.html"),
      (#"attachment; filename*=UTF-8''A-%2541.html"#, "A-%41.html"),
      (#"attachment; filename*=UTF-8''foo%20bar.html"#, "foo bar.html"),
      (#"attachment; filename*= UTF-8''foo-%c3%a4.html"#, "foo-ä.html"),
      (#"attachment; filename* =UTF-8''foo-%c3%a4.html"#, "foo-ä.html"),
      (#"attachment; filename="foo-ae.html"; filename*=UTF-8''foo-%c3%a4.html"#, "foo-ä.html"),
      (#"attachment; filename*=UTF-8''foo-%c3%a4.html; filename="foo-ae.html""#, "foo-ä.html"),
      (#"attachment; filename*=''foo-%c3%a4.html"#, "page"), (#"attachment; filename*=UTF-8'foo-%c3%a4.html"#, "page"),
      (#"attachment; filename*=foo-%c3%a4.html"#, "page"), (#"attachment; filename*=koi8-r''foo-%c3%a4.html"#, "page"),
      (#"attachment; filename*=utf-8''foo-%E4.html"#, "page"),
      (#"attachment; filename*=UTF-8''foo-%c3%a4.html%"#, "page"),
      (#"attachment; filename*=UTF-8''f%oo.html"#, "page"), (#"attachment; filename*=iso-8859-1''f%+5o.html"#, "page"),
      (#"attachment; filename*=iso-8859-1''f%4"#, "page"),
      (#"attachment; filename*=utf-8''foo-%E4.html; filename=foo.html"#, "foo.html"),
      (#"attachment; filename*=koi8-r''x; filename=foo.html"#, "foo.html"),
      // What may not become a path, a hidden file, or a text that deceives.
      (#"attachment; filename*=UTF-8''%5cfoo.html"#, "foo.html"),
      (#"attachment; filename*=UTF-8''..%2f..%2fetc%2fpasswd"#, "passwd"),
      (#"attachment; filename="C:\\Windows\\x.exe""#, "x.exe"), (#"attachment; filename=/"#, "page"),
      (#"attachment; filename=".bashrc""#, "bashrc"), (#"attachment; filename="..""#, "page"),
      (#"attachment; filename=". . ""#, "page"),
      (#"attachment; filename*=UTF-8''a%00b.html"#, "ab.html"),
      (#"attachment; filename*=UTF-8''a%0d%0ab.html"#, "ab.html"),
      (#"attachment; filename*=UTF-8''txt.%E2%80%AEexe"#, "txt.exe"),
      (#"attachment; filename*=UTF-8''%2e%2e%2f"#, "page"),
      (#"attachment; filename="foo.html/""#, "foo.html"),
    ] as [(String, String)])
  func `F54, B38: the name that a field suggests`(_ field: String, _ expected: String) throws {
    let url = try #require(URL(string: "http://example.org/folder/page"))
    let response = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Content-Disposition": field]))
    #expect(AFSuggestedFilename(response) == expected)
  }
}
