import AFSupport
import Foundation
import FoundationNetworking
import Testing

@testable import AFSerialization

/// Rules of writing requests, each at its last value and the one behind it.
@Suite struct WritingRuleTests {
  private struct Opaque {}

  private func nested(_ levels: Int, _ wrap: (Any) -> Any) -> Any {
    (0..<levels).reduce("x" as Any) { value, _ in wrap(value) }
  }

  private static let wraps: [@Sendable (Any) -> Any] = [{ ["a": $0] }, { [$0] }, { NSArray(object: $0) }]

  @Test(arguments: wraps.indices)
  func `512 levels can be a query, and 513 cannot`(kind: Int) {
    func flattened(_ levels: Int, isLenient: Bool = false) throws -> Int {
      var count = 0
      let value = ["top": nested(levels - 1, Self.wraps[kind])]
      try ParameterFlattener(encoding: .init(), isLenient: isLenient).flatten(value) { _, _ in count += 1 }
      return count
    }
    #expect((try? flattened(512)) == 1)
    #expect(throws: AFURLRequestSerializationError.self) { try flattened(513) }
    // Where nothing can be refused, it is left out.
    #expect((try? flattened(512, isLenient: true)) == 1)
    #expect((try? flattened(513, isLenient: true)) == 0)
  }

  @Test func `512 levels can be JSON, and 513 cannot`() {
    for wrap in Self.wraps {
      #expect(throws: Never.self) { try StructuredParameters.checked(nested(512, wrap), for: .json) }
      #expect(throws: AFURLRequestSerializationError.self) {
        try StructuredParameters.checked(nested(513, wrap), for: .json)
      }
    }
  }

  @Test func `Foundation's containers hold 512 of each other, and no more`() throws {
    let deepest = try #require(nested(512) { NSArray(object: $0) } as? NSArray)
    #expect(!FoundationContainer.isBottomless(deepest))
    #expect(FoundationContainer.isBottomless(NSArray(object: deepest)))
  }

  @Test func `the free function writes the type of what has no text form`() {
    #expect(AFQueryStringFromParameters(["a": Opaque()]) == "a=Opaque")
  }

  @Test func `decimals keep their digits, and ordered sets their order`() {
    let decimal = NSDecimalNumber(string: "12345678901234567890.123456789")
    #expect(AFQueryStringFromParameters(["a": decimal]) == "a=12345678901234567890.123456789")
    #expect(AFQueryStringFromParameters(["a": NSOrderedSet(array: ["b", "a"])]) == "a%5B%5D=b&a%5B%5D=a")
    #expect(AFQueryStringFromParameters(["a": NSSet(array: ["b", "a"])]) == "a=a&a=b")
  }

  @Test func `what JSON cannot express is named by its own place`() {
    let error = #expect(throws: AFURLRequestSerializationError.self) {
      try StructuredParameters.checked([["x": 1], Date()] as [Any], for: .json)
    }
    #expect(error?.reason == .invalidParameter(path: "[1]", problem: "is a Date, which JSON cannot express"))
  }

  @Test(arguments: [("abcdefgh", ["abcdefgh"]), ("abcdefghi", ["en"]), ("de_abcdefghi", ["en"])])
  func `a part of a language tag has eight letters at most`(locale: String, languages: [String]) {
    #expect(DefaultHeaders.languages(in: ["LANG": locale]) == languages)
  }

  @Test func `a request's own fields win in whatever case they are written`() throws {
    let serializer = AFHTTPRequestSerializer()
    var request = URLRequest(url: url("http://h/"))
    request.httpMethod = "POST"
    for number in 0..<20 {
      serializer.setValue("default", forHTTPHeaderField: "X-Field-\(number)")
      request.setValue("own", forHTTPHeaderField: "x-field-\(number)")
    }
    let result = try serializer.serialized(request, ["a": 1])
    for number in 0..<20 { #expect(result.value(forHTTPHeaderField: "X-Field-\(number)") == "own") }
    for name in ["content-type", "CONTENT-TYPE", "Content-type", "cOntent-type", "coNtent-type", "conTent-type"] {
      var request = URLRequest(url: url("http://h/"))
      request.httpMethod = "POST"
      request.setValue("text/own", forHTTPHeaderField: name)
      #expect(try serializer.serialized(request, ["a": 1]).value(forHTTPHeaderField: "Content-Type") == "text/own")
    }
  }

  @Test(
    arguments: [
      ("http://h/p", "http://h/p?a=1"), ("http://h/p?b", "http://h/p?b&a=1"), ("http://h/p#f", "http://h/p?a=1#f"),
      ("http://h/p#f?g", "http://h/p?a=1#f?g"), ("http://h/p?b#f?g", "http://h/p?b&a=1#f?g"),
    ])
  func `parameters go between the URL's own query and its fragment`(from: String, to: String) throws {
    let result = try AFHTTPRequestSerializer().serialized(URLRequest(url: url(from)), ["a": 1])
    #expect(result.url?.absoluteString == to)
  }

  @Test func `a query block that gives nothing adds nothing`() throws {
    for query in ["", nil] as [String?] {
      let serializer = AFHTTPRequestSerializer()
      serializer.setQueryStringSerializationWith { _, _, _ in query }
      let result = try serializer.serialized(URLRequest(url: url("http://h/p")), ["a": 1])
      #expect(result.url?.absoluteString == "http://h/p")
    }
  }

  @Test func `a method is asked for in upper case`() {
    var settings = HTTPRequestSettings()
    settings.methodsEncodingParametersInURI = ["PURGE"]
    var request = URLRequest(url: url("http://h/"))
    request.httpMethod = "purge"
    #expect(settings.encodesParametersInURI(of: request))
    request.httpMethod = "get"
    #expect(!settings.encodesParametersInURI(of: request))
  }

  @Test func `an archive with a name and no value is read without its fields`() {
    let coder = CopyingCoder()
    coder.encodeStrings(["X-A", "1", "X-B"], forKey: "mutableHTTPRequestHeaders")
    #expect(HTTPRequestSettings(coder: coder).headers["X-A"] == nil)
    let whole = CopyingCoder()
    whole.encodeStrings(["X-A", "1"], forKey: "mutableHTTPRequestHeaders")
    #expect(HTTPRequestSettings(coder: whole).headers["X-A"] == "1")
  }

  private final class OwnBody: AFHTTPRequestSerializer, @unchecked Sendable {
    override func request(bySerializingRequest request: URLRequest, withBody body: any Encodable) throws -> URLRequest {
      request
    }
  }

  @Test func `values are made forms of by the form's serializer, unless a subclass makes bodies itself`() {
    #expect(AFHTTPRequestSerializer().makesFormsOfValues)
    #expect(!AFJSONRequestSerializer().makesFormsOfValues && !AFPropertyListRequestSerializer().makesFormsOfValues)
    #expect(!OwnBody().makesFormsOfValues)
  }
}
