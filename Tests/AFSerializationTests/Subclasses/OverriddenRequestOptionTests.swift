import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking
import Testing

/// F64: what a subclass overrides counts, also where nothing was ever assigned.
@Suite struct OverriddenRequestOptionTests {
  private struct Body: Encodable {
    let bValue = 2
    let aValue = 1
  }

  private static let common: Set<String> = [
    "stringEncoding", "allowsCellularAccess", "cachePolicy", "httpShouldHandleCookies", "httpShouldUsePipelining",
    "networkServiceType", "timeoutInterval", "httpMethodsEncodingParametersInURI", "queryStringEncoding", "encoder",
    "httpRequestHeaders",
  ]

  private static let rows: [(any AFHTTPRequestSerializer & AskedRecorder, Set<String>)] = [
    (OwnForms(), common), (OwnJSON(), common.union(["writingOptions"])),
    (OwnPropertyLists(), common.union(["format", "writeOptions", "propertyListEncoder"])),
  ]

  @Test(arguments: 0..<3) func `every option that a subclass overrides is asked for when requests are made`(row: Int)
    throws
  {
    let (serializer, expected) = Self.rows[row]
    for method in ["PURGE", "POST"] {
      let request = try serializer.request(
        withMethod: method, urlString: "http://h/", parameters: ["a": "b c"] as [String: any Sendable])
      #expect(request.timeoutInterval == 7)
      #expect(request.cachePolicy == .returnCacheDataDontLoad)
      #expect(!request.allowsCellularAccess && !request.httpShouldHandleCookies)
      #expect(request.networkServiceType == .background)
      #expect(request.value(forHTTPHeaderField: "X-Own") == "1")
      #expect(request.value(forHTTPHeaderField: "User-Agent") == nil)
      #expect(request.url?.query == (method == "PURGE" ? "a=b+c" : nil))
      #expect((request.httpBody == nil) == (method == "PURGE"))
      try serializer.request(withMethod: method, urlString: "http://h/", body: Body())
    }
    #expect(serializer.names == expected)
  }

  @Test func `an overridden encoding, encoder, format and set of writing options is what bodies are written with`()
    throws
  {
    let form = try OwnForms().request(withMethod: "POST", urlString: "http://h/", parameters: ["a": "b c"])
    #expect(form.httpBody == "a=b+c".data(using: .utf16LittleEndian))
    let query = try OwnForms().request(withMethod: "POST", urlString: "http://h/", body: Body())
    #expect(query.httpBody == "a_value=1&b_value=2".data(using: .utf16LittleEndian))
    let encoded = try OwnJSON().request(withMethod: "POST", urlString: "http://h/", body: Body())
    #expect(encoded.httpBody == Data(#"{"a_value":1,"b_value":2}"#.utf8))
    let json = try OwnJSON().request(withMethod: "POST", urlString: "http://h/", parameters: ["b": 1, "a": 2, "c": 3])
    #expect(json.httpBody == Data(#"{"a":2,"b":1,"c":3}"#.utf8))
    let list = try OwnPropertyLists().request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
    #expect(list.httpBody?.starts(with: Data("bplist".utf8)) == true)
    let value = try OwnPropertyLists().request(withMethod: "POST", urlString: "http://h/", body: Body())
    #expect(value.httpBody?.starts(with: Data("bplist".utf8)) == true)
    let multipart = OwnForms().multipartFormRequest(
      withMethod: "POST", urlString: "http://h/", parameters: ["a": "b"], constructingBodyWith: nil, error: nil)
    #expect(multipart.timeoutInterval == 7)
  }

  @Test func `a subclass that overrides none of the options leaves those of the session in force`() throws {
    final class Plain: AFJSONRequestSerializer, @unchecked Sendable {}
    let request = try Plain().request(withMethod: "GET", urlString: "http://h/", parameters: nil)
    let fresh = URLRequest(url: url("http://h/"))
    #expect(request.timeoutInterval == fresh.timeoutInterval && request.cachePolicy == fresh.cachePolicy)
    #expect(request.httpShouldHandleCookies && request.allowsCellularAccess)
    #expect(request.value(forHTTPHeaderField: "User-Agent") != nil)
  }

  @Test func `an override that calls super gives what was assigned, with what it adds`() throws {
    final class More: AFHTTPRequestSerializer, @unchecked Sendable {
      override var httpRequestHeaders: [String: String] {
        super.httpRequestHeaders.merging(["Authorization": "Bearer t"]) { $1 }
      }
    }
    let serializer = More()
    serializer.setValue("v", forHTTPHeaderField: "X-Set")
    let request = try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: nil)
    #expect(request.value(forHTTPHeaderField: "X-Set") == "v")
    #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t")
  }

  @Test func `an overridden header that would break out of its line is refused like an assigned one`() {
    final class Bad: AFHTTPRequestSerializer, @unchecked Sendable {
      override var httpRequestHeaders: [String: String] { ["X": "a\r\nHost: b"] }
    }
    #expect(throws: AFURLRequestSerializationError.self) {
      try Bad().request(withMethod: "GET", urlString: "http://h/", parameters: nil)
    }
  }
}
