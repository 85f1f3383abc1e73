import AFSerialization
import Foundation
import FoundationNetworking
import Testing

/// A URL that is known to be one.
func url(_ text: String) -> URL {
  URL(string: text) ?? URL(fileURLWithPath: text)
}

func request(_ method: String = "GET", _ text: String = "http://example.com") -> URLRequest {
  var request = URLRequest(url: url(text))
  request.httpMethod = method
  return request
}

extension AFURLRequestSerialization {
  /// The serialized request, or the error thrown.
  func serialized(_ request: URLRequest, _ parameters: Any?) throws -> URLRequest {
    var error: NSError?
    let result = self.request(bySerializingRequest: request, withParameters: parameters, error: &error)
    if let error {
      #expect(result == nil, "a request and an error")
      throw error
    }
    return try #require(result)
  }
}

extension AFURLResponseSerialization {
  /// The value and the error of a response.
  func outcome(_ response: URLResponse?, _ data: Data?) -> (value: Any?, error: NSError?) {
    var error: NSError?
    let value = responseObject(for: response, data: data, error: &error)
    return (value, error)
  }

  func outcome(_ response: URLResponse?, _ text: String) -> (value: Any?, error: NSError?) {
    outcome(response, Data(text.utf8))
  }
}

extension URLRequest {
  var bodyText: String? {
    httpBody.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A response as a server gives it.
func response(_ status: Int = 200, type: String? = nil, url text: String = "http://example.com/x") -> HTTPURLResponse {
  let fields = type.map { ["Content-Type": $0] }
  guard
    let response = HTTPURLResponse(url: url(text), statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
  else {
    preconditionFailure("Foundation makes no response with status \(status)")
  }
  return response
}

/// What a round trip through a secure archive makes of an object.
func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
  let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
}

/// What `copy()` makes of an object, which must be another one of the same class.
func copied<Object: NSObject & NSCopying>(_ object: Object) throws -> Object {
  let copy = try #require(object.copy() as? Object)
  #expect(copy !== object)
  #expect(type(of: copy) == type(of: object))
  return copy
}
