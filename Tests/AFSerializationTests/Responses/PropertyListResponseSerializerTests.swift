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

  /// Opened so often, closed so often; in the middle of it what could deceive a look at the levels.
  private static func nested(_ count: Int, _ middle: String = "", _ name: String = "array") -> String {
    let key = name == "dict" ? "<key>a</key>" : ""
    return "<?xml version=\"1.0\"?><plist version=\"1.0\">"
      + String(repeating: "<\(name)>\(key)\(middle)", count: count)
      + (name == "dict" ? "<true/>" : "") + String(repeating: "</\(name)>", count: count) + "</plist>"
  }

  @Test(
    "F74 what is nested deeper than 512 levels, and closed again, reaches no parser, in every disguise",
    arguments: [
      nested(20_000), nested(20_000, "", "dict"), nested(513), nested(20_000, "<!-- </array> -->"),
      nested(20_000, "<?x </array> ?>"), nested(20_000, "<!--></array><!-- -->"), "  \n" + nested(20_000),
      nested(20_000, "<string><![CDATA[</array>]]></string>"),
      nested(20_000).replacingOccurrences(of: "<array>", with: "<array a='</array>'>"),
      nested(20_000).replacingOccurrences(of: "<array>", with: "<array a=\"></array>\">"),
    ])
  func closed(_ text: String) throws {
    let decoding = AFDecodableResponseSerializer<[Int]>(decoder: PropertyListDecoder())
    decoding.acceptableContentTypes = nil
    for encoding in [String.Encoding.utf8, .utf16, .utf16BigEndian, .utf32] {
      let data = try #require(text.data(using: encoding))
      let error = serializer.outcome(response(type: "application/x-plist"), data).error
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(decoding.outcome(response(type: "application/x-plist"), data).error != nil)
    }
  }

  @Test(
    "F74 what is nested less deep is read", arguments: [nested(1), nested(400), nested(400, "<true/>"), nested(512)])
  func shallow(_ text: String) {
    let (value, error) = serializer.outcome(response(type: "application/x-plist"), text)
    #expect(value is [Any], "\(String(describing: error))")
  }

  @Test("F74 many values beside each other are no levels")
  func wide() {
    let values = "<string>a (((( b</string><array/><dict/><dict><key>k</key><array></array></dict><!-- <array> -->"
    let text = "<plist><array>" + String(repeating: values, count: 400) + "</array></plist>"
    #expect((serializer.outcome(response(type: "application/x-plist"), text).value as? [Any])?.count == 1_600)
    let openStep = "{" + (0..<2_000).map { "k\($0) = (a, \"((((\");" }.joined() + "}"
    #expect(
      (serializer.outcome(response(type: "application/x-plist"), openStep).value as? [String: Any])?.count == 2_000)
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
