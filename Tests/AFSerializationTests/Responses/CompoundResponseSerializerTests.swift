import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct CompoundResponseSerializerTests {
  private let serializer = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [
    AFPropertyListResponseSerializer(), AFJSONResponseSerializer(),
  ])

  @Test("AF-T058 the serializer whose type it is reads the response")
  func reads() {
    let (value, error) = serializer.outcome(response(type: "application/json"), #"{"foo":"bar"}"#)
    #expect(value as? [String: String] == ["foo": "bar"])
    #expect(error == nil)
  }

  @Test("AF-X040 the value's own error comes with it, over the one that was there")
  func valueAndError() {
    var error: NSError? = NSError(domain: "before", code: 1)
    let value = serializer.responseObject(
      for: response(500, type: "application/json"), data: Data(#"{"a":1}"#.utf8), error: &error)
    #expect(value as? [String: Int] == ["a": 1])
    #expect((error as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(500))
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "before")
  }

  @Test("AF-X040 if nobody has a value the body is given, checked by the compound's own sets")
  func fallback() {
    let (value, error) = serializer.outcome(response(type: "application/json"), "{broken")
    #expect(value as? Data == Data("{broken".utf8))
    #expect(error == nil)
    #expect(
      serializer.outcome(response(404, type: "text/html"), "x").error?.code == URLError.Code.badServerResponse.rawValue)
    #expect(AFCompoundResponseSerializer().outcome(response(), "x").value as? Data == Data("x".utf8))
  }

  @Test("AF-X040 a serializer of another family is not asked")
  func foreign() throws {
    let serializer = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [
      ForeignSerializer(), AFJSONResponseSerializer(),
    ])
    #expect(serializer.outcome(response(type: "application/json"), "[1]").value as? [Int] == [1])
    #expect(serializer.responseSerializers.count == 2)
    #expect(try copied(serializer).responseSerializers.first is ForeignSerializer)
    #expect(try archived(serializer).responseSerializers.map { "\(type(of: $0))" } == ["AFJSONResponseSerializer"])
  }

  @Test("AF-T059 AF-T060 copies and archives have the same members in the same order, and the own codes and types")
  func copyAndArchive() throws {
    #expect(AFCompoundResponseSerializer.supportsSecureCoding)
    #expect(serializer.acceptableStatusCodes == IndexSet(200..<300))
    serializer.acceptableStatusCodes = IndexSet(integer: 100)
    serializer.acceptableContentTypes = ["test/type"]
    for other in [try copied(serializer), try archived(serializer)] {
      #expect(
        other.responseSerializers.map { "\(type(of: $0))" } == serializer.responseSerializers.map { "\(type(of: $0))" })
      #expect(other.acceptableStatusCodes == IndexSet(integer: 100))
      #expect(other.acceptableContentTypes == ["test/type"])
    }
  }
}

/// Conforms to the protocol without the base class. Unchecked because NSObject subclasses are; it stores nothing.
final class ForeignSerializer: NSObject, AFURLResponseSerialization, @unchecked Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
  func copy(with zone: NSZone? = nil) -> Any { ForeignSerializer() }
  func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? { "foreign" }
}
