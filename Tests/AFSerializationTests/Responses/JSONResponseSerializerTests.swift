import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct JSONResponseSerializerTests {
  private let serializer = AFJSONResponseSerializer()

  @Test(
    "AF-T028 AF-T029 AF-T030 the JSON types are accepted",
    arguments: ["application/json", "text/json", "text/javascript"])
  func types(_ type: String) {
    #expect(throws: Never.self) { try serializer.validate(response(type: type), data: Data("{}".utf8)) }
  }

  @Test("AF-T031 another type is refused, and nothing is decoded")
  func otherType() {
    let (value, error) = serializer.outcome(response(type: "nonstandard/json"), "{}")
    #expect(value == nil)
    #expect((error as? AFURLResponseSerializationError)?.reason == .unacceptableContentType("nonstandard/json"))
  }

  @Test("AF-T032 a dictionary is decoded")
  func dictionary() {
    let (value, error) = serializer.outcome(response(type: "text/json"), #"{"foo":"bar"}"#)
    #expect(value as? [String: String] == ["foo": "bar"])
    #expect(error == nil)
  }

  @Test(
    "AF-T033 AF-X036 what is not JSON is Foundation's error",
    arguments: ["{invalid}", "  ", "\n", #""fragment""#, "1", "{\"a\":1", String(repeating: "[", count: 10_000)])
  func malformed(_ text: String) {
    let (value, error) = serializer.outcome(response(type: "text/json"), text)
    #expect(value == nil)
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code == CocoaError.Code.propertyListReadCorrupt.rawValue)
  }

  @Test(
    "AF-T034 AF-T035 AF-X030 B11 B12 an empty body in any form is no value and no error",
    arguments: [(200, ""), (200, " "), (204, ""), (205, ""), (200, "\u{FEFF}")], ["application/json", "text/html", nil])
  func empty(_ reply: (Int, String), _ type: String?) {
    guard reply.1.isEmpty || type == "application/json" else { return }
    let (value, error) = serializer.outcome(response(reply.0, type: type), reply.1)
    #expect(value == nil)
    #expect(error == nil)
  }

  @Test("B11 a 205 with a body and no type is refused")
  func unexpectedBody() {
    #expect(serializer.outcome(response(205), "test").error?.code == URLError.Code.cannotDecodeContentData.rawValue)
  }

  @Test("B12 a byte order mark before the JSON is ignored")
  func byteOrderMark() {
    let body = Data([0xEF, 0xBB, 0xBF, 0x7B, 0x22, 0x61, 0x22, 0x3A, 0x31, 0x7D])
    let (value, error) = serializer.outcome(response(type: "application/json; charset=utf-8"), body)
    #expect(value as? [String: Int] == ["a": 1])
    #expect(error == nil)
  }

  @Test(
    "AF-X036 UTF-16 and UTF-32 are read",
    arguments: [String.Encoding.utf16, .utf32, .utf16LittleEndian, .utf32BigEndian])
  func unicodeEncodings(_ encoding: String.Encoding) {
    let (value, error) = serializer.outcome(response(type: "application/json"), #"{"a":"é"}"#.data(using: encoding))
    #expect(value as? [String: String] == ["a": "é"])
    #expect(error == nil)
  }

  @Test("AF-X031 a refused status with readable JSON gives the value and the error")
  func valueAndError() {
    let (value, error) = serializer.outcome(response(422, type: "application/json"), #"{"why":"not"}"#)
    #expect(value as? [String: String] == ["why": "not"])
    #expect((error as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(422))
    #expect(
      serializer.responseObject(for: response(422, type: "application/json"), data: Data("{}".utf8), error: nil) == nil)
  }

  @Test("AF-X032 a refused status with unreadable JSON gives the parser's error with the status error underneath")
  func bothErrors() {
    let (value, error) = serializer.outcome(response(500, type: "application/json"), "<html>")
    #expect(value == nil)
    #expect(error?.domain == NSCocoaErrorDomain)
    let underlying = error?.userInfo[NSUnderlyingErrorKey] as? AFURLResponseSerializationError
    #expect(underlying?.reason == .unacceptableStatusCode(500))
    #expect(underlying?.data == Data("<html>".utf8))
  }

  @Test("50 MiB of JSON are read, and refused with their body if the last byte is missing")
  func large() throws {
    let text = String(repeating: "x", count: 1 << 20)
    let data = try JSONSerialization.data(withJSONObject: [String](repeating: text, count: 50))
    let response = response(type: "application/json")
    #expect((serializer.outcome(response, data).value as? [String])?.count == 50)
    let (value, error) = serializer.outcome(response, data.dropLast())
    #expect(value == nil)
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect((error?.userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data)?.count == data.count - 1)
    #expect(error?.userInfo[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse === response)
  }

  @Test("AF-T036 nulls are removed from dictionaries and arrays")
  func removesNulls() throws {
    serializer.removesKeysWithNullValues = true
    let (value, error) = serializer.outcome(
      response(type: "application/json"),
      #"{"key":"value","nullkey":null,"array":[{"subnullkey":null}],"arrayWithNulls":[null]}"#)
    #expect(error == nil)
    let dictionary = try #require(value as? [String: Any])
    #expect(Set(dictionary.keys) == ["key", "array", "arrayWithNulls"])
    #expect((dictionary["array"] as? [[String: Any]])?.first?.isEmpty == true)
    #expect((dictionary["arrayWithNulls"] as? [Any])?.isEmpty == true)
  }

  @Test("AF-T037 AF-T038 AF-T039 copies and archives keep every option")
  func copyAndArchive() throws {
    #expect(AFJSONResponseSerializer.supportsSecureCoding)
    let serializer = AFJSONResponseSerializer(readingOptions: [.mutableContainers, .fragmentsAllowed])
    serializer.acceptableStatusCodes = IndexSet(integer: 100)
    serializer.acceptableContentTypes = ["test/type"]
    serializer.removesKeysWithNullValues = true
    for other in [try copied(serializer), try archived(serializer)] {
      #expect(other.readingOptions == [.mutableContainers, .fragmentsAllowed])
      #expect(other.removesKeysWithNullValues)
      #expect(other.acceptableStatusCodes == IndexSet(integer: 100))
      #expect(other.acceptableContentTypes == ["test/type"])
    }
  }
}

@Suite struct NullStrippingTests {
  private let json = #"{"a":null,"b":[null,1,[null]],"c":{"d":null,"e":{"f":null}},"g":"h"}"#

  @Test("AF-X037 nulls go at every level, empty containers stay")
  func nested() throws {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let result = AFJSONObjectByRemovingKeysWithNullValues(object, [])
    let expected: NSDictionary = ["b": [1, [Any]()] as [Any], "c": ["e": [String: Any]()], "g": "h"]
    #expect(result as? NSDictionary == expected)
    #expect(result is [String: Any])
  }

  @Test("AF-X037 a null alone stays")
  func alone() {
    #expect(AFJSONObjectByRemovingKeysWithNullValues(NSNull(), []) is NSNull)
    #expect(AFJSONObjectByRemovingKeysWithNullValues("x", []) as? String == "x")
  }

  @Test("AF-X037 containers are mutable if they were asked to be")
  func mutable() throws {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .mutableContainers)
    let result = try #require(
      AFJSONObjectByRemovingKeysWithNullValues(object, .mutableContainers) as? NSMutableDictionary)
    result["new"] = 1
    #expect(result["a"] == nil)
    #expect((result["b"] as? [Any])?.count == 2)
    #expect(AFJSONObjectByRemovingKeysWithNullValues([NSNull(), 1], .mutableContainers) is NSMutableArray)
  }

  @Test("a structure that holds itself, or is 10,000 deep, does not crash")
  func bottomless() {
    let loop = NSMutableArray(array: [NSNull()])
    loop.add(loop)
    defer { loop.removeAllObjects() }
    let isSame = AFJSONObjectByRemovingKeysWithNullValues(loop, []) as AnyObject === loop
    #expect(isSame)
    var deep: Any = [NSNull()]
    for _ in 0..<10_000 { deep = [deep] }
    let count = (AFJSONObjectByRemovingKeysWithNullValues(deep, []) as? [Any])?.count
    #expect(count == 1)
  }
}
