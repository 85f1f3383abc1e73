import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct JSONRequestSerializerTests {
  private let serializer = AFJSONRequestSerializer()

  @Test("AF-T024 a dictionary is sent as JSON")
  func dictionary() throws {
    let result = try serializer.serialized(request("POST"), ["key": "value"])
    #expect(result.bodyText == #"{"key":"value"}"#)
    #expect(result.value(forHTTPHeaderField: "Content-Type") == "application/json")
  }

  @Test("AF-T025 an array is sent as JSON")
  func array() throws {
    #expect(try serializer.serialized(request("POST"), [["key": "value"]]).bodyText == #"[{"key":"value"}]"#)
  }

  @Test("whatever types JSON values come in, they are sent")
  func types() throws {
    serializer.writingOptions = .sortedKeys
    let parameters: [String: Any] = [
      "a": NSNull(), "b": Optional(1) as Any, "c": NSNumber(value: true), "d": ["x"] as NSArray,
      "e": ["k": [1.5]] as NSDictionary, "f": [AnyHashable("g"): 2], "g": Int?.none as Any, "h": "i" as NSString,
      "j": UInt8(3), "k": false,
    ]
    #expect(
      try serializer.serialized(request("POST"), parameters).bodyText
        == #"{"a":null,"b":1,"c":true,"d":["x"],"e":{"k":[1.5]},"f":{"g":2},"g":null,"h":"i","j":3,"k":false}"#)
  }

  @Test(
    "F80 numbers of every type and size are written as numbers, without an exponent up to 10^17",
    arguments: [
      (UncheckedBox<Any>(CGFloat(1.5)), "1.5"), (UncheckedBox<Any>(CGFloat(2)), "2"),
      (UncheckedBox<Any>(5e16), "50000000000000000"),
      (UncheckedBox<Any>(0x1p54), "18014398509481984"), (UncheckedBox<Any>(-0x1p54), "-18014398509481984"),
      (UncheckedBox<Any>(0x1p53), "9007199254740992"),
      (UncheckedBox<Any>(99_999_999_999_999_984.0), "99999999999999984"),
      (UncheckedBox<Any>(1e17), "1e+17"), (UncheckedBox<Any>(NSNumber(value: 5e16)), "50000000000000000"),
      (UncheckedBox<Any>([CGFloat(1), 2]), "[1,2]"), (UncheckedBox<Any>(["k": CGFloat(3)]), #"{"k":3}"#),
      (UncheckedBox<Any>(Float16(0.5)), "0.5"), (UncheckedBox<Any>(Int128(1) << 70), "1180591620717411303424"),
      (UncheckedBox<Any>(UInt64.max), "18446744073709551615"), (UncheckedBox<Any>(1.25), "1.25"),
      (UncheckedBox<Any>(0.0), "0"),
    ])
  func numbers(_ number: UncheckedBox<Any>, _ written: String) throws {
    #expect(try serializer.serialized(request("POST"), ["n": number.value]).bodyText == #"{"n":\#(written)}"#)
  }

  @Test("F80 an uncommon number beside every other kind of value changes none of them")
  func besideOthers() throws {
    serializer.writingOptions = .sortedKeys
    let parameters: [String: Any] = [
      "a": CGFloat(1), "b": NSNull(), "c": true, "d": "x", "e": [Int?.none as Any, "y", [false]],
      "f": Decimal(string: "0.1") as Any,
      "g": Int?.some(3) as Any, "h": NSNumber(value: true), "i": -7,
    ]
    #expect(
      try serializer.serialized(request("POST"), parameters).bodyText
        == #"{"a":1,"b":null,"c":true,"d":"x","e":[null,"y",[false]],"f":0.1,"g":3,"h":true,"i":-7}"#)
  }

  @Test(
    "F80 a number that is not finite is refused in whatever type it comes",
    arguments: [
      UncheckedBox<Any>(CGFloat.nan), UncheckedBox<Any>(Float16.infinity), UncheckedBox<Any>(-CGFloat.infinity),
    ])
  func notFinite(_ number: UncheckedBox<Any>) {
    #expect(throws: AFURLRequestSerializationError.self) {
      try serializer.serialized(request("POST"), ["n": number.value])
    }
  }

  @Test(
    "AF-T026 AF-T027 B10 what is not JSON is an error that names the place",
    arguments: [
      (UncheckedBox<Any>(["v": Double.nan]), "v", "is nan, which JSON cannot express"),
      (UncheckedBox<Any>(["v": [1, -Double.infinity]]), "v[1]", "is -inf, which JSON cannot express"),
      (UncheckedBox<Any>(["v": Float.infinity]), "v", "is inf, which JSON cannot express"),
      (UncheckedBox<Any>(["k": ["x": [["y": Set(["x"])]]]]), "k.x[0].y", "is a Set<String>, which JSON cannot express"),
      (UncheckedBox<Any>(["k": Date()]), "k", "is a Date, which JSON cannot express"),
      (UncheckedBox<Any>(["k": Data()]), "k", "is a Data, which JSON cannot express"),
      (UncheckedBox<Any>(["k": [1: 2]]), "k", "has a key that is no text, which JSON cannot express"),
      (UncheckedBox<Any>("text"), "", "must be an array or a dictionary to be JSON"),
      (UncheckedBox<Any>(NSNull()), "", "must be an array or a dictionary to be JSON"),
    ] as [(UncheckedBox<Any>, String, String)])
  func notJSON(_ box: UncheckedBox<Any>, _ path: String, _ problem: String) throws {
    var error: NSError?
    #expect(
      serializer.request(bySerializingRequest: request("POST"), withParameters: box.value, error: &error) == nil)
    #expect(error?.domain == AFURLRequestSerializationErrorDomain)
    #expect(error?.code == URLError.Code.cannotDecodeContentData.rawValue)
    #expect(error?.localizedFailureReason == "The `parameters` argument is not valid JSON.")
    #expect((error as? AFURLRequestSerializationError)?.reason == .invalidParameter(path: path, problem: problem))
  }

  @Test("structures that hold themselves or are 10,000 deep are errors, not crashes")
  func bottomless() {
    let loop = NSMutableArray()
    loop.add(["again": loop])
    defer { loop.removeAllObjects() }
    #expect { try serializer.serialized(request("POST"), loop) } throws: {
      ($0 as? AFURLRequestSerializationError)?.reason
        == .invalidParameter(path: "", problem: "holds itself or is nested deeper than 512 levels")
    }
    var deep: Any = 1
    for _ in 0..<10_000 { deep = [deep] }
    #expect { try serializer.serialized(request("POST"), deep) } throws: { error in
      guard
        case .invalidParameter(_, "holds itself or is nested deeper than 512 levels") =
          (error as? AFURLRequestSerializationError)?.reason
      else { return false }
      return true
    }
    var fine: Any = 1
    for _ in 0..<512 { fine = [fine] }
    #expect(throws: Never.self) { try serializer.serialized(request("POST"), fine) }
  }

  @Test("AF-X006 a GET has a query; without parameters there is neither body nor type; a set type stays")
  func edges() throws {
    let get = try serializer.serialized(request("GET"), ["a": 1])
    #expect(get.url?.query == "a=1")
    #expect(get.httpBody == nil)
    let bare = try serializer.serialized(request("POST"), nil)
    #expect(bare.httpBody == nil)
    #expect(bare.value(forHTTPHeaderField: "Content-Type") == nil)
    #expect(bare.value(forHTTPHeaderField: "User-Agent") != nil)
    var own = request("POST")
    own.setValue("application/vnd.api+json", forHTTPHeaderField: "Content-Type")
    #expect(
      try serializer.serialized(own, ["a": 1]).value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
  }

  @Test("copies and archives keep the writing options and what the base class has")
  func copyAndArchive() throws {
    let serializer = AFJSONRequestSerializer(writingOptions: [.prettyPrinted, .sortedKeys])
    serializer.timeoutInterval = 7
    for other in [try copied(serializer), try archived(serializer)] {
      #expect(other.writingOptions == [.prettyPrinted, .sortedKeys])
      #expect(other.timeoutInterval == 7)
    }
    #expect(AFJSONRequestSerializer().writingOptions == [])
  }
}
