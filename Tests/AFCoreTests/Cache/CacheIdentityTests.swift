import AFTestSupport
import AFTransport
import Foundation
import FoundationNetworking
import Testing

@testable import AFCore

/// Which fields of a request say who is asking.
@Suite struct CacheIdentityTests {
  private static let credentials: [(String, String)] = [
    ("Authorization", "Basic dTpw"), ("authorization", "x"), ("Proxy-Authorization", "x"), ("Cookie", "s=A"),
    ("Cookie2", "x"), ("X-Api-Key", "A"), ("x-api-key", "A"), ("Api-Key", "A"), ("apikey", "A"), ("X-API", "A"),
    ("X-Auth", "A"), ("X-Auth-Token", "A"), ("X-Access-Token", "A"), ("Private-Token", "A"),
    ("X-Amz-Security-Token", "A"),
    ("X-Vault-Token", "A"), ("X-CSRF-Token", "A"), ("X-XSRF", "A"), ("X-Session", "A"), ("Session-ID", "A"),
    ("X-User", "A"), ("X-User-Id", "A"), ("X-Remote-User", "A"), ("X-Account", "A"), ("X-Tenant", "A"),
    ("X-Client-Id", "A"), ("X-Device-Id", "A"), ("X-Secret", "A"), ("X-Signature", "A"), ("X-Password", "A"),
    ("X-Customer", "A"), ("X-Member", "A"), ("X-Login", "A"), ("X-Identity", "A"), ("X-JWT-Assertion", "A"),
    ("From", "a@b.example"), ("X-Forwarded-For", "1.2.3.4"), ("X-Forwarded-User", "A"), ("X-On-Behalf-Of", "A"),
    ("Ocp-Apim-Subscription-Key", "A"), ("X-Goog-Api-Key", "A"), ("DD-API-KEY", "A"), ("X-Shopify-Access-Token", "A"),
    ("X-Parse-Session-Token", "A"), ("X-Request-Id-Token", "A"), ("X-Anything", "Bearer abc"),
    ("X-Anything", "basic abc"), ("X-Anything", "eyJhbGciOi.eyJzdWIi.c2ln"), ("User-Agent", "Token abc"),
  ]

  @Test("F59: a field that looks like a credential counts whatever the response says", arguments: credentials)
  func credential(_ name: String, _ value: String) {
    for isPrivate in [false, true] {
      #expect(CacheIdentity.counts(.init(name, value), isPrivate: isPrivate))
    }
  }

  private static let plain = [
    "Accept", "Accept-Language", "ACCEPT-ENCODING", "User-Agent", "Cache-Control", "Pragma", "If-None-Match",
    "If-Modified-Since", "Range", "Referer", "Origin", "Content-Type", "Content-Length", "Date", "DNT",
    "Sec-Fetch-Mode",
    "Sec-CH-UA", "TE", "Connection", "X-Request-Id", "X-Client-Request-Id", "X-Correlation-ID", "traceparent",
    "tracestate",
    "X-B3-TraceId", "X-B3-SpanId", "X-Amzn-Trace-Id", "X-Requested-With", "Prefer", "Priority", "Save-Data",
  ]

  @Test("A field that says nothing about the user never counts", arguments: plain)
  func saysNothing(_ name: String) {
    for isPrivate in [false, true] {
      #expect(!CacheIdentity.counts(.init(name, "some value"), isPrivate: isPrivate))
    }
  }

  @Test(
    "Any other field counts where the response is private",
    arguments: ["X-Anything", "Foo", "X-Locale", "X-Feature", "X-App-Version", "X-Me"])
  func others(_ name: String) {
    #expect(CacheIdentity.counts(.init(name, "A"), isPrivate: true))
    #expect(!CacheIdentity.counts(.init(name, "A"), isPrivate: false))
  }

  private static let one: [(String, String)] = [("Accept", "a"), ("X-Api-Key", "A"), ("Cookie", "s=1")]

