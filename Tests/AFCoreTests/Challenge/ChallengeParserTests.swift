import Foundation
import Testing

@testable import AFCore

/// RFC 9110 §11.2 to §11.6.1: how the fields of a 401 or 407 are read.
@Suite struct ChallengeParserTests {
  /// As the tables write it: `scheme{name=value;name=value}`, a token68 behind a colon, challenges divided by blanks.
  private func shown(_ fields: [String]) -> String {
    ChallengeParser.challenges(in: fields.map { Array($0.utf8) }).map { challenge in
      let parameters = challenge.parameters.map { "\($0.name)=\(String(decoding: $0.value, as: UTF8.self))" }
      return challenge.scheme + (challenge.token68.map { ":\($0)" } ?? "")
        + (parameters.isEmpty ? "" : "{\(parameters.joined(separator: ";"))}")
    }.joined(separator: " ")
  }

  @Test(arguments: [
    // One challenge.
    ([#"Basic realm="x""#], "basic{realm=x}"),
    ([#"BASIC REALM="x""#], "basic{realm=x}"),
    ([#"Basic realm=x"#], "basic{realm=x}"),
    ([#"Basic realm="""#], "basic{realm=}"),
    ([#"Basic   realm="x"  "#], "basic{realm=x}"),
    ([#"Basic realm = "x""#], "basic{realm=x}"),
    (["Basic realm\t=\t\"x\"\t"], "basic{realm=x}"),
    (["Basic"], "basic"),
    (["Basic,"], "basic"),
    ([#"Basic realm="x", charset="UTF-8""#], "basic{realm=x;charset=UTF-8}"),
    ([#"Basic realm="x" , charset=UTF-8"#], "basic{realm=x;charset=UTF-8}"),
    ([#"Basic ,,realm="x",,, charset=UTF-8,"#], "basic{realm=x;charset=UTF-8}"),
    // Quotes and escapes.
    ([#"Basic realm="a, b""#], "basic{realm=a, b}"),
    ([#"Basic realm="a \"b\" c""#], #"basic{realm=a "b" c}"#),
    ([#"Basic realm="a\", Digest realm=\"b""#], #"basic{realm=a", Digest realm="b}"#),
    ([#"Basic realm="a\\""#], #"basic{realm=a\}"#),
    ([#"Basic realm="\a\b""#], "basic{realm=ab}"),
    ([#"Basic realm="ä ö""#], "basic{realm=ä ö}"),
    ([#"Basic realm="a=b""#], "basic{realm=a=b}"),
    (["Basic realm=\"a\tb\""], "basic{realm=a\tb}"),
    // Several of a field, and several fields.
    ([#"Basic realm="a", Digest realm="b", nonce="n""#], "basic{realm=a} digest{realm=b;nonce=n}"),
    (
      [#"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#],
      #"newauth{realm=apps;type=1;title=Login to "apps"} basic{realm=simple}"#
    ),
    ([#"Basic realm="a""#, #"Digest realm="b""#], "basic{realm=a} digest{realm=b}"),
    ([#"Digest realm="a""#, #"nonce="n""#], "digest{realm=a;nonce=n}"),
    ([#"Basic realm="a"#, "NTLM"], "basic ntlm"),
    (["NTLM", "Negotiate", #"Basic realm="x""#], "ntlm negotiate basic{realm=x}"),
    (["Negotiate, NTLM, Basic realm=x"], "negotiate ntlm basic{realm=x}"),
    (["Negotiate,NTLM,Basic realm=x"], "negotiate ntlm basic{realm=x}"),
    ([", , Basic realm=x"], "basic{realm=x}"),
    // token68.
    (["NTLM TlRMTVNTUAABAAAA"], "ntlm:TlRMTVNTUAABAAAA"),
    (["Negotiate YII="], "negotiate:YII="),
    (["Negotiate YII==, Basic realm=x"], "negotiate:YII== basic{realm=x}"),
    (["Negotiate a-._~+/9=="], "negotiate:a-._~+/9=="),
    (["Scheme a="], "scheme:a="),
    (["Scheme a=b"], "scheme{a=b}"),
    (["Scheme a=b="], "scheme{a=b=}"),
    // Values that should have been quoted, and are read.
    (["Digest nonce=ab/c+d==, qop=auth"], "digest{nonce=ab/c+d==;qop=auth}"),
    (["Basic realm=a:b@c"], "basic{realm=a:b@c}"),
    // Twice: the first one counts.
    ([#"Basic realm="a", realm="b""#], "basic{realm=a}"),
    ([#"Basic realm="a", REALM="b", x=y"#], "basic{realm=a;x=y}"),
    ([#"Basic realm="a""#, #"realm="b""#], "basic{realm=a}"),
    // What cannot be read is left out.
    ([""], ""),
    ([" , ,"], ""),
    ([#"realm="x""#], ""),
    ([#"="x""#], ""),
    ([#""Basic realm=x""#], ""),
    ([#""Basic realm=x", Digest realm=y"#], "digest{realm=y}"),
    ([#"Basic realm="x"#], "basic"),
    ([#"Basic realm="x\"#], "basic"),
    ([#"Basic realm="x\""#], "basic"),
    ([#"Basic realm="x"y, charset=UTF-8"#], "basic{charset=UTF-8}"),
    ([#"Basic realm=x y, charset=UTF-8"#], "basic{charset=UTF-8}"),
    // By the grammar that is a token68.
    ([#"Basic realm=, charset=UTF-8"#], "basic:realm={charset=UTF-8}"),
    ([#"Basic realm=x"y", charset=UTF-8"#], "basic{charset=UTF-8}"),
    (["Basic realm=\"a\u{1}b\", x=y"], "basic{x=y}"),
    (["Basic realm=\"a\u{7F}b\", x=y"], "basic{x=y}"),
    (["Basic realm=\"a\rb\", x=y"], "basic{x=y}"),
    (["Basic foo bar, Digest realm=y"], "basic digest{realm=y}"),
    ([#"(Basic) realm="x", Digest realm=y"#], "digest{realm=y}"),
    (["Basic/realm=x, Digest realm=y"], "digest{realm=y}"),
    (["Digest realm=a, nonce, qop=auth"], "digest{realm=a} nonce{qop=auth}"),
    ([";Basic realm=x"], ""),
  ])
  func `fields and what is read of them`(fields: [String], expected: String) {
    #expect(shown(fields) == expected)
  }

  @Test func `values are bytes, and a realm that is no UTF-8 is read as ISO-8859-1`() throws {
    let field = Array("Basic realm=\"Zugang f".utf8) + [0xFC] + Array("r alle\"".utf8)
    let challenges = ChallengeParser.challenges(in: [field])
    #expect(challenges.first?["realm"] == Array("Zugang f".utf8) + [0xFC] + Array("r alle".utf8))
    #expect(AuthenticationOffer.all(in: challenges).first?.space.realm == "Zugang für alle")
  }

  @Test func `more than any server sends is left out, in little time`() {
    let many = Array((0..<50_000).map { "a\($0)=b" }.joined(separator: ",").utf8)
    #expect(ChallengeParser.challenges(in: [Array("X ".utf8) + many])[0].parameters.count == 32)
    let schemes = Array((0..<50_000).map { "s\($0)" }.joined(separator: ",").utf8)
    #expect(ChallengeParser.challenges(in: [schemes]).count == 32)
    let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: 200_001)
    #expect(ChallengeParser.challenges(in: [quotes]).isEmpty)
  }

  @Test(arguments: [
    (["Basic realm=x"], "basic"),
    (["Basic realm=x, NTLM, Digest realm=y, nonce=n, Negotiate"], "negotiate digest ntlm basic"),
    (["Basic realm=x, Digest realm=y, nonce=n, algorithm=X-NEW"], "basic"),
    (["Digest realm=y, nonce=n, algorithm=X-NEW"], ""),
    (["Digest realm=y, nonce=n, qop=\"mine\", Basic realm=x"], "basic"),
    (["Digest realm=y"], ""), (["Digest nonce=n"], ""), (["Digest"], ""),
    (["Bearer realm=x, error=invalid_token"], ""),
    (["Scheme x, Mutual realm=y"], ""),
  ])
  func `F21 offers that can be answered, the strongest first`(fields: [String], expected: String) {
    let offers = AuthenticationOffer.all(in: ChallengeParser.challenges(in: fields.map { Array($0.utf8) }))
    #expect(offers.map { "\($0.scheme)" }.joined(separator: " ") == expected)
  }

  @Test(arguments: [
    (["MD5", "SHA-256"], "SHA-256"), (["SHA-256", "MD5"], "SHA-256"),
    (["SHA-256", "SHA-512-256", "MD5"], "SHA-512-256"), (["sha-256"], "SHA-256"),
    (["MD5", "MD5-sess"], "MD5"), (["MD5-sess", "MD5"], "MD5-sess"), (["SHA-512", "MD5"], "MD5"),
    (["SHA-256-sess", "SHA-256"], "SHA-256-sess"), (["SHA-1", "X"], nil), (["", "MD5"], "MD5"),
  ])
  func `F21 of several algorithms the strongest that is known`(names: [String], expected: String?) {
    let fields = names.map { Array("Digest realm=\"r\", nonce=\"n\", algorithm=\"\($0)\"".utf8) }
    let offers = AuthenticationOffer.all(in: ChallengeParser.challenges(in: fields))
    #expect(offers.first?.digest?.algorithm.rawValue == expected)
  }
}
