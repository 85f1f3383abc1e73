internal import AFMultipart
internal import Foundation
internal import FoundationNetworking

extension AFHTTPRequestSerializer {
  /// Adds parameters to a form as fields.
  final func append(_ parameters: [String: Any], to form: AFMultipartForm) throws {
    let settings = settings
    let encoding = String.Encoding(rawValue: settings.stringEncoding)
    let flattener = ParameterFlattener(encoding: settings.queryStringEncoding)
    try flattener.flatten(parameters) { name, value in
      if case .data(let data) = value {
        form.appendPart(withForm: data, name: name)
      } else if let data = (value.text(booleans: settings.queryStringEncoding.booleans) ?? "").data(using: encoding) {
        form.appendPart(withForm: data, name: name)
      } else {
        throw AFURLRequestSerializationError(
          .invalidParameter(path: name, problem: "cannot be written in the string encoding \(settings.stringEncoding)"))
      }
    }
  }
}

extension NSMutableURLRequest {
  /// Makes the form the body. The stream goes first: setting it lets Foundation drop a Content-Length.
  func setBody(_ form: AFMultipartForm) {
    let stream = form.makeBodyStream()
    httpBodyStream = stream
    setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    setValue(stream.contentLength.map(String.init), forHTTPHeaderField: "Content-Length")
  }
}
