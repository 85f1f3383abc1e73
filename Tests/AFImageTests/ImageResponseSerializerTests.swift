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

  @Test(
    "the ten types are accepted, and the bytes decide",
    arguments: [
      "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
      "image/x-xbitmap", "image/x-win-bitmap",
    ])
  func types(_ type: String) throws {
    serializer.imageScale = 2
    for data in [try ImageFixtures.png(), ImageFixtures.jpeg, ImageFixtures.gif()] {
      let (value, error) = try outcome(data, type: type)
      #expect(error == nil)
      #expect((value as? AFPixelImage)?.scale == 2)
    }
    #expect(serializer.acceptableContentTypes?.count == 10)
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
    #expect((try outcome(ImageFixtures.jpeg).0 as? AFPixelImage)?.isInflated == false)
  }

  @Test("the limit holds")
  func limit() throws {
    serializer.maximumPixelCount = 10
    let (value, error) = try outcome(ImageFixtures.jpeg)
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
}