  /// `Vary`, whether private, the second request's fields, whether its Cookie is the storage's, whether it gets the first one's
  /// response.
  private static let pairs: [([String], Bool, [(String, String)], Bool, Bool)] = [
    ([], false, one, false, true), ([], false, one.reversed(), false, true),
    ([], false, [("accept", "b"), ("x-api-key", "A"), ("cookie", "s=1")], false, true),
    (["accept"], false, [("Accept", "b"), ("X-Api-Key", "A"), ("Cookie", "s=1")], false, false),
    ([], false, [("X-Api-Key", "B"), ("Cookie", "s=1")], false, false),
    ([], false, [("X-Api-Key", "A"), ("Cookie", "s=2")], false, false),
    ([], false, [("X-Api-Key", "A")], false, false), ([], false, [("Cookie", "s=1")], false, false),
    ([], false, [], false, false),
    ([], false, one + [("X-Auth", "A")], false, false), ([], false, one + [("X-Other", "A")], false, true),
    ([], true, one + [("X-Other", "A")], false, false), ([], true, one, false, true),
  ]

  @Test("F59: which requests have a response in common", arguments: pairs)
  func selectors(
    _ names: [String], _ isPrivate: Bool, _ other: [(String, String)], _ isStored: Bool, _ isSame: Bool
  ) {
    let variance = CacheVariance(names: names, isPrivate: isPrivate)
    func sent(_ fields: [(String, String)]) -> SentFields {
      SentFields(fields.map { .init($0.0, $0.1) }, hasStoredCookies: isStored)
    }
    #expect((variance.selector(sent(Self.one)) == variance.selector(sent(other))) == isSame)
  }

  @Test("The storage's cookies count by Vary, and where the response is private", arguments: [false, true])
  func stored(_ isPrivate: Bool) {
    func isSame(_ names: [String]) -> Bool {
      let variance = CacheVariance(names: names, isPrivate: isPrivate)
      let (one, two) = (
        SentFields([.init("Cookie", "s=1")], hasStoredCookies: true),
        SentFields([.init("Cookie", "s=2")], hasStoredCookies: true)
      )
      return variance.selector(one) == variance.selector(two)
    }
    #expect(isSame([]) == !isPrivate)
    #expect(!isSame(["cookie"]))
  }

  @Test func `A client certificate counts, and no secret can be read out of a selector`() {
    let variance = CacheVariance(names: [], isPrivate: false)
    let selectors = [nil, "one", "two"].map { variance.selector(SentFields([.init("Cookie", "s=1")], certificate: $0)) }
    #expect(Set(selectors).count == 3)
    #expect(selectors.allSatisfy { $0.utf8.count == 64 && !$0.contains("s=1") })
  }
}

@Suite struct CacheVariantsTests {
  private func variant(_ number: Int, _ names: [String] = ["a", "b"]) -> CacheVariants.Variant {
    CacheVariants.Variant(variance: CacheVariance(names: names, isPrivate: number % 2 == 0), selector: "\(number)")
  }

  @Test func `A list is written and read again`() {
    var variants = CacheVariants()
    for number in 0..<3 { #expect(variants.insert(variant(number, number == 1 ? [] : ["a", "b"])) == nil) }
    #expect(CacheVariants(text: variants.text) == variants)
    #expect(CacheVariants(text: "").all.isEmpty)
  }

  @Test("Nonsense is no list", arguments: ["x", "x 1", "\n\n", "a b c d", "\u{0}"])
  func nonsense(_ text: String) { #expect(CacheVariants(text: text).all.isEmpty) }

  @Test func `The oldest of too many makes room, and one that comes again is the newest`() {
    var variants = CacheVariants()
    for number in 0..<CacheVariants.limit { #expect(variants.insert(variant(number)) == nil) }
    #expect(variants.insert(variant(0)) == nil)
    #expect(variants.insert(variant(99)) == "1")
    #expect(variants.all.count == CacheVariants.limit)
    #expect(variants.all.suffix(2).map(\.selector) == ["0", "99"])
  }

  @Test func `Those that answer a request are found, the newest first`() {
    let sent = SentFields([.init("a", "1"), .init("c", "2")])
    var variants = CacheVariants()
    let matching = [["a"], ["c"]].map { names in
      let variance = CacheVariance(names: names, isPrivate: false)
      return CacheVariants.Variant(variance: variance, selector: variance.selector(sent))
    }
    for variant in matching + [variant(7)] { _ = variants.insert(variant) }
    #expect(variants.selectors(for: sent) == matching.reversed().map(\.selector))
    #expect(variants.selectors(for: SentFields([.init("a", "1")])) == [matching[0].selector])
  }
}
