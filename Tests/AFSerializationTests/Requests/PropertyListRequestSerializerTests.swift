import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct PropertyListRequestSerializerTests {
  private let serializer = AFPropertyListRequestSerializer()

  @Test("AF-T040 parameters are sent as an XML property list")
  func xml() throws {
    let result = try serializer.serialized(request("POST"), ["key": "value", "list": [1, true, Data([1])] as [Any]])
    #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
    #expect(result.bodyText?.hasPrefix("<?xml") == true)
    let read = try PropertyListSerialization.propertyList(from: #require(result.httpBody), options: [], format: nil)
    #expect(read as? NSDictionary == ["key": "value", "list": [1, true, Data([1])] as [Any]])
  }

  @Test("the format can be binary")
  func binary() throws {
    let serializer = AFPropertyListRequestSerializer(format: .binary, writeOptions: 0)
    #expect(try serializer.serialized(request("POST"), ["key": "value"]).bodyText?.hasPrefix("bplist00") == true)
  }

  @Test(
    "AF-T041 AF-X007 what is no property list is an error that names the place",
    arguments: [
      (UncheckedBox<Any>([42: "value"]), "", "has a key that is no text, which a property list cannot express"),
      (UncheckedBox<Any>(["a": [NSNull()]]), "a[0]", "is null, which a property list cannot express"),
      (UncheckedBox<Any>(["a": Set(["x"])]), "a", "is a Set<String>, which a property list cannot express"),
    ])
  func invalid(_ box: UncheckedBox<Any>, _ path: String, _ problem: String) {
    #expect { try serializer.serialized(request("POST"), box.value) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason == .invalidParameter(path: path, problem: problem)
    }
  }

  @Test("structures without an end are errors, not crashes")
  func bottomless() {
    let loop = NSMutableDictionary()
    loop["again"] = loop
    defer { loop.removeAllObjects() }
    var deep: Any = 1
    for _ in 0..<10_000 { deep = [deep] }
    for parameters in [loop, deep] {
      #expect { try serializer.serialized(request("POST"), parameters) } throws: {
        guard case .invalidParameter = ($0 as? AFURLRequestSerializationError)?.reason else { return false }
        return true
      }
    }
  }

  @Test("AF-X007 a GET has a query; without parameters there is neither body nor type; a set type stays")
  func edges() throws {
    #expect(try serializer.serialized(request("GET"), ["a": 1]).url?.query == "a=1")
    let bare = try serializer.serialized(request("POST"), nil)
    #expect(bare.httpBody == nil)
    #expect(bare.value(forHTTPHeaderField: "Content-Type") == nil)
    var own = request("POST")
    own.setValue("text/x-own", forHTTPHeaderField: "Content-Type")
    #expect(try serializer.serialized(own, ["a": 1]).value(forHTTPHeaderField: "Content-Type") == "text/x-own")
  }

  @Test("copies keep every option, archives all but the encoder")
  func copyAndArchive() throws {
    let serializer = AFPropertyListRequestSerializer(format: .binary, writeOptions: 3)
    let encoder = PropertyListEncoder()
    serializer.propertyListEncoder = encoder
    serializer.timeoutInterval = 7
    for other in [try copied(serializer), try archived(serializer)] {
      #expect(other.format == .binary)
      #expect(other.writeOptions == 3)
      #expect(other.timeoutInterval == 7)
    }
    #expect(try copied(serializer).propertyListEncoder === encoder)
  }
}
