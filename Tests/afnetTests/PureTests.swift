import AFSupport
import AFTestSupport
import Foundation
import Testing

@testable import afnet

@Suite struct TerminalTextTests {
  @Test(arguments: [
    ("plain\n\ttext", "plain\n\ttext"), ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"), ("a\r\nb", "a\nb"), ("a\rb", "a\\u{D}b"),
    ("\u{9B}31m", "\\u{9B}31m"), ("a\u{202E}b", "a\\u{202E}b"), ("\u{7}\u{8}\u{7F}", "\\u{7}\\u{8}\\u{7F}"),
    ("naïve 日本 😀", "naïve 日本 😀"), ("\u{2028}", "\\u{2028}"), ("\u{FEFF}x", "\\u{FEFF}x"),
  ])
  func `only line ends and tabs move the cursor`(text: String, shown: String) {
    #expect(TerminalText.shown(text) == shown)
  }

  @Test func `characters that are cut in two are put together, whatever the pieces`() {
    let text = "é日😀\u{1B}x"
    let bytes = Array(text.utf8)
    for size in 1...bytes.count {
      var terminal = TerminalText()
      var shown = ""
      for start in stride(from: 0, to: bytes.count, by: size) {
        shown += terminal.add(bytes[start..<min(bytes.count, start + size)])
      }
      #expect(shown + terminal.finish() == "é日😀\\u{1B}x")
    }
  }

  @Test func `what is cut off at the end, and what is no UTF-8, is shown as such`() {
    var terminal = TerminalText()
    #expect(terminal.add([0x61, 0xE6, 0x97]) == "a")
    #expect(terminal.finish() == "\u{FFFD}")
    #expect(terminal.add([0xFF, 0x61]) == "\u{FFFD}a")
  }

  @Test func `binary is told from text by its first bytes`() {
    #expect(TerminalText.looksBinary([0x89, 0x50, 0x00]))
    #expect(TerminalText.looksBinary((0..<200).map { UInt8($0 % 64 + 0x80) }))
    #expect(!TerminalText.looksBinary(Array("Grüße, 日本".utf8)))
    #expect(!TerminalText.looksBinary([]))
  }
}

@Suite struct JSONLayoutTests {
  @Test(arguments: [
    ("[]", "[]"), (" {} \n", "{}"), ("1.50e+3", "1.50e+3"), ("\"a\\\"b\"", "\"a\\\"b\""),
    ("[1,[2]]", "[\n  1,\n  [\n    2\n  ]\n]"), ("{\"a\":1,\"a\":null}", "{\n  \"a\": 1,\n  \"a\": null\n}"),
    ("12345678901234567890.12345", "12345678901234567890.12345"), ("\"\u{202E}\u{9B}\"", "\"\\u202e\\u009b\""),
    ("\"\u{E0001}\"", "\"\\udb40\\udc01\""),
  ])
  func `the tokens stay what they are`(text: String, laidOut: String) {
    #expect(JSONLayout.text(Data(text.utf8), colours: false) == laidOut)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "[1 2]", "01", "1.", "-", "tru", "nulll", "\"a", "\"\u{1}\"",
    "[1]]", "1e",
    "{\"a\":1,}", "'a'", "\"\\",
  ])
  func `what is no JSON is not laid out`(text: String) {
    #expect(JSONLayout.text(Data(text.utf8), colours: false) == nil)
  }

  @Test func `depth is limited, and colours end where they begin`() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(JSONLayout.text(Data(deep.utf8), colours: false) == nil)
    let coloured = JSONLayout.text(Data("{\"a\":[1,true]}".utf8), colours: true)
    #expect(
      coloured == "{\n  \u{1B}[34m\"a\"\u{1B}[0m: [\n    \u{1B}[36m1\u{1B}[0m,\n    \u{1B}[33mtrue\u{1B}[0m\n  ]\n}")
  }
}

@Suite struct NetrcTests {
  @Test(arguments: [
    ("machine h login u password p", "h", "u", "p"),
    ("machine other login x password y\nmachine H\n login u\n password p", "h", "u", "p"),
    ("default login d password e", "h", "d", "e"), ("machine h password p login u", "h", "u", "p"),
    ("machine h login \"u v\" password \"a\\\"b\\n\"", "h", "u v", "a\"b\n"),
    ("# machine h login no password no\nmachine h login u password p", "h", "u", "p"),
    ("macdef init\nmachine h login no password no\n\nmachine h login u password p", "h", "u", "p"),
    ("machine h login machine password default", "h", "machine", "default"),
    ("machine h account a login u password p", "h", "u", "p"),
  ])
  func `logins are found`(text: String, host: String, user: String, password: String) {
    #expect(Netrc.login(text, host: host) == Login(user: user, password: password))
  }

