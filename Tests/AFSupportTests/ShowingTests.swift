import AFSupport
import Testing

/// F70 F71: what is shown of text from outside.
@Suite struct ShowingTests {
  @Test(
    "F70 what moves the cursor, ends the line, turns the direction or cannot be seen is escaped",
    arguments: [
      ("plain text", "plain text"), ("é 漢 🙂", "é 漢 🙂"), ("", ""), ("a\nb", "a\\u{A}b"), ("a\r\nb", "a\\u{D}\\u{A}b"),
      ("\u{1B}]0;title\u{7}", "\\u{1B}]0;title\\u{7}"),
      ("\u{9B}31m", "\\u{9B}31m"), ("\u{7F}", "\\u{7F}"), ("\0", "\\u{0}"), ("\t", "\\u{9}"),
      ("\u{202E}gnp", "\\u{202E}gnp"),
      ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"), ("a\u{2028}b\u{2029}", "a\\u{2028}b\\u{2029}"),
      ("\u{200B}\u{FEFF}", "\\u{200B}\\u{FEFF}"),
      ("\u{E000}", "\\u{E000}"), ("\u{AD}", "\\u{AD}"),
    ])
  func printable(_ text: String, _ shown: String) {
    #expect(text.printable() == shown)
  }

  @Test("long texts are cut, at the limit and not before")
  func limit() {
    #expect("12345".printable(limit: 5) == "12345")
    #expect("123456".printable(limit: 5) == "12345…")
    #expect(String(repeating: "\n", count: 3).printable(limit: 2) == "\\u{A}\\u{A}…")
    #expect(String(repeating: "é", count: 2_000).printable().count == 2_000)
    #expect(String(repeating: "x", count: 5_000).printable().count == 2_001)
  }

  @Test(
    "F71 a URL is shown without user, password and the values of parameters that look like secrets",
    arguments: [
      ("https://h/p", "https://h/p"), ("https://u:p@h/p?a=1", "https://h/p?a=1"),
      ("https://h/?token=S", "https://h/?token=…"),
      ("https://h/?a=1&access_token=S&b=2", "https://h/?a=1&access_token=…&b=2"),
      ("https://h/?X-Amz-Signature=S&x=1", "https://h/?X-Amz-Signature=…&x=1"),
      ("https://h/?API_KEY=S", "https://h/?API_KEY=…"), ("https://h/?apikey=S;sig=T", "https://h/?apikey=…;sig=…"),
      ("https://h/?to%6Ben=S", "https://h/?to%6Ben=…"), ("https://h/?%54OKEN=S", "https://h/?%54OKEN=…"),
      ("https://h/#id_token=S&state=x", "https://h/#id_token=…&state=x"),
      ("https://h/?q=a#access_token=S", "https://h/?q=a#access_token=…"),
      ("https://h/?token", "https://h/?token"), ("https://h/?token=", "https://h/?token=…"),
      ("https://h/?token=a=b", "https://h/?token=…"),
      ("https://h/?page=2&sort=name", "https://h/?page=2&sort=name"),
      ("https://h/?keyword=x&monkeys=3", "https://h/?keyword=x&monkeys=3"),
      ("https://h/?code=S&client_secret=T&password=U&pwd=V", "https://h/?code=…&client_secret=…&password=…&pwd=…"),
      ("https://h?token=S", "https://h?token=…"), ("not a url ?sig=S", "not a url ?sig=…"), ("", ""), ("?", "?"),
      ("#", "#"), ("?=x&=", "?=x&="),
      ("https://h/?%=1&%2=2&token%=S", "https://h/?%=1&%2=2&token%=…"),
    ])
  func urls(_ url: String, _ shown: String) {
    #expect(url.redactedURL == shown)
  }

  @Test(
    "F71 header fields that hold secrets are known by name",
    arguments: [
      ("Authorization", true), ("PROXY-AUTHORIZATION", true), ("cookie", true), ("Set-Cookie", true),
      ("X-Api-Key", true), ("X-Auth-Token", true),
      ("Proxy-Authenticate", true), ("X-CSRF-Token", true), ("Content-Type", false), ("ETag", false),
      ("Location", false), ("Date", false),
    ])
  func fields(_ name: String, _ isSecret: Bool) {
    #expect(Secrets.isSecretField(name) == isSecret)
  }
}
