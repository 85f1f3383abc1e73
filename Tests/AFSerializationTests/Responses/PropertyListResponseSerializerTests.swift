import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct PropertyListResponseSerializerTests {
  private let serializer = AFPropertyListResponseSerializer()

  @Test(
    "AF-T042 a property list is decoded, whatever its format",
    arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
  func decodes(_ format: PropertyListSerialization.PropertyListFormat) throws {
    let data = try PropertyListSerialization.data(fromPropertyList: ["foo": "bar"], format: format, options: 0)
    let (value, error) = serializer.outcome(response(type: "application/x-plist"), data)
    #expect(value as? [String: String] == ["foo": "bar"])
    #expect(error == nil)
  }

  @Test("AF-T043 what is no property list is an error with response and body")
  func invalid() {
    let response = response(type: "application/x-plist")
    let data = Data("{\"not\": {{ a plist".utf8)
    let (value, error) = serializer.outcome(response, data)
    #expect(value == nil)
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.userInfo[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse === response)
    #expect(error?.userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data == data)
  }

  @Test("AF-T044 AF-X039 an empty body is no value and no error", arguments: [nil, Data()])
  func empty(_ data: Data?) {
    let (value, error) = serializer.outcome(response(204, type: "application/x-plist"), data)
    #expect(value == nil)
    #expect(error == nil)
  }

  @Test("structures 100,000 levels deep are an error, not a crash")
  func deep() {
    let text = "<plist version=\"1.0\">" + String(repeating: "<array>", count: 100_000)
    #expect(serializer.outcome(response(type: "application/x-plist"), text).error?.domain == NSCocoaErrorDomain)
  }

  @Test("AF-T045 AF-T046 copies and archives keep every option")
  func copyAndArchive() throws {
    let serializer = AFPropertyListResponseSerializer(format: .binary, read: .mutableContainers)
    serializer.acceptableContentTypes = ["a/b"]
    for other in [try copied(serializer), try archived(serializer)] {
      #expect(other.format == .binary)
      #expect(other.readOptions == .mutableContainers)
      #expect(other.acceptableContentTypes == ["a/b"])
      #expect(other.acceptableStatusCodes == serializer.acceptableStatusCodes)
    }
    #expect(
      AFPropertyListResponseSerializer(format: .xml, readOptions: .mutableContainers).readOptions == .mutableContainers)
    #expect(AFPropertyListResponseSerializer().format == .xml)
  }
}
