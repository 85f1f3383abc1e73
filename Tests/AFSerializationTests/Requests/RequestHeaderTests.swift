@testable import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct RequestHeaderTests {
  private let serializer = AFHTTPRequestSerializer()

  @Test("AF-T009 AF-T010 AF-T012 a header is read back in any letter case, and can be removed")
  func setAndRemove() {
    #expect(serializer.value(forHTTPHeaderField: "X-Test") == nil)
    serializer.setValue("value", forHTTPHeaderField: "X-Test")
    #expect(serializer.value(forHTTPHeaderField: "x-tEST") == "value")
    #expect(serializer.httpRequestHeaders["X-Test"] == "value")
    serializer.setValue("other", forHTTPHeaderField: "x-test")
    #expect(serializer.httpRequestHeaders["x-test"] == "other")
    #expect(serializer.httpRequestHeaders["X-Test"] == nil)
    serializer.setValue(nil, forHTTPHeaderField: "X-TEST")
    #expect(serializer.value(forHTTPHeaderField: "x-test") == nil)
    #expect(!serializer.httpRequestHeaders.keys.contains { $0.lowercased() == "x-test" })
  }

  @Test("AF-T013 headers are written from many threads")
  func threads() {
    DispatchQueue.concurrentPerform(iterations: 1_000) { index in
      serializer.setValue("\(index)", forHTTPHeaderField: "X-\(index % 10)")
      _ = serializer.httpRequestHeaders
      _ = serializer.request(bySerializingRequest: request(), withParameters: ["a": index], error: nil)
    }
    #expect(serializer.httpRequestHeaders.filter { $0.key.hasPrefix("X-") }.count == 10)
  }

  @Test("AF-X003 the request's header beats the default, which fills in for a missing one")
  func requestWins() throws {
    serializer.setValue("default", forHTTPHeaderField: "X-One")
    serializer.setValue("default", forHTTPHeaderField: "X-Two")
    var own = request("POST")
    own.setValue("own", forHTTPHeaderField: "x-one")
    own.setValue("text/plain", forHTTPHeaderField: "content-type")
    let result = try serializer.serialized(own, ["a": 1])
    #expect(result.value(forHTTPHeaderField: "X-One") == "own")
    #expect(result.value(forHTTPHeaderField: "X-Two") == "default")
    #expect(result.value(forHTTPHeaderField: "Content-Type") == "text/plain")
    #expect(result.allHTTPHeaderFields?.keys.filter { $0.lowercased() == "x-one" }.count == 1)
    #expect(result.allHTTPHeaderFields?.keys.filter { $0.lowercased() == "content-type" }.count == 1)
  }

  @Test("a default Content-Type beats the form's")
  func defaultContentType() throws {
    serializer.setValue("text/x-form", forHTTPHeaderField: "content-type")
    let result = try serializer.serialized(request("POST"), ["a": 1])
    #expect(result.value(forHTTPHeaderField: "Content-Type") == "text/x-form")
  }

  @Test(
    "AF-X001 Accept-Language has at most six languages, down to quality 0.5",
    arguments: [
      (0, ""), (1, "l0;q=1"), (3, "l0;q=1, l1;q=0.9, l2;q=0.8"),
      (6, "l0;q=1, l1;q=0.9, l2;q=0.8, l3;q=0.7, l4;q=0.6, l5;q=0.5"),
      (8, "l0;q=1, l1;q=0.9, l2;q=0.8, l3;q=0.7, l4;q=0.6, l5;q=0.5"),
    ])
  func acceptLanguage(_ count: Int, _ expected: String) {
    #expect(DefaultHeaders.acceptLanguage((0..<count).map { "l\($0)" }) == expected)
  }

  @Test(
    "the languages are those of the environment, as gettext reads it",
    arguments: [
      ([:], ["en"]), (["LANG": "C.UTF-8"], ["en"]), (["LC_ALL": "POSIX", "LANG": "de_DE"], ["en"]),
      (["LANG": "de_CH.UTF-8@euro"], ["de-CH"]), (["LC_MESSAGES": "fr_FR", "LANG": "de_DE"], ["fr-FR"]),
      (["LC_ALL": "", "LANG": "pt_BR.UTF-8"], ["pt-BR"]),
      (["LANGUAGE": "de_CH:de:en:de", "LANG": "de_CH.UTF-8"], ["de-CH", "de", "en"]),
      (["LANGUAGE": "de", "LANG": "C"], ["en"]), (["LANG": "x\r\nEvil: 1"], ["en"]), (["LANG": "."], ["en"]),
    ] as [([String: String], [String])])
  func languages(_ environment: [String: String], _ expected: [String]) {
    #expect(DefaultHeaders.languages(in: environment) == expected)
  }

  @Test("AF-X002 the user agent is ASCII and has the shape Name/Version (Linux …)")
  func userAgent() throws {
    let agent = try #require(serializer.value(forHTTPHeaderField: "User-Agent"))
    #expect(agent.wholeMatch(of: /[!#-'*+\-.^_`|~0-9A-Za-z]+\/[!-~]+ \(Linux [0-9.]+\)/) != nil, "\(agent)")
    #expect(!agent.contains("null") && !agent.contains("nil"))
    let kernel = OperatingSystemVersion(majorVersion: 6, minorVersion: 1, patchVersion: 0)
    #expect(DefaultHeaders.userAgent(name: "Приложение", version: "2", kernel: kernel) == "Prilozenie/2 (Linux 6.1.0)")
    #expect(DefaultHeaders.userAgent(name: "a b/c\r\n", version: "", kernel: kernel) == "a_b_c__/unknown (Linux 6.1.0)")
  }

  @Test("AF-X009 Basic credentials are the base64 of UTF-8, and can be cleared; so can a bearer token")
  func authorization() {
    serializer.setAuthorizationHeaderFieldWithUsername("user", password: "pä:ss")
    #expect(
      serializer.value(forHTTPHeaderField: "Authorization") == "Basic " + Data("user:pä:ss".utf8).base64EncodedString())
    serializer.clearAuthorizationHeader()
    #expect(serializer.value(forHTTPHeaderField: "Authorization") == nil)
    serializer.setAuthorizationHeaderField(bearerToken: "abc.def")
    #expect(serializer.value(forHTTPHeaderField: "authorization") == "Bearer abc.def")
    serializer.clearAuthorizationHeader()
    #expect(serializer.value(forHTTPHeaderField: "Authorization") == nil)
  }

  @Test(
    "B20 a header value with CR, LF or NUL fails the request, as a default and as the request's own",
    arguments: ["a\r\nX-Injected: yes", "a\nb", "a\rb", "a\0b", "a\r\n b"])
  func injectedValue(_ value: String) throws {
    let expected = AFURLRequestSerializationError.Reason.invalidHeaderValue(field: "X-Test")
    var own = request()
    own.allHTTPHeaderFields = ["X-Test": value]
    #expect { try serializer.serialized(own, nil) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason == expected
    }

    serializer.setValue(value, forHTTPHeaderField: "X-Test")
    for serializer in [serializer, try copied(serializer)] {
      #expect { try serializer.request(withMethod: "GET", urlString: "http://h", parameters: nil) } throws: {
        ($0 as? AFURLRequestSerializationError)?.reason == expected && !$0.localizedDescription.contains("Injected")
      }
    }
    serializer.setValue(nil, forHTTPHeaderField: "X-Test")
    #expect(throws: Never.self) { try serializer.serialized(request(), nil) }
  }

  @Test("B20 a header name that is no token fails the request", arguments: ["X Y", "X:", "", "X\r\nZ", "Ü"])
  func injectedName(_ name: String) {
    serializer.setValue("v", forHTTPHeaderField: name)
    #expect { try serializer.serialized(request(), nil) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason == .invalidHeaderName(name)
    }
  }

  @Test("B20 a method that is no token fails the request", arguments: ["GET /x HTTP/1.1\r\nA: b", "", "G T"])
  func injectedMethod(_ method: String) {
    #expect { try serializer.request(withMethod: method, urlString: "http://h", parameters: nil) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason == .invalidMethod(method)
    }
  }

  @Test("B20 text outside ASCII in a header value is kept as it is")
  func utf8Value() throws {
    serializer.setValue("café", forHTTPHeaderField: "X-Test")
    #expect(try serializer.serialized(request(), nil).value(forHTTPHeaderField: "X-Test") == "café")
  }
}
