import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct HTTPRequestSerializerTests {
  private let serializer = AFHTTPRequestSerializer()

  @Test("AF-T001 a POST has its parameters as a form body")
  func postForm() throws {
    let result = try serializer.serialized(request("POST"), ["key": "value"])
    #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    #expect(result.bodyText == "key=value")
    #expect(result.url == url("http://example.com"))
  }

  @Test("AF-T002 a POST without parameters has an empty form body", arguments: [nil, [String: String]()])
  func postEmpty(_ parameters: [String: String]?) throws {
    let result = try serializer.serialized(request("POST"), parameters)
    #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
    #expect(result.httpBody == Data())
  }

  @Test("AF-T003 a GET has its parameters in the query, and no body or type")
  func query() throws {
    let result = try serializer.serialized(request(), ["key": "value"])
    #expect(result.url?.query == "key=value")
    #expect(result.httpBody == nil)
    #expect(result.value(forHTTPHeaderField: "Content-Type") == nil)
  }

  @Test("AF-T004 empty parameters add nothing to the URL")
  func emptyQuery() throws {
    #expect(try serializer.serialized(request(), [String: Any]()).url?.absoluteString == "http://example.com")
  }

  @Test("AF-T005 reserved characters of a value are escaped")
  func reserved() throws {
    let result = try serializer.serialized(request(), ["key": " :#[]@!$&'()*+,;=/?"])
    #expect(result.url?.query == "key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?")
  }

  @Test("AF-T006 escapes in a value are escaped again")
  func escapedAgain() throws {
    let result = try serializer.serialized(request(), ["key": "%20%21%22"])
    #expect(result.url?.query == "key=%2520%2521%2522")
  }

  @Test("AF-T007 the result of a custom query block is used as it is, in query and body")
  func queryBlock() throws {
    serializer.setQueryStringSerializationWith { request, parameters, error in
      (parameters as? [String: String] ?? [:]).map { "\($0.key)**\($0.value)" }.joined(separator: "~")
    }
    #expect(try serializer.serialized(request(), ["key": "value"]).url?.query == "key**value")
    #expect(try serializer.serialized(request("POST"), ["key": "value"]).bodyText == "key**value")
  }

  @Test("AF-T011 AF-X008 the error of a query block wins over its text, and is the very error")
  func queryBlockFails() throws {
    let failure = NSError(domain: "test", code: 7)
    let box = UncheckedBox(failure)
    serializer.setQueryStringSerializationWith { _, _, error in
      error?.pointee = box.value
      return "text"
    }
    var error: NSError?
    let result = try serializer.request(
      bySerializingRequest: URLRequest(url: #require(URL(string: "test"))), withParameters: [String: Any](),
      error: &error)
    #expect(result == nil)
    #expect(error === failure)
    #expect(throws: failure) {
      try serializer.request(withMethod: "GET", urlString: "http://h", parameters: ["a": 1])
    }
    #expect(serializer.request(bySerializingRequest: request(), withParameters: ["a": 1], error: nil) == nil)
  }

  @Test("AF-X008 a query block is not called without parameters; nil and the style restore the default")
  func queryBlockRemoved() throws {
    let block: @Sendable (URLRequest, Any, NSErrorPointer) -> String? = { _, _, _ in "custom" }
    serializer.setQueryStringSerializationWith(block)
    #expect(try serializer.serialized(request(), nil).url?.query == nil)
    #expect(try serializer.serialized(request(), ["a": 1]).url?.query == "custom")
    serializer.setQueryStringSerializationWith(nil)
    #expect(try serializer.serialized(request(), ["a": 1]).url?.query == "a=1")
    serializer.setQueryStringSerializationWith(block)
    serializer.setQueryStringSerializationWith(.defaultStyle)
    #expect(try serializer.serialized(request(), ["a": 1]).url?.query == "a=1")
  }

  @Test("a query block that gives what no URL can hold is an error, not a request without URL")
  func badQueryBlock() {
    serializer.setQueryStringSerializationWith { _, _, _ in "a b\u{0}" }
    #expect { try serializer.serialized(request(), ["a": 1]) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason == .invalidQuery("?a b\u{0}")
    }
  }

  @Test("AF-T016 emoji in a query are escaped whole")
  func emoji() throws {
    let text = "!" + String(repeating: "👴🏿👷🏻👮🏽", count: 5)
    let result = try serializer.serialized(request(), ["test": text])
    let query = try #require(result.url?.query)
    #expect(query.hasPrefix("test=%21%F0%9F%91%B4%F0%9F%8F%BF"))
    #expect(query.removingPercentEncoding == "test=" + text)
  }

  @Test(
    "B09 AF-X015 the query goes behind an existing one and before the fragment",
    arguments: [
      ("http://h/p?x=1", "http://h/p?x=1&y=2"),
      ("http://h/p?", "http://h/p?&y=2"),
      ("http://h/p#f", "http://h/p?y=2#f"),
      ("http://h/p?x=1#f?g", "http://h/p?x=1&y=2#f?g"),
      ("http://h", "http://h?y=2"),
      ("p", "p?y=2"),
    ])
  func existingQuery(_ text: String, _ expected: String) throws {
    #expect(try serializer.serialized(URLRequest(url: url(text)), ["y": 2]).url?.absoluteString == expected)
    #expect(try serializer.serialized(URLRequest(url: url(text)), [String: Any]()).url?.absoluteString == text)
  }

  @Test("B07 plus signs and spaces come back from a form decoder as they went in", arguments: ["GET", "POST"])
  func plusAndSpace(_ method: String) throws {
    let parameters = ["p": "a+b&c=d?/#é", "user name": "hello world"]
    let result = try serializer.serialized(request(method), parameters)
    let text = try #require(method == "GET" ? result.url?.query : result.bodyText)
    #expect(!text.contains("+"))
    var components = URLComponents()
    components.percentEncodedQuery = text
    #expect(
      components.queryItems?.map { [$0.name, $0.value] } == [["p", "a+b&c=d?/#é"], ["user name", "hello world"]])
  }

  @Test("AF-X005 the method set is asked in upper case, and can be changed")
  func methodSet() throws {
    #expect(try serializer.serialized(request("get"), ["a": 1]).url?.query == "a=1")
    serializer.httpMethodsEncodingParametersInURI = ["POST"]
    #expect(try serializer.serialized(request("post"), ["a": 1]).url?.query == "a=1")
    #expect(try serializer.serialized(request("DELETE"), ["a": 1]).bodyText == "a=1")
  }

  @Test("the body replaces one that was there; a query leaves it alone")
  func existingBody() throws {
    var post = request("POST")
    post.httpBody = Data("old".utf8)
    #expect(try serializer.serialized(post, ["a": 1]).bodyText == "a=1")
    post.httpMethod = "DELETE"
    #expect(try serializer.serialized(post, ["a": 1]).bodyText == "old")
  }

  @Test("a text alone is sent as a value without a key")
  func loneText() throws {
    #expect(try serializer.serialized(request("POST"), "a b").bodyText == "=a%20b")
  }

  @Test("the body is written in the string encoding; what cannot be is an error")
  func stringEncoding() throws {
    serializer.stringEncoding = String.Encoding.utf16BigEndian.rawValue
    #expect(try serializer.serialized(request("POST"), ["a": 1]).httpBody == Data([0, 0x61, 0, 0x3D, 0, 0x31]))
    serializer.stringEncoding = String.Encoding.ascii.rawValue
    serializer.setQueryStringSerializationWith { _, _, _ in "é" }
    #expect { try serializer.serialized(request("POST"), ["a": 1]) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason == .unencodableText(encoding: String.Encoding.ascii.rawValue)
    }
  }

  @Test(
    "AF-X010 text that is no URL gives a typed error", arguments: ["", "http://exa mple", "http://h/é", "http://[::1"])
  func invalidURL(_ text: String) throws {
    var error: NSError?
    let request = serializer.request(withMethod: "GET", urlString: text, parameters: nil, error: &error)
    #expect(request.url?.scheme == "about")
    #expect(error?.domain == AFURLRequestSerializationErrorDomain)
    #expect(error?.code == URLError.Code.badURL.rawValue)
    #expect { try serializer.request(withMethod: "GET", urlString: text, parameters: nil) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason == .invalidURL(text)
    }
  }

  @Test("an invalid URL's credentials are not part of the message")
  func invalidURLKeepsSecret() {
    #expect { try serializer.request(withMethod: "GET", urlString: "http://me:secret@h/ x", parameters: nil) } throws: {
      !$0.localizedDescription.contains("secret") && $0.localizedDescription.contains("h/ x")
    }
  }

  @Test("what a form cannot express is named by its place")
  func inexpressible() throws {
    struct Opaque {}
    let loop = NSMutableDictionary()
    loop["self"] = loop
    defer { loop.removeAllObjects() }
    var deep: Any = "end"
    for _ in 0..<10_000 { deep = ["a": deep] }
    func reason(_ parameters: Any) -> AFURLRequestSerializationError.Reason? {
      var error: NSError?
      serializer.request(bySerializingRequest: request("POST"), withParameters: parameters, error: &error)
      return (error as? AFURLRequestSerializationError)?.reason
    }
    #expect(
      reason(["a": ["b": Opaque()]])
        == .invalidParameter(path: "a[b]", problem: "is a Opaque, which has no text form; encode it first"))
    #expect(
      reason(["l": loop]) == .invalidParameter(path: "l", problem: "holds itself or is nested deeper than 512 levels"))
    guard case .invalidParameter(_, "holds itself or is nested deeper than 512 levels") = reason(["d": deep]) else {
      Issue.record("10,000 levels were accepted")
      return
    }
    #expect(
      reason([1, 2])
        == .invalidParameter(path: "", problem: "of a query or form must be a dictionary, not an array or set"))
  }
}

/// Hands a value to a closure that may run anywhere. Unchecked because only the test knows that it runs here.
struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
