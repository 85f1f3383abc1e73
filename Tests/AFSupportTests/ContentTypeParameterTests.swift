import AFSupport
import Testing

@Suite struct ContentTypeParameterTests {
  @Test(
    "B13 a parameter is found in any letter case, quoted or not, wherever it stands",
    arguments: [
      ("text/plain; charset=utf-8", "utf-8"), ("text/plain;CHARSET=utf-8", "utf-8"),
      ("text/plain; a=b; charset=\"utf-8\"; c=d", "utf-8"), ("text/plain ;\tcharset=x ; y", "x"),
      ("text/plain; a=\"; charset=no\"; charset=yes", "yes"), ("text/plain; charset=\"a\\\"b\"", "a\"b"),
      ("text/plain; charset=one; charset=two", "one"), ("; charset=x", "x"), ("text/plain; charset=", ""),
      ("text/plain; charset", nil), ("text/plain; charset=\"open", nil), ("charset=x", nil), ("", nil), (";;;=;", nil),
      ("text/plain; xcharset=no", nil), ("text/plain; charset =x", nil),
    ])
  func parameter(_ header: String, _ expected: String?) {
    #expect(ContentTypeParameter.value(of: "charset", in: header) == expected)
  }
}
