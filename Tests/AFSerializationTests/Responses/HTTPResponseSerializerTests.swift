import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct HTTPResponseSerializerTests {
  private let serializer = AFHTTPResponseSerializer()

  @Test("AF-T017 AF-T021 every 2xx status is accepted", arguments: 200...299)
  func accepts2xx(_ status: Int) throws {
    #expect(serializer.acceptableStatusCodes?.contains(status) == true)
    #expect(throws: Never.self) {
      try serializer.validate(response(status, type: "text/html"), data: Data("text".utf8))
    }
  }

  @Test("AF-T020 every 4xx and 5xx status is refused", arguments: 400...599)
  func refuses4xx5xx(_ status: Int) {
    #expect(serializer.acceptableStatusCodes?.contains(status) == false)
    #expect { try serializer.validate(response(status, type: "text/html"), data: Data("text".utf8)) } throws: {
      ($0 as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(status)
    }
  }

  @Test("AF-T018 AF-T019 a 205 without type is fine without a body, and refused with one")
  func missingType() {
    serializer.acceptableContentTypes = ["text/html"]
    #expect(throws: Never.self) { try serializer.validate(response(205), data: nil) }
    #expect(throws: Never.self) { try serializer.validate(response(205), data: Data()) }
    #expect { try serializer.validate(response(205), data: Data("test".utf8)) } throws: {
      ($0 as? AFURLResponseSerializationError)?.reason == .unacceptableContentType(nil)
    }
  }

  @Test("AF-X029 when both checks fail the status error is outside and the type error underneath, both complete")
  func bothFail() throws {
    serializer.acceptableContentTypes = ["text/plain"]
    let response = response(500, type: "text/html")
    let data = Data("oops".utf8)
    let (value, error) = serializer.outcome(response, data)
    #expect(value as? Data == data)
    let outer = try #require(error)
    let inner = try #require(outer.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(outer.code == URLError.Code.badServerResponse.rawValue)
    #expect(inner.code == URLError.Code.cannotDecodeContentData.rawValue)
    for error in [outer, inner] {
      #expect(error.domain == AFURLResponseSerializationErrorDomain)
      #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == response.url)
      #expect(error.userInfo[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse === response)
      #expect(error.userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data == data)
      let typed = try #require(error as? AFURLResponseSerializationError)
      #expect(typed.response === response)
      #expect(typed.data == data)
    }
    #expect(inner.localizedDescription == "Request failed: unacceptable content-type: text/html")
    #expect(outer.localizedDescription == "Request failed: internal server error (500)")
    #expect(inner.userInfo[NSUnderlyingErrorKey] == nil)
  }

  @Test("AF-X030 a wrong type with an empty body is no error")
  func wrongTypeWithoutBody() {
    serializer.acceptableContentTypes = ["text/plain"]
    #expect(throws: Never.self) { try serializer.validate(response(204, type: "text/html"), data: Data()) }
  }

  @Test("AF-X033 no response, one that is not HTTP, or one without URL is never refused")
  func nothingToCheck() {
    #expect(throws: Never.self) { try serializer.validate(nil, data: Data("x".utf8)) }
    let other = URLResponse(
      url: url("file:///x"), mimeType: "text/html", expectedContentLength: 1, textEncodingName: nil)
    serializer.acceptableContentTypes = ["text/plain"]
    #expect(serializer.outcome(other, Data("x".utf8)).error == nil)
    #expect(serializer.outcome(nil, Data("x".utf8)).value as? Data == Data("x".utf8))
  }

  @Test("AF-X034 letter case and parameters of the content type do not matter")
  func typeForms() {
    serializer.acceptableContentTypes = ["application/json"]
    #expect(throws: Never.self) {
      try serializer.validate(response(type: "Application/JSON; charset=utf-8"), data: Data("x".utf8))
    }
  }

  @Test("AF-X035 nil sets check nothing")
  func nilSets() {
    serializer.acceptableStatusCodes = nil
    serializer.acceptableContentTypes = nil
    #expect(throws: Never.self) { try serializer.validate(response(500, type: "x/y"), data: Data("x".utf8)) }
  }

  @Test("without an error pointer the body is still given")
  func withoutPointer() {
    #expect(serializer.responseObject(for: response(500), data: Data("x".utf8), error: nil) as? Data == Data("x".utf8))
    #expect(serializer.responseObject(for: response(200), data: nil, error: nil) == nil)
  }

  @Test("AF-T022 AF-T023 copies and archives have the same codes and types, nil included")
  func copyAndArchive() throws {
    #expect(AFHTTPResponseSerializer.supportsSecureCoding)
    for (codes, types) in [
      (IndexSet([200, 404, 500, 501, 502]), Set(["a/b", "c/d"])), (nil, nil), (IndexSet(), []),
    ] as [(IndexSet?, Set<String>?)] {
      serializer.acceptableStatusCodes = codes
      serializer.acceptableContentTypes = types
      for other in [try copied(serializer), try archived(serializer)] {
        #expect(other.acceptableStatusCodes == codes)
        #expect(other.acceptableContentTypes == types)
      }
    }
  }

  @Test("the ignored string encoding of AFNetworking 3 can be assigned")
  func ignoredEncoding() {
    #expect(serializer.stringEncoding == String.Encoding.utf8.rawValue)
    serializer.stringEncoding = String.Encoding.ascii.rawValue
    #expect(serializer.stringEncoding == String.Encoding.ascii.rawValue)
  }

  @Test("types can be added in place, as ported code does")
  func insertType() {
    let json = AFJSONResponseSerializer()
    json.acceptableContentTypes?.insert("text/html")
    #expect(json.acceptableContentTypes == ["application/json", "text/json", "text/javascript", "text/html"])
  }
}
