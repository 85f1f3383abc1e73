import AFImage
import AFSerialization
import Foundation
import FoundationNetworking
import Testing

@Suite struct ImageResponseSerializerTests {
  private let serializer = AFImageResponseSerializer()

  private func response(_ status: Int = 200, type: String) throws -> HTTPURLResponse {
    let url = try #require(URL(string: "http://example.com/image"))
    return try #require(
      HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": type]))
  }

  private func outcome(_ data: Data?, type: String = "image/png", status: Int = 200) throws -> (Any?, NSError?) {
    var error: NSError?
    let value = serializer.responseObject(for: try response(status, type: type), data: data, error: &error)
    return (value, error)
  }

  /// Every image, with the types that are its own.
  private static let images: [(types: Set<String>, data: @Sendable () throws -> Data)] = [
    (["image/tiff"], { ImageFixtures.tiff() }), (["image/jpeg"], { ImageFixtures.jpeg }),
    (["image/gif"], { ImageFixtures.gif() }), (["image/png"], { try ImageFixtures.png() }),
    (["image/ico", "image/x-icon"], { ImageFixtures.ico() }), (["image/x-xbitmap"], { ImageFixtures.xbm() }),
    (["image/bmp", "image/x-bmp", "image/x-win-bitmap"], { ImageFixtures.bmp() }),
  ]

  @Test(
    "F76 the ten types are accepted, and each is decoded as what it says and as nothing else",
    arguments: [
      "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
      "image/x-xbitmap", "image/x-win-bitmap", "Image/PNG",
    ])
  func types(_ type: String) throws {
    serializer.imageScale = 2
    for image in Self.images {
      let (value, error) = try outcome(try image.data(), type: type)
      if image.types.contains(type.lowercased()) {
        #expect(error == nil)
        #expect((value as? AFPixelImage)?.scale == 2)
      } else {
        #expect(value == nil)
        #expect(((error as? AFURLResponseSerializationError)?.cause as? AFImageError)?.code == .malformed)
      }
    }
    #expect(serializer.acceptableContentTypes?.count == 10)
  }

  @Test("where the type names no format, the bytes decide")
  func otherTypes() throws {
    serializer.acceptableContentTypes = ["application/octet-stream"]
    for image in Self.images {
      #expect(try outcome(try image.data(), type: "application/octet-stream").0 is AFPixelImage)
    }
  }

  @Test("another type is refused")
  func otherType() throws {
    let (value, error) = try outcome(ImageFixtures.png(), type: "text/html")
    #expect(value == nil)
    #expect((error as? AFURLResponseSerializationError)?.reason == .unacceptableContentType("text/html"))
  }

  @Test("what is no image is an error with response, body and cause; an empty body is neither")
  func undecodable() throws {
    let (value, error) = try outcome(Data("not an image".utf8))
    #expect(value == nil)
    let typed = try #require(error as? AFURLResponseSerializationError)
    #expect((typed.cause as? AFImageError)?.code == .unknownFormat)
    #expect(typed.data == Data("not an image".utf8))
    for data in [nil, Data()] {
      let (value, error) = try outcome(data)
      #expect(value == nil)
      #expect(error == nil)
    }
  }

  @Test("a refused status with an image gives both")
  func refusedStatus() throws {
    let (value, error) = try outcome(ImageFixtures.png(), status: 404)
    #expect(value is AFPixelImage)
    #expect(error?.code == URLError.Code.badServerResponse.rawValue)
  }

  @Test("without inflation the pixels are decoded when they are asked for")
  func lazily() throws {
    serializer.automaticallyInflatesResponseImage = false
    #expect((try outcome(ImageFixtures.jpeg, type: "image/jpeg").0 as? AFPixelImage)?.isInflated == false)
  }

  @Test("the limit holds")
  func limit() throws {
    serializer.maximumPixelCount = 10
    let (value, error) = try outcome(ImageFixtures.jpeg, type: "image/jpeg")
    #expect(value == nil)
    #expect(
      ((error as? AFURLResponseSerializationError)?.cause as? AFImageError)?.code == .tooLarge(width: 16, height: 8))
  }

  @Test("AF-T058 in a compound serializer the JSON member takes JSON")
  func compound() throws {
    let compound = AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: [
      serializer, AFJSONResponseSerializer(),
    ])
    var error: NSError?
    let value = compound.responseObject(
      for: try response(type: "application/json"), data: Data(#"{"a":1}"#.utf8), error: &error)
    #expect(value as? [String: Int] == ["a": 1])
    #expect(error == nil)
    let archive = try NSKeyedArchiver.archivedData(withRootObject: compound, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: AFCompoundResponseSerializer.self, from: archive)
    #expect(
      read?.responseSerializers.map { "\(type(of: $0))" } == ["AFImageResponseSerializer", "AFJSONResponseSerializer"])
  }

  @Test("AF-T061 AF-T062 AF-T063 AF-T064 copies and archives keep every option")
  func copyAndArchive() throws {
    #expect(AFImageResponseSerializer.supportsSecureCoding)
    serializer.imageScale = 3
    serializer.automaticallyInflatesResponseImage = false
    serializer.maximumPixelCount = 99
    serializer.acceptableContentTypes = ["a/b"]
    serializer.acceptableStatusCodes = IndexSet(integer: 100)
    let archive = try NSKeyedArchiver.archivedData(withRootObject: serializer, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: AFImageResponseSerializer.self, from: archive)
    for other in [try #require(read), try #require(serializer.copy() as? AFImageResponseSerializer)] {
      #expect(other.imageScale == 3)
      #expect(!other.automaticallyInflatesResponseImage)
      #expect(other.maximumPixelCount == 99)
      #expect(other.acceptableContentTypes == ["a/b"])
      #expect(other.acceptableStatusCodes == IndexSet(integer: 100))
    }
  }

  @Test func `F64 F86 what a subclass overrides is in force, and its copies keep the class`() throws {
    final class Own: AFImageResponseSerializer, @unchecked Sendable {
      // Unchecked because the base class is; it stores nothing.
      override init() { super.init() }
      required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
      override var imageScale: CGFloat {
        get { 3 }
        set {}
      }
      override var automaticallyInflatesResponseImage: Bool {
        get { false }
        set {}
      }
      override var acceptableContentTypes: Set<String>? {
        get { ["image/png"] }
        set {}
      }
    }
    final class Tiny: AFImageResponseSerializer, @unchecked Sendable {
      // Unchecked because the base class is; it stores nothing.
      override var maximumPixelCount: Int {
        get { 0 }
        set {}
      }
    }
    let png = try ImageFixtures.png()
    let own = try #require(Own().copy() as? Own)
    var error: NSError?
    let image = own.responseObject(for: try response(type: "image/png"), data: png, error: &error) as? AFPixelImage
    #expect(image?.scale == 3 && error == nil)
    #expect(own.responseObject(for: try response(type: "image/gif"), data: ImageFixtures.gif(), error: &error) == nil)
    #expect((error as? AFURLResponseSerializationError)?.reason != nil)
    error = nil
    #expect(
      Tiny().responseObject(for: try response(type: "image/png"), data: png, error: &error) == nil && error != nil)
  }
}
