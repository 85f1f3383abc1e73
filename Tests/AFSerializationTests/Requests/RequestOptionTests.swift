import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct RequestOptionTests {
  private let serializer = AFHTTPRequestSerializer()

  private func built() throws -> NSMutableURLRequest {
    try serializer.request(withMethod: "GET", urlString: "http://example.com", parameters: nil)
  }

  @Test("AF-X004 options that were not assigned leave the request's own; the defaults are read back")
  func unassigned() throws {
    let fresh = URLRequest(url: url("http://example.com"))
    let request = try built()
    #expect(request.timeoutInterval == fresh.timeoutInterval)
    #expect(request.cachePolicy == fresh.cachePolicy)
    #expect(request.httpShouldHandleCookies == fresh.httpShouldHandleCookies)
    #expect(request.allowsCellularAccess == fresh.allowsCellularAccess)
    #expect(serializer.timeoutInterval == 60)
    #expect(serializer.httpShouldHandleCookies)
    #expect(serializer.allowsCellularAccess)
    #expect(!serializer.httpShouldUsePipelining)
    #expect(serializer.cachePolicy == .useProtocolCachePolicy)
    #expect(serializer.networkServiceType == .default)
    #expect(serializer.stringEncoding == String.Encoding.utf8.rawValue)
    #expect(serializer.httpMethodsEncodingParametersInURI == ["GET", "HEAD", "DELETE"])
  }

  @Test("AF-X004 assigned options are set on requests made here, and not on hand-made ones")
  func assigned() throws {
    serializer.timeoutInterval = 5
    serializer.cachePolicy = .reloadIgnoringLocalCacheData
    serializer.httpShouldHandleCookies = false
    serializer.allowsCellularAccess = false
    serializer.httpShouldUsePipelining = true
    serializer.networkServiceType = .background
    let request = try built()
    #expect(request.timeoutInterval == 5)
    #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
    #expect(!request.httpShouldHandleCookies)
    #expect(!request.allowsCellularAccess)
    #expect(request.networkServiceType == .background)
    let handMade = try serializer.serialized(URLRequest(url: url("http://example.com")), nil)
    #expect(handMade.timeoutInterval == 60)
    #expect(handMade.httpShouldHandleCookies)
  }

  @Test("the method is sent as it was given")
  func method() throws {
    let request = try serializer.request(withMethod: "pAtCh", urlString: "http://example.com", parameters: ["a": 1])
    #expect(request.httpMethod == "pAtCh")
    #expect(request.httpBody == Data("a=1".utf8))
  }

  @Test("a copy keeps every option, the query block included, and is independent")
  func copy() throws {
    change(serializer)
    serializer.setQueryStringSerializationWith { _, _, _ in "block" }
    let copy = try copied(serializer)
    expectChanged(copy)
    #expect(try copy.serialized(request("GET"), ["a": 1]).url?.query == "block")
    copy.setValue("2", forHTTPHeaderField: "X-Test")
    #expect(serializer.value(forHTTPHeaderField: "X-Test") == "1")
  }

  @Test("an archive keeps every option but the query block")
  func archive() throws {
    #expect(AFHTTPRequestSerializer.supportsSecureCoding)
    change(serializer)
    expectChanged(try archived(serializer))
    let plain = try archived(AFHTTPRequestSerializer())
    #expect(try plain.request(withMethod: "GET", urlString: "http://h", parameters: nil).timeoutInterval == 60)
    #expect(plain.httpRequestHeaders == AFHTTPRequestSerializer().httpRequestHeaders)
  }

  private func change(_ serializer: AFHTTPRequestSerializer) {
    serializer.timeoutInterval = 5
    serializer.cachePolicy = .reloadIgnoringLocalCacheData
    serializer.httpShouldHandleCookies = false
    serializer.allowsCellularAccess = false
    serializer.httpShouldUsePipelining = true
    serializer.networkServiceType = .background
    serializer.stringEncoding = String.Encoding.utf16.rawValue
    serializer.httpMethodsEncodingParametersInURI = ["GET"]
    serializer.queryStringEncoding = AFQueryStringEncoding(arrays: .indices, booleans: .literal, spaces: .plus)
    serializer.setValue("1", forHTTPHeaderField: "X-Test")
    serializer.setValue(nil, forHTTPHeaderField: "User-Agent")
  }

  private func expectChanged(_ serializer: AFHTTPRequestSerializer) {
    #expect(serializer.timeoutInterval == 5)
    #expect(serializer.cachePolicy == .reloadIgnoringLocalCacheData)
    #expect(!serializer.httpShouldHandleCookies)
    #expect(!serializer.allowsCellularAccess)
    #expect(serializer.httpShouldUsePipelining)
    #expect(serializer.networkServiceType == .background)
    #expect(serializer.stringEncoding == String.Encoding.utf16.rawValue)
    #expect(serializer.httpMethodsEncodingParametersInURI == ["GET"])
    #expect(
      serializer.queryStringEncoding == AFQueryStringEncoding(arrays: .indices, booleans: .literal, spaces: .plus))
    #expect(serializer.value(forHTTPHeaderField: "X-Test") == "1")
    #expect(serializer.value(forHTTPHeaderField: "User-Agent") == nil)
  }
}
