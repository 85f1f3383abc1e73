import AFSecurity
import AFTestSupport
import Foundation
import Testing

@testable import AFCore

/// RFC 7616 §3.3 to §3.5: what is answered to a Digest challenge.
@Suite struct DigestTests {
  private static func challenge(_ field: String) -> DigestChallenge? {
    ChallengeParser.challenges(in: [Array(field.utf8)]).first.flatMap { DigestChallenge($0) }
  }

  private func answer(
    _ field: String, _ login: Login, _ subject: DigestAnswer.Subject, cnonce: String, count: UInt32 = 1
  ) -> DigestAnswer? {
    guard let challenge = Self.challenge(field), let secret = DigestAnswer.secret(challenge, login) else { return nil }
    return DigestAnswer(challenge, login, secret: secret, subject, cnonce: cnonce, count: count)
  }

  /// The parameters of an answer, by name.
  private func parameters(_ answer: DigestAnswer?) -> [String: String] {
    guard let answer, let parsed = ChallengeParser.challenges(in: [Array(answer.field.utf8)]).first else { return [:] }
    return Dictionary(
      parsed.parameters.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) },
      uniquingKeysWith: { first, _ in first })
  }

  @Test(arguments: [
    // RFC 7616 §3.9.1, both challenges.
    (
      #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
      "Mufasa", "Circle of Life", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
      #"Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", response="8ca523f5e9506fed4657c9700eebdbec", algorithm=MD5, qop=auth, nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
    ),
    (
      #"Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#,
      "Mufasa", "Circle of Life", "/dir/index.html", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
      #"Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", uri="/dir/index.html", response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", algorithm=SHA-256, qop=auth, nc=00000001, cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#
    ),
    // RFC 7616 §3.9.2, with the digests of its erratum 4897: the RFC's own are those of another hash.
    (
      #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#,
      "Jäsøn Doe", "Secret, or not?", "/doe.json", "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
      #"Digest username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b", realm="api@example.org", nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", uri="/doe.json", response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5", algorithm=SHA-512-256, qop=auth, nc=00000001, cnonce="NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", userhash=true"#
    ),
    // RFC 2617 §3.5.
    (
      #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#,
      "Mufasa", "Circle Of Life", "/dir/index.html", "0a4f113b",
      #"Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", response="6629fae49393a05397450978507c4ef1", qop=auth, nc=00000001, cnonce="0a4f113b", opaque="5ccc069c403ebaf9f0171e9517f40e41""#
    ),
    // RFC 2069 §2.4, with the digest of its errata.
    (
      #"Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#,
      "Mufasa", "CircleOfLife", "/dir/index.html", "unused",
      #"Digest username="Mufasa", realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", uri="/dir/index.html", response="1949323746fe6a43ef61f9606e7febea", opaque="5ccc069c403ebaf9f0171e9517f40e41""#
    ),
  ])
  func `the RFCs' own examples`(
    field: String, user: String, password: String, target: String, cnonce: String, expected: String
  ) {
    let subject = DigestAnswer.Subject(method: "GET", target: target)
    #expect(answer(field, Login(user: user, password: password), subject, cnonce: cnonce)?.field == expected)
  }

  @Test(arguments: [
    ("MD5", "", "GET", "f23121ca97143c6b358da620220c83b4"),
    ("MD5", "", "POST", "9927de077055c13c69f3dc5afcf10faa"),
    ("MD5", "", "PUT", "1148ee779aa1ee738ba0b912c695fd4a"),
    ("MD5", "auth", "GET", "490ab2d682267b3630d3509d981b982d"),
    ("MD5", "auth", "POST", "bba060a27eb78431a301ad865798f7e5"),
    ("MD5", "auth", "PUT", "d81daf6dd624eee3a74c9e9834ff60f2"),
    ("MD5", "auth-int", "GET", "7eeb55b7f6f7bbb156ec8ed04a13f5a5"),
    ("MD5", "auth-int", "POST", "5db91ac027889d1d76e4219801804186"),
    ("MD5", "auth-int", "PUT", "73ea87f89bee5c9ceeddff86ecdd7795"),
    ("MD5-sess", "", "GET", "254644af15666e40df975c5ae58b9796"),
    ("MD5-sess", "", "POST", "3b8a4ec9daa2243225a63298fc5d8003"),
    ("MD5-sess", "", "PUT", "d303cd92cee1f4bce5a9f3507b610704"),
    ("MD5-sess", "auth", "GET", "6e4aac8b22e97762f88ccd0d5ccf5b1d"),
    ("MD5-sess", "auth", "POST", "e6cda66cba31ae5f3f792ff5c64eb654"),
    ("MD5-sess", "auth", "PUT", "8e1a82235a0ed180aaafecb46910f5e9"),
    ("MD5-sess", "auth-int", "GET", "22094b92c78c43f4e13fe954ea37eb88"),
    ("MD5-sess", "auth-int", "POST", "77cea07d60b69331c543687dd4135769"),
    ("MD5-sess", "auth-int", "PUT", "71136b8ce94fa74829d11f984e7423fb"),
    ("SHA-256", "", "GET", "2543a936f96e723ee8500e9f9b02c068e91d314c4170b419da234eb029965532"),
    ("SHA-256", "", "POST", "2436e1032931ccbf66e86d414272c3036ad4228f6d2a4cadf3836e5973ec31bb"),
    ("SHA-256", "", "PUT", "e40826394fee7011205d5a73fa14c65d5f2cdc8915305d9f8e3de006cc4c0af1"),
    ("SHA-256", "auth", "GET", "e285f18fb83088139313caad403970c19bd4404bd6be92d89058963b9391420d"),
    ("SHA-256", "auth", "POST", "a168c54bb8137a4754cc35a6655494bc5752231203a9bd3e379b061ce30992b3"),
    ("SHA-256", "auth", "PUT", "deff6f6411b6b781a75a17a02218f68ab71add5d7e4eb86721404fc3566471a8"),
    ("SHA-256", "auth-int", "GET", "1b43e30012f5d7efa1ca861a096b50ae72f106271d7e9a4d60b944b3b0197efd"),
    ("SHA-256", "auth-int", "POST", "e2016381d8f87e6c2d1f3bd7a5fc4634c4d018764f1fdb0be36d772c7399b29b"),
    ("SHA-256", "auth-int", "PUT", "dc5cb78a202e8a78b035cb520d5dba1432edde846ee6f13ffe03f7943227ac15"),
    ("SHA-256-sess", "", "GET", "25aa860fbe5cad83773523931d57bd2a083749b6e9198e7b654ac1bad5a29cf3"),
    ("SHA-256-sess", "", "POST", "e336a988ab2f4ff6e73ca95fcda619b555e319be029ea2c749d4b9abd4748e7e"),
    ("SHA-256-sess", "", "PUT", "d2701ec5551e85f168fd37752b20b9b455091ab45ac53af4c58877dba0b1d30f"),
    ("SHA-256-sess", "auth", "GET", "ea348c3992b38a8ab656b8bcd3589ab596820515773c2a4605013c6216e0f070"),
    ("SHA-256-sess", "auth", "POST", "8519ba19ee76a88db5370db7a3242eaa50333519d335ca7f4b19cec3189cf551"),
    ("SHA-256-sess", "auth", "PUT", "aa5c24281982f05d2212cf069fb589afe8133b5443591465499f818c6c395aa1"),
    ("SHA-256-sess", "auth-int", "GET", "2e269cbfd437ed4a0a98d21b4534bcefff350e949c02116de9a74fe1c15faf54"),
    ("SHA-256-sess", "auth-int", "POST", "bbc261692a7ee1c3df2507ba910d8f1e9337f2ae16786083776026336f436402"),
    ("SHA-256-sess", "auth-int", "PUT", "4e25b9675eaa7c9bcf9df825ecbb49099b9c631bba9cabb6985f0e7d1b26071a"),
    ("SHA-512-256", "", "GET", "508c0332e3f4d312b395822796e242586651a628ed69f90cc97b26a959e27de6"),
    ("SHA-512-256", "", "POST", "836f335b892863eca97d1b938dd8873121bd80ebec0e2d6ee650117e712f4306"),
    ("SHA-512-256", "", "PUT", "8b3667ea4a3a3fd4a366c4f1dcdcebdf75dc0224be33f4eb4aa2e1fe04fdfab8"),
    ("SHA-512-256", "auth", "GET", "519cb229dddd3519d9837260180352bc20d17680bb51c2ee862b66f4d1c4b50f"),
    ("SHA-512-256", "auth", "POST", "897ae00d7c214c5d5f2e96f00e7f5419d745413d4192232ec5c36f875180d127"),
    ("SHA-512-256", "auth", "PUT", "64f0106596d81fcdad00441199fcaf56c069f916aaa24d1982bba5ddf17ace13"),
    ("SHA-512-256", "auth-int", "GET", "a937dc1b8af1f9c4e77897ef6fde2ae9787ef5e2a63004bdf7a3da22f8a2cae0"),
    ("SHA-512-256", "auth-int", "POST", "75a374c0737dba0e88eaa73224d118fb8c5e0763af4ab225761e0c6e918de88c"),
    ("SHA-512-256", "auth-int", "PUT", "41444ee433cdaa8c03281963b4e5e257844a9f0b3c8db9b15c37a0e340426a04"),
    ("SHA-512-256-sess", "", "GET", "0d0bde33272c425e0acc4ea6fa94207151b91b795b89e67a0893334424e6f742"),
    ("SHA-512-256-sess", "", "POST", "77fa94303bab98f37586aca24244658a51c0b5cb5be09f03ab756dfc5dd14e4f"),
    ("SHA-512-256-sess", "", "PUT", "7b356741212a6eb514c1d57ad04907dec7871027ef5e897db88fe475f543c5c3"),
    ("SHA-512-256-sess", "auth", "GET", "6e6e50806d14f6a14749fb7be46a93bb8b8e32d09c5741be9afd5377c4008576"),
    ("SHA-512-256-sess", "auth", "POST", "e8d654ee34140cdf5e8768e40aa01192f2735e8854905bfe86e2ab066f26a08d"),
    ("SHA-512-256-sess", "auth", "PUT", "75b20ad7a072fa44aa9ff49f59fe7df4794c5750afdeb7effb7c222a507d7ffd"),
    ("SHA-512-256-sess", "auth-int", "GET", "3eb478cc501bf2fade218a2b90d8522a4887a65a78ada0d05ac970c1a30053cc"),
    ("SHA-512-256-sess", "auth-int", "POST", "4e033046ade6dcd8f3f670cf5ba1f916b860bb6f169c70f43e10746ab40dfe48"),
    ("SHA-512-256-sess", "auth-int", "PUT", "1b343ab75746688f5ec54a1b833b7d93083e2f1ab086877fcc996b2defb2a321"),
  ])
  func `every algorithm, quality and body`(algorithm: String, quality: String, method: String, expected: String) throws
  {
    let (target, body): (String, [UInt8]) =
      switch method {
      case "GET": ("/", [])
      case "POST": ("/a?b=c&d=%22", Array("k=v".utf8))
      default: ("http://h.example/x", (0...255).map { UInt8($0) })
      }
    let qop = quality.isEmpty ? "" : ", qop=\"\(quality)\""
    let known = try #require(DigestAlgorithm(name: algorithm))
    let running = try #require(RunningDigest(known.hash))
    body.withUnsafeBytes { running.update($0) }
    let subject = DigestAnswer.Subject(method: method, target: target, bodyHash: running.finish())
    let answer = answer(
      "Digest realm=r, nonce=n, algorithm=\(algorithm)\(qop)", Login(user: "u", password: "p"), subject, cnonce: "c")
    let sent = parameters(answer)
    #expect(sent["response"] == expected)
    #expect(sent["algorithm"] == algorithm)
    #expect(sent["uri"] == target)
    #expect(sent["qop"] == (quality.isEmpty ? nil : quality))
    #expect(sent["nc"] == (quality.isEmpty ? nil : "00000001"))
    #expect(sent["cnonce"] == (quality.isEmpty && !algorithm.hasSuffix("-sess") ? nil : "c"))
  }

  /// A parameter of the challenge, or the login, at its extremes, and one of the answer; nil where there is no answer, "-" where the
  /// parameter is not in it.
  @Test(arguments: [
    ("qop=auth", "u", "qop", "auth"), ("qop=auth-int", "u", "qop", "auth-int"),
    ("qop=\"auth-int,auth\"", "u", "qop", "auth"),
    ("qop=\"auth-int , auth\"", "u", "qop", "auth"), ("qop=\"AUTH\"", "u", "qop", "auth"),
    ("qop=\"\"", "u", "qop", "-"), ("qop=\" , \"", "u", "qop", "-"), ("qop=\"new,auth\"", "u", "qop", "auth"),
    ("qop=\"new\"", "u", "qop", nil), ("x=y", "u", "cnonce", "-"), ("x=y", "u", "algorithm", "-"),
    ("algorithm=md5", "u", "algorithm", "MD5"), ("algorithm=\"SHA-256\"", "u", "algorithm", "SHA-256"),
    ("algorithm=SHA256", "u", "algorithm", nil), ("algorithm=\"\"", "u", "algorithm", nil),
    ("algorithm=token", "u", "algorithm", nil), ("algorithm=SHA-512", "u", "algorithm", nil),
    ("opaque=\"\"", "u", "opaque", ""), ("opaque=\"a\\\"b\"", "u", "opaque", "a\"b"), ("x=y", "u", "opaque", "-"),
    ("opaque=a/b+c==", "u", "opaque", "a/b+c=="), ("stale=true", "u", "stale", "-"),
    ("userhash=true", "u", "userhash", "true"), ("userhash=TRUE", "u", "userhash", "true"),
    ("userhash=false", "u", "userhash", "-"), ("userhash=yes", "u", "userhash", "-"),
    ("userhash=true", "u", "username", "ba84be203fdfc7d34e054a76d285d0c9"),
    ("userhash=true", "ü", "username", "8c152908a36b1ba002f1097bcefc96dd"),
    ("x=y", "u", "username", "u"), ("x=y", "", "username", ""), ("x=y", "a \"b\" \\c", "username", "a \"b\" \\c"),
    ("x=y", "a:b", "username", "a:b"), ("x=y", "ü", "username", "-"), ("x=y", "ü", "username*", "UTF-8''%C3%BC"),
    ("charset=UTF-8", "a ü\"'%;b", "username*", "UTF-8''a%20%C3%BC%22%27%25%3Bb"),
    ("charset=UTF-8", "!#$&+-.^_`|~ä", "username*", "UTF-8''!#$&+-.^_`|~%C3%A4"),
    ("charset=UTF-8", "u\u{308}", "username*", "UTF-8''%C3%BC"), ("x=y", "a\nb", "username", nil),
    ("x=y", "a\u{0}b", "username", nil), ("userhash=true", "a\nb", "userhash", "true"),
    ("domain=\"/a /b\"", "u", "domain", "-"), ("realm=second", "u", "realm", "r"), ("nonce=second", "u", "nonce", "n"),
  ])
  func `parameters at their extremes`(parameter: String, user: String, name: String, expected: String?) {
    let subject = DigestAnswer.Subject(method: "GET", target: "/", bodyHash: "00")
    let answer = answer(
      "Digest realm=r, nonce=n, \(parameter)", Login(user: user, password: "p"), subject, cnonce: "c")
    guard let expected else {
      #expect(answer == nil)
      return
    }
    #expect(answer != nil)
    #expect(parameters(answer)[name] ?? "-" == expected)
  }

  @Test(arguments: [
    (#"realm="a, \"b\"""#, "n", #"a, "b""#), (#"realm="""#, "n", ""), (#"realm="a\\b""#, "n", #"a\b"#),
    (#"realm="ä""#, "n", "ä"),
  ])
  func `a realm is hashed without its escapes and sent back with them`(realm: String, nonce: String, plain: String)
    throws
  {
    let field = "Digest \(realm), nonce=n"
    let sent = try #require(
      answer(field, Login(user: "u", password: "p"), .init(method: "GET", target: "/"), cnonce: "c"))
    #expect(parameters(sent)["realm"] == plain)
    let secret = try #require(Digest.hex(.md5, "u:\(plain):p"))
    let what = try #require(Digest.hex(.md5, "GET:/"))
    #expect(parameters(sent)["response"] == Digest.hex(.md5, "\(secret):n:\(what)"))
  }

  @Test(arguments: ["realm", "nonce", "opaque", "algorithm", "qop"])
  func `a challenge with bytes that are no UTF-8 is not answered`(name: String) {
    var parameters = ["realm": [UInt8(ascii: "r")], "nonce": [UInt8(ascii: "n")]]
    parameters[name] = [0xFF, 0xFE]
    var challenge = Challenge(scheme: "digest")
    challenge.parameters = parameters.map { Challenge.Parameter(name: $0.key, value: $0.value) }
    #expect(DigestChallenge(challenge) == nil)
  }

  @Test(arguments: [(UInt32(1), "00000001"), (255, "000000ff"), (0x1234_5678, "12345678"), (.max, "ffffffff")])
  func `the count has eight digits`(count: UInt32, expected: String) {
    let sent = answer(
      "Digest realm=r, nonce=n, qop=auth", Login(user: "u", password: "p"), .init(method: "GET", target: "/"),
      cnonce: "c",
      count: count)
    #expect(parameters(sent)["nc"] == expected)
  }

  @Test func `without a digest of the body there is no answer that covers it`() {
    let subject = DigestAnswer.Subject(method: "PUT", target: "/")
    #expect(
      answer("Digest realm=r, nonce=n, qop=auth-int", Login(user: "u", password: "p"), subject, cnonce: "c") == nil)
  }

  // MARK: A nonce's use

  private func session(_ field: String, _ cnonces: String...) throws -> DigestSession {
    let challenge = try #require(Self.challenge(field))
    let left = Recorder<String>()
    return try #require(
      DigestSession(challenge, Login(user: "u", password: "p")) {
        left.record("")
        return cnonces[min(left.count, cnonces.count) - 1]
      })
  }

  @Test func `the count goes on, and -sess keeps the client's nonce as long as the server's`() throws {
    let subject = DigestAnswer.Subject(method: "GET", target: "/")
    for (algorithm, expected) in [("MD5", ["c0 1", "c2 2", "c3 3"]), ("MD5-sess", ["c0 1", "c0 2", "c0 3"])] {
      let session = try session(
        "Digest realm=r, nonce=n, qop=auth, algorithm=\(algorithm)", "c0", "c1", "c2", "c3", "c4", "c5")
      let sent = (1...3).map { _ in parameters(session.answer(subject)) }
      #expect(sent.map { "\($0["cnonce"] ?? "") \(Int($0["nc"] ?? "", radix: 16) ?? 0)" } == expected)
      session.take(nextNonce: "m", after: "n")
      let next = parameters(session.answer(subject))
      #expect(next["nonce"] == "m" && next["nc"] == "00000001")
      // Late news about a nonce that is no longer used changes nothing.
      session.take(nextNonce: "x", after: "n")
      #expect(parameters(session.answer(subject))["nonce"] == "m")
    }
  }

  @Test func `requests at once never share a count`() async throws {
    let session = try session("Digest realm=r, nonce=n, qop=auth", "c")
    let counts = await withTaskGroup(of: String.self) { group in
      for _ in 0..<500 {
        group.addTask { self.parameters(session.answer(.init(method: "GET", target: "/")))["nc"] ?? "" }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(counts).count == 500)
    #expect(counts.max() == String(format: "%08x", 500))
  }

  // MARK: Authentication-Info

  @Test(arguments: [
    // RFC 2617 §3.2.3 names it, this is its formula for the example of §3.5.
    (#"qop=auth, rspauth="PROOF", cnonce="0a4f113b", nc=00000001"#, false), (#"rspauth="PROOF""#, false),
    (#"RSPAUTH=PROOF"#, false),
    (#"rspauth="WRONG""#, true), (#"rspauth="""#, true), (#"qop=auth-int, rspauth="WRONG""#, false),
    (#"nextnonce="x""#, false), ("", false), (#"rspauth"#, false), (#"rspauth="PROOF", rspauth="WRONG""#, false),
  ])
  func `the server's proof`(field: String, contradicts: Bool) throws {
    let sent = try #require(
      answer(
        #"Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#,
        Login(user: "Mufasa", password: "Circle Of Life"), .init(method: "GET", target: "/dir/index.html"),
        cnonce: "0a4f113b"))
    let secret = try #require(Digest.hex(.md5, "Mufasa:testrealm@host.com:Circle Of Life"))
    let what = try #require(Digest.hex(.md5, ":/dir/index.html"))
    let proof = try #require(
      Digest.hex(.md5, "\(secret):dcd98b7102dd2f0e8b11d0f600bfb0c093:00000001:0a4f113b:auth:\(what)"))
    let info = AuthenticationInfo([Array(field.replacingOccurrences(of: "PROOF", with: proof).utf8)])
    #expect(info.contradicts(sent) == contradicts)
  }

  @Test func `a login shows neither user nor password`() {
    let login = Login(user: "ada", password: "s3cret")
    var dumped = ""
    dump(login, to: &dumped)
    let texts = ["\(login)", String(reflecting: login), dumped]
    #expect(texts.allSatisfy { !$0.contains("ada") && !$0.contains("s3cret") })
  }
}
