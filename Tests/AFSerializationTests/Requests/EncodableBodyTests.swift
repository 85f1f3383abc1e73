import AFSerialization
import Foundation
import FoundationNetworking
import Testing

private struct Order: Encodable {
  var orderID = 7
  var tags = ["a b", "c"]
  var when = Date(timeIntervalSince1970: 0)
  var isPaid = true
  var note: String?
  var price = 1.5
}

@Suite struct EncodableBodyTests {
  private func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    return encoder
  }

  private let form = "is_paid=1&order_id=7&price=1.5&tags%5B%5D=a%20b&tags%5B%5D=c&when=1970-01-01T00%3A00%3A00Z"

  @Test("a form and a query have the values that the encoder gives", arguments: ["POST", "GET"])
  func form(_ method: String) throws {
    let serializer = AFHTTPRequestSerializer()
    serializer.encoder = encoder()
    let request = try serializer.request(withMethod: method, urlString: "http://h/", body: Order())
    let text = method == "GET" ? request.url?.query : request.httpBody.map { String(decoding: $0, as: UTF8.self) }
    #expect(text == form)
    #expect(request.value(forHTTPHeaderField: "User-Agent") != nil)
  }

  @Test("JSON is what the encoder writes; a GET has a query")
  func json() throws {
    let serializer = AFJSONRequestSerializer()
    serializer.encoder = encoder()
    let request = try serializer.request(withMethod: "POST", urlString: "http://h/", body: Order())
    #expect(request.httpBody == (try encoder().encode(Order())))
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
    #expect(try serializer.request(withMethod: "GET", urlString: "http://h/", body: Order()).url?.query == form)
  }

  @Test("a property list is what its encoder writes")
  func propertyList() throws {
    let serializer = AFPropertyListRequestSerializer()
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    serializer.propertyListEncoder = encoder
    let request = try serializer.request(withMethod: "POST", urlString: "http://h/", body: ["a": 1])
    #expect(request.httpBody?.starts(with: Data("bplist00".utf8)) == true)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
  }

  @Test("B10 a value that cannot be encoded is the encoder's error")
  func notEncodable() {
    for serializer in [AFHTTPRequestSerializer(), AFJSONRequestSerializer()] {
      #expect(throws: EncodingError.self) {
        try serializer.request(withMethod: "POST", urlString: "http://h/", body: ["v": Double.nan])
      }
    }
  }

  @Test("a form needs a dictionary")
  func notDictionary() {
    #expect(throws: AFURLRequestSerializationError.self) {
      try AFHTTPRequestSerializer().request(withMethod: "POST", urlString: "http://h/", body: [1, 2])
    }
  }

  @Test("copies share the encoder")
  func copies() throws {
    let serializer = AFJSONRequestSerializer()
    serializer.encoder = encoder()
    #expect(try copied(serializer).encoder === serializer.encoder)
  }
}
