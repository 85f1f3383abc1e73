import AFSerialization
import Foundation
import FoundationNetworking
import Testing

private struct User: Codable, Equatable {
  var name: String
  var joined: Date?
}

@Suite struct DecodableResponseSerializerTests {
  private let serializer = AFDecodableResponseSerializer<User>()
  private let json = "application/json"

  @Test("a value is decoded, with the decoder of one's choice")
  func decodes() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let serializer = AFDecodableResponseSerializer<User>(decoder: decoder)
    let text = #"{"name":"a","joined":"1970-01-01T00:00:00Z"}"#
    let user = try serializer.value(for: response(type: json), data: Data(text.utf8))
    #expect(user == User(name: "a", joined: Date(timeIntervalSince1970: 0)))
    #expect(serializer.outcome(response(type: json), text).value as? User == user)
  }

  @Test("property lists are decoded by their decoder")
  func propertyList() throws {
    let serializer = AFDecodableResponseSerializer<[String: Int]>(decoder: PropertyListDecoder())
    serializer.acceptableContentTypes = ["application/x-plist"]
    let data = try PropertyListEncoder().encode(["a": 1])
    #expect(try serializer.value(for: response(type: "application/x-plist"), data: data) == ["a": 1])
  }

  @Test("B12 a byte order mark is ignored")
  func byteOrderMark() throws {
    let data = Data([0xEF, 0xBB, 0xBF]) + Data(#"{"name":"a"}"#.utf8)
    #expect(try serializer.value(for: response(type: json), data: data).name == "a")
  }

  @Test(
    "B11 an empty body is a value of a type that allows it, and a typed error for another",
    arguments: ["", " ", "\u{FEFF}"])
  func empty(_ text: String) throws {
    let data = Data(text.utf8)
    #expect(try AFDecodableResponseSerializer<User?>().value(for: response(type: json), data: data) == nil)
    #expect(AFDecodableResponseSerializer<User?>().outcome(response(type: json), data).value == nil)
    #expect(try AFDecodableResponseSerializer<AFEmptyBody>().value(for: response(204), data: Data()) == AFEmptyBody())
    #expect { try serializer.value(for: response(type: json), data: data) } throws: {
      let error = $0 as? AFURLResponseSerializationError
      return error?.reason == .emptyBody && error?.data == data
    }
  }

  @Test("a body of another form is an error that says where, with the decoder's error, response and body")
  func undecodable() throws {
    let data = Data(#"{"name":[1]}"#.utf8)
    let response = response(type: json)
    #expect { try serializer.value(for: response, data: data) } throws: {
      guard let error = $0 as? AFURLResponseSerializationError, case .undecodableBody(let problem) = error.reason else {
        return false
      }
      return problem.contains(".name") && error.cause is DecodingError && error.data == data
        && error.response === response
    }
  }

  @Test("a refused status gives the error, and the value if there is one")
  func refusedStatus() {
    let both = serializer.outcome(response(422, type: json), #"{"name":"a"}"#)
    #expect(both.value as? User == User(name: "a"))
    #expect((both.error as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(422))
    for body in [#"{"error":"no"}"#, "<html>", ""] {
      let alone = serializer.outcome(response(500, type: json), body)
      #expect(alone.value == nil)
      #expect((alone.error as? AFURLResponseSerializationError)?.reason == .unacceptableStatusCode(500))
    }
    #expect(
      serializer.responseObject(for: response(500, type: json), data: Data(#"{"name":"a"}"#.utf8), error: nil) == nil)
  }

  @Test("when status and type are both refused the status error is outside")
  func bothRefused() {
    let error = serializer.outcome(response(500, type: "text/html"), "<html>").error as? AFURLResponseSerializationError
    #expect(error?.reason == .unacceptableStatusCode(500))
    let underlying = error?.userInfo[NSUnderlyingErrorKey] as? AFURLResponseSerializationError
    #expect(underlying?.reason == .unacceptableContentType("text/html"))
  }

  @Test("copies share the decoder; an archive does not stop the program")
  func copyAndArchive() throws {
    let decoder = JSONDecoder()
    let serializer = AFDecodableResponseSerializer<User>(decoder: decoder)
    serializer.acceptableContentTypes = ["a/b"]
    let copy = try copied(serializer)
    #expect(copy.decoder as? JSONDecoder === decoder)
    #expect(copy.acceptableContentTypes == ["a/b"])
    let archive = try NSKeyedArchiver.archivedData(withRootObject: serializer, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: AFHTTPResponseSerializer.self, from: archive)
    #expect(read?.acceptableContentTypes == ["a/b"])
  }
}
