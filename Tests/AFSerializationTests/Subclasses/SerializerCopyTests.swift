import AFSerialization
import Foundation
import FoundationNetworking
import Testing

/// What Xcode makes of a subclass with initializers: `override init`, and an `init(coder:)` that stops the program.
private enum Unarchivable {
  final class Forms: AFHTTPRequestSerializer, @unchecked Sendable {
    var own = 0
    override init() {
      own = 1
      super.init()
    }
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
  }

  final class Bodies: AFJSONRequestSerializer, @unchecked Sendable {
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override init() { super.init() }
  }

  final class Lists: AFPropertyListRequestSerializer, @unchecked Sendable {
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override init() { super.init() }
  }

  class Checks: AFHTTPResponseSerializer, @unchecked Sendable {
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override init() { super.init() }
  }

  final class MoreChecks: Checks, @unchecked Sendable {}

  final class JSON: AFJSONResponseSerializer, @unchecked Sendable {
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override init() { super.init() }
  }

  final class Decoding: AFDecodableResponseSerializer<[Int]>, @unchecked Sendable {
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override init() { super.init() }
  }

  final class Members: AFCompoundResponseSerializer, @unchecked Sendable {
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override init() { super.init() }
  }
}

/// F86: as `[[[self class] alloc] init]` in AFNetworking.
@Suite struct SerializerCopyTests {
  private static let requests: [AFHTTPRequestSerializer] = [
    Unarchivable.Forms(), Unarchivable.Bodies(), Unarchivable.Lists(), AFHTTPRequestSerializer(),
    AFJSONRequestSerializer(), AFPropertyListRequestSerializer(),
  ]

  @Test(arguments: 0..<6) func `a copy of a request serializer has its class and its options`(row: Int) throws {
    let serializer = Self.requests[row]
    serializer.timeoutInterval = 7
    serializer.setValue("v", forHTTPHeaderField: "X-Set")
    serializer.setQueryStringSerializationWith { _, _, _ in "own" }
    (serializer as? AFJSONRequestSerializer)?.writingOptions = .sortedKeys
    (serializer as? AFPropertyListRequestSerializer)?.format = .binary
    let copy = try copied(serializer)
    #expect(copy.timeoutInterval == 7)
    let request = try copy.request(withMethod: "GET", urlString: "http://h/", parameters: ["a": 1])
    #expect(request.url?.query == "own")
    #expect(request.value(forHTTPHeaderField: "X-Set") == "v")
    #expect((copy as? Unarchivable.Forms)?.own ?? 1 == 1)
    #expect((copy as? AFJSONRequestSerializer)?.writingOptions ?? .sortedKeys == .sortedKeys)
    #expect((copy as? AFPropertyListRequestSerializer)?.format ?? .binary == .binary)
    copy.timeoutInterval = 8
    #expect(serializer.timeoutInterval == 7)
  }

  private static let responses: [AFHTTPResponseSerializer] = [
    Unarchivable.Checks(), Unarchivable.MoreChecks(), Unarchivable.JSON(), Unarchivable.Decoding(),
    Unarchivable.Members(), AFHTTPResponseSerializer(), AFJSONResponseSerializer(), AFPropertyListResponseSerializer(),
    AFStringResponseSerializer(), AFXMLDocumentResponseSerializer(), AFXMLParserResponseSerializer(),
    AFDecodableResponseSerializer<[Int]>(),
    AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [AFJSONResponseSerializer()]),
    Unarchivable.Members.compoundSerializer(withResponseSerializers: [AFJSONResponseSerializer()]),
  ]

  @Test(arguments: 0..<14) func `a copy of a response serializer has its class and its options`(row: Int) throws {
    let serializer = Self.responses[row]
    serializer.acceptableStatusCodes = [299]
    serializer.acceptableContentTypes = ["text/own"]
    (serializer as? AFJSONResponseSerializer)?.removesKeysWithNullValues = true
    (serializer as? AFXMLDocumentResponseSerializer)?.options = 4
    (serializer as? AFPropertyListResponseSerializer)?.readOptions = .mutableContainers
    (serializer as? AFDecodableResponseSerializer<[Int]>)?.decoder = Lenient()
    let copy = try copied(serializer)
    #expect(copy.acceptableStatusCodes == [299] && copy.acceptableContentTypes == ["text/own"])
    #expect((copy as? AFJSONResponseSerializer)?.removesKeysWithNullValues ?? true)
    #expect((copy as? AFXMLDocumentResponseSerializer)?.options ?? 4 == 4)
    #expect((copy as? AFPropertyListResponseSerializer)?.readOptions ?? .mutableContainers == .mutableContainers)
    #expect((copy as? AFDecodableResponseSerializer<[Int]>).map { $0.decoder is Lenient } ?? true)
    let members = (serializer as? AFCompoundResponseSerializer)?.responseSerializers.count
    #expect((copy as? AFCompoundResponseSerializer)?.responseSerializers.count == members)
  }
}
