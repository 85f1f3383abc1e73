internal import AFMultipart
internal import Foundation
internal import FoundationNetworking

extension AFHTTPRequestSerializer {
  /// Untyped parameters as the fields of a form.
  /// - Throws: ``AFURLRequestSerializationError`` for parameters that are no dictionary: they have no field names.
  package static func formFields(of parameters: Any?) throws -> [String: Any]? {
    guard let parameters, !isNil(parameters) else { return nil }
    if let fields = parameters as? [String: Any] { return fields }
    guard case .dictionary(let entries) = ParameterValue(parameters) else {
      throw AFURLRequestSerializationError(
        .invalidParameter(path: "", problem: "of a multipart form must be a dictionary"))
    }
    return Dictionary(entries.map { ($0.name, $0.value) }) { first, _ in first }
  }

  private static func isNil(_ parameters: Any) -> Bool {
    if case .null = ParameterValue(parameters) { true } else { false }
  }

  /// Adds parameters to a form as fields.
  final func append(_ parameters: [String: Any], to form: AFMultipartForm) throws {
    let settings = currentSettings
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