  @Test func `the user of the URL chooses, and half an entry is none`() {
    let text = "machine h login a password 1 machine h login b password 2"
    #expect(Netrc.login(text, host: "h", user: "b")?.password == "2")
    #expect(Netrc.login(text, host: "h", user: "c") == nil)
    #expect(Netrc.login(text, host: "x") == nil)
    #expect(Netrc.login("machine h login a", host: "h") == nil)
    #expect(Netrc.login("machine", host: "h") == nil)
  }
}

@Suite struct RequestPartTests {
  @Test(arguments: [
    ("h", "https://h"), ("localhost:8080/x", "https://localhost:8080/x"), ("HTTP://h/p", "HTTP://h/p"),
    ("http://[::1]:1/", "http://[::1]:1/"),
  ])
  func `a URL without a scheme is https`(text: String, url: String) throws {
    #expect(try Target(text).url.absoluteString == url)
  }

  @Test(
    arguments: [
      ("a=b", FormField.Source.text("b"), nil, nil), ("a=", .text(""), nil, nil), ("a==", .text("="), nil, nil),
      ("a=@f", .file(path: "f"), nil, nil), ("a=@f;type=t/x", .file(path: "f"), "t/x", nil),
      ("a=@x;y;filename=n;type=t", .file(path: "x;y"), "t", "n"), ("a=<f", .content(path: "f"), nil, nil),
      ("a=@-;filename=\"q r\"", .file(path: "-"), nil, "q r"),
    ] as [(String, FormField.Source, String?, String?)])
  func `form fields are read`(text: String, source: FormField.Source, type: String?, fileName: String?) throws {
    let field = try FormField(text)
    #expect(field.name == "a" && field.source == source && field.type == type && field.fileName == fileName)
  }

  @Test(arguments: ["", "a", "=b", "a=@", "a=@;type=x"])
  func `what is no form field is refused`(text: String) {
    #expect(throws: ToolFailure.self) { try FormField(text) }
  }

  @Test(arguments: [
    ("h:443:192.0.2.1", "h:443", "192.0.2.1"), ("[::1]:80:[::2],192.0.2.1", "[::1]:80", "[::2],192.0.2.1"),
    ("h:1:::1", "h:1", "::1"),
  ])
  func `addresses in the place of names`(text: String, place: String, addresses: String) throws {
    let resolved = try ConnectionOptions.resolved(text)
    #expect(resolved.place == place && resolved.addresses == addresses)
  }

  @Test func `pauses double up to a minute, and the server's wish counts up to ten`() {
    let retrying = Retrying(limit: 100, isIdempotent: true)
    var failure = ToolFailure(.serverError, "")
    failure.isTransient = true
    #expect([1, 2, 3, 7, 50].map { retrying.pause(failure, count: $0) } == [1, 2, 4, 60, 60])
    failure.retryAfter = 5
    #expect(retrying.pause(failure, count: 1) == 5)
    failure.retryAfter = 1e9
    #expect(retrying.pause(failure, count: 1) == 600)
    #expect(retrying.allows(failure, count: 100) && !retrying.allows(failure, count: 101))
    #expect(!Retrying(limit: 1, isIdempotent: false).allows(failure, count: 1))
    #expect(!retrying.allows(ToolFailure(.tls, ""), count: 1))
  }

  @Test func `bars stand on one scale and fit the width`() {
    let waterfall = Waterfall(
      total: 2,
      exchanges: [.init(title: "t", spans: [.init(label: "a", start: 0, end: 1), .init(label: "b", start: 1, end: 2)])])
    let lines = waterfall.text(width: 46).split(separator: "\n")
    #expect(
      lines == [
        "t", "  a         |==========          | 1.00 s", "  b         |          ==========| 1.00 s", "total 2.00 s",
      ])
    #expect(
      Waterfall(total: 0, exchanges: [.init(title: "t", spans: [.init(label: "a", start: 0, end: 0)])]).text(width: 1)
        .contains("|=         |"))
  }

  @Test(arguments: [
    (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (10_240, "10 KiB"), (1_048_500, "1.0 MiB"), (Int64.max, "8.0 EiB"),
  ])
  func `sizes for people`(bytes: Int64, text: String) { #expect(ByteText.size(bytes) == text) }

  @Test(arguments: [
    (0.4, "0:00"), (61, "1:01"), (3_661, "1:01:01"), (200_000, "2 d"), (Double.infinity, "-"), (Double.nan, "-"),
  ])
  func `times for people`(seconds: Double, text: String) { #expect(ByteText.duration(seconds) == text) }
}
