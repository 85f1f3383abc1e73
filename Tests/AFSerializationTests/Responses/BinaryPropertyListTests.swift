import AFSerialization
import AFTestSupport
import Foundation
import Testing

/// F74: a binary property list is looked at before Foundation builds it.
@Suite struct BinaryPropertyListTests {
  private let serializer = AFPropertyListResponseSerializer()
  private let isPlist = response(type: "application/x-plist")

  /// A list of objects, the first of which is the top one; offsets take `offsetSize` bytes, references one.
  private static func list(_ objects: [[UInt8]], count: Int? = nil, top: Int = 0) -> Data {
    var data = Data("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(data.count)
      data.append(contentsOf: object)
    }
    let table = data.count
    for offset in offsets { data.append(contentsOf: bytes(offset, 4)) }
    data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 1])
    for number in [count ?? objects.count, top, table] { data.append(contentsOf: bytes(number, 8)) }
    return data
  }

  private static func bytes(_ number: Int, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// `depth` arrays, each of which holds the next one twice.
  private static func doubling(_ depth: Int) -> Data {
    list((1...depth).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]])
  }

  private static func dataObject(_ count: Int) -> [UInt8] {
    [0x4F, 0x12] + bytes(count, 4) + [UInt8](repeating: 7, count: count)
  }

  @Test(
    "F74 a list that holds the next level twice is refused at once, whatever its depth",
    arguments: [24, 28, 40, 63, 200])
  func doublingLists(_ depth: Int) {
    let (value, error) = serializer.outcome(isPlist, Self.doubling(depth))
    #expect(value == nil)
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.code == CocoaError.Code.propertyListReadCorrupt.rawValue)
  }

  @Test("F74 a Decodable value is read behind the same guard")
  func decodable() {
    struct Anything: Decodable {}
    let serializer = AFDecodableResponseSerializer<Anything>(decoder: PropertyListDecoder())
    serializer.acceptableContentTypes = ["application/x-plist"]
    #expect(throws: AFURLResponseSerializationError.self) {
      try serializer.value(for: isPlist, data: Self.doubling(60))
    }
  }

  @Test("F74 a megabyte in a hundred places is refused, a short text in thousands is read")
  func sharedLeaves() {
    let places = [UInt8](repeating: 1, count: 100)
    let large = Self.list([[0xAF, 0x10, 100] + places, Self.dataObject(1 << 20)])
    #expect(serializer.outcome(isPlist, large).value == nil)
    let many = [UInt8](repeating: 1, count: 50_000)
    let small = Self.list([[0xAF, 0x12] + Self.bytes(50_000, 4) + many, [0x55] + Array("hello".utf8)])
    #expect((serializer.outcome(isPlist, small).value as? [String])?.count == 50_000)
  }

  @Test("F74 512 levels are read and 513 are refused")
  func depth() {
    func chain(_ levels: Int) -> Data {
      // Two bytes a reference, since there are more than 256 objects.
      var data = Data("bplist00".utf8)
      let offsets = (0...levels).map { 8 + 3 * $0 }
      for index in 1...levels { data.append(contentsOf: [0xA1] + Self.bytes(index, 2)) }
      data.append(0x09)
      let table = data.count
      for offset in offsets { data.append(contentsOf: Self.bytes(offset, 4)) }
      data.append(contentsOf: [0, 0, 0, 0, 0, 0, 4, 2])
      for number in [levels + 1, 0, table] { data.append(contentsOf: Self.bytes(number, 8)) }
      return data
    }
    #expect(serializer.outcome(isPlist, chain(511)).value is [Any])
    #expect(serializer.outcome(isPlist, chain(513)).error?.localizedDescription.contains("512") == true)
  }

  @Test(
    "damaged lists are errors, never a trap",
    arguments: [
      list([[0xA1, 0]]),  // holds itself
      list([[0xA1, 1], [0xA1, 0]]),  // through another
      list([[0xA1, 9]]),  // a reference to nothing
      list([[0x09]], top: 1), list([[0x09]], count: .max), list([[0x09]], top: .max),
      list([[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),  // longer than the list
      list([[0xDF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
      list([[0x5F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]]),
      list([[0x6F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0]]),
      list([[0xAF, 0x14]]), list([[0xAF]]),
      Data("bplist00".utf8), Data("bplist00".utf8) + Data(repeating: 0xFF, count: 32),
      Data("bplist00".utf8) + Data(repeating: 0, count: 32),
    ])
  func damaged(_ data: Data) {
    #expect(serializer.outcome(isPlist, data).error?.domain == NSCocoaErrorDomain)
  }

  @Test("lists that Foundation wrote are read, with every kind of value")
  func written() throws {
    let value: [String: Any] = [
      "text": "é", "long": String(repeating: "x", count: 5_000), "number": 5, "real": 1.5, "flag": true,
      "date": Date(timeIntervalSince1970: 0), "data": Data([1, 2]), "array": [1, [2, [3]]], "empty": [String: Any](),
      "same": Array(repeating: "same", count: 1_000),
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
    let read = try #require(serializer.outcome(isPlist, data).value as? [String: Any])
    #expect(read as NSDictionary == value as NSDictionary)
  }
}
