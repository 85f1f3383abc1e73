import AFSerialization
import Foundation
import FoundationNetworking

/// The body that a client makes of parameters, and its content type, which names the encoding that the body is in.
struct ParameterBody: Sendable, Equatable {
  var data: Data
  var contentType: String

  init(_ parameters: Any, _ kind: AFHTTPClientParameterEncoding, _ encoding: String.Encoding, for request: URLRequest)
    throws
  {
    let charset = Self.charset(encoding)
    let serializer: AFHTTPRequestSerializer
    switch kind {
    case .formURL:
      serializer = AFHTTPRequestSerializer()
      serializer.httpMethodsEncodingParametersInURI = []
      contentType = "application/x-www-form-urlencoded"
    case .json:
      serializer = AFJSONRequestSerializer()
      contentType = "application/json"
    case .propertyList:
      serializer = AFPropertyListRequestSerializer()
      contentType = "application/x-plist"
    }
    contentType += "; charset=\(charset)"
    serializer.httpMethodsEncodingParametersInURI = []
    var error: NSError?
    let made = serializer.request(bySerializingRequest: request, withParameters: parameters, error: &error)
    if let error { throw error }
    var text = String(decoding: made?.httpBody ?? Data(), as: UTF8.self)
    if encoding == .utf8 {
      data = Data(text.utf8)
      return
    }
    if kind == .propertyList, let declared = text.range(of: "encoding=\"UTF-8\"") {
      text.replaceSubrange(declared, with: "encoding=\"\(charset)\"")
    }
    guard let data = text.data(using: encoding) else {
      throw AFURLRequestSerializationError(.unencodableText(encoding: encoding.rawValue), request: request)
    }
    self.data = data
  }

  /// The IANA name of an encoding, in lower case.
  static func charset(_ encoding: String.Encoding) -> String {
    encoding.ianaName?.lowercased() ?? "utf-8"
  }
}
