internal import AFSupport
internal import Foundation
internal import FoundationNetworking

extension AFHTTPRequestSerializer {
  /// A request with URL, method and the assigned options; no headers, no parameters.
  final func bareRequest(withMethod method: String, urlString: String) throws -> URLRequest {
    // The lenient parser would escape what it does not understand, and a typing error would become a request.
    guard let url = URL(string: urlString, encodingInvalidCharacters: false) else {
      throw AFURLRequestSerializationError(.invalidURL(urlString))
    }
    if let fault = HTTPHeaderValidation.fault(inMethod: method) { throw AFURLRequestSerializationError(fault) }
    var request = URLRequest(url: url)
    // Setting anything costs a copy of the request inside Foundation, even the method it already has.
    if method != "GET" { request.httpMethod = method }
    currentSettings.options.apply(to: &request)
    return request
  }

  /// Default headers, and the parameters as a query or form.
  final func formRequest(
    from request: URLRequest,
    parameters: Any?,
    settings: HTTPRequestSettings
  ) throws -> URLRequest {
    guard settings.encodesParametersInURI(of: request) else {
      var body: [UInt8] = []
      try appendQuery(parameters, for: request, settings: settings, to: &body)
      let data = try Self.data(body, encoding: settings.stringEncoding)
      return try Self.request(from: request, settings: settings, contentType: formContentType, body: data)
    }
    guard let parameters, let url = request.url else { return try Self.request(from: request, settings: settings) }
    let longer = try urlByAppending(parameters, to: url, of: request, settings: settings)
    return try Self.request(from: request, settings: settings, url: longer)
  }

  /// A copy of a request with the default headers, and with another URL, or a body and its content type. All is set on one
  /// copy: Foundation makes another one whenever a request that is shared is changed.
  static func request(
    from request: URLRequest,
    settings: HTTPRequestSettings,
    url: URL? = nil,
    contentType: String? = nil,
    body: Data? = nil
  ) throws -> URLRequest {
    if let fault = settings.headerFault ?? fault(in: request) {
      throw AFURLRequestSerializationError(fault, request: request)
    }
    var result = request
    var fields = settings.headerDictionary
    var hasContentType = settings.headers["Content-Type"] != nil
    if let own = request.allHTTPHeaderFields, !own.isEmpty {
      for (name, value) in own {
        if fields[name] == nil, let same = fields.keys.first(where: { HTTPHeaderFields.isSame($0, name) }) {
          fields[same] = nil
        }
        fields[name] = value
        hasContentType = hasContentType || HTTPHeaderFields.isSame(name, "Content-Type")
      }
    }
    if let contentType, !hasContentType { fields["Content-Type"] = contentType }
    if let url { result.url = url }
    // All at once: Foundation searches and copies for each field that is set alone.
    result.allHTTPHeaderFields = fields
    if let body { result.httpBody = body }
    return result
  }

  private static func fault(in request: URLRequest) -> HTTPHeaderFault? {
    if let method = request.httpMethod, let fault = HTTPHeaderValidation.fault(inMethod: method) { return fault }
    guard let fields = request.allHTTPHeaderFields, !fields.isEmpty else { return nil }
    return fields.lazy.compactMap { HTTPHeaderValidation.fault(inField: $0.key, value: $0.value) }.first
  }

  private func appendQuery(
    _ parameters: Any?,
    for request: URLRequest,
    settings: HTTPRequestSettings,
    separator: UInt8? = nil,
    to target: inout [UInt8]
  ) throws {
    guard let parameters else { return }
    guard let block = settings.queryStringBlock else {
      return try QueryString.append(
        parameters, encoding: settings.queryStringEncoding, separator: separator, to: &target)
    }
    var error: NSError?
    let query = block(request, parameters, &error)
    if let error { throw error }
    guard let query, !query.isEmpty else { return }
    if let separator { target.append(separator) }
    target.append(contentsOf: query.utf8)
  }

  private func urlByAppending(
    _ parameters: Any,
    to url: URL,
    of request: URLRequest,
    settings: HTTPRequestSettings
  ) throws -> URL {
    let text = url.absoluteString
    let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
    let base = text.utf8[..<fragment]
    let separator = base.contains(UInt8(ascii: "?")) ? UInt8(ascii: "&") : UInt8(ascii: "?")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 256)
    bytes.append(contentsOf: base)
    let count = bytes.count
    try appendQuery(parameters, for: request, settings: settings, separator: separator, to: &bytes)
    guard bytes.count > count else { return url }
    bytes.append(contentsOf: text.utf8[fragment...])
    let combined = String(decoding: bytes, as: UTF8.self)
    guard let result = URL(string: combined, encodingInvalidCharacters: false) else {
      throw AFURLRequestSerializationError(
        .invalidQuery(String(decoding: bytes[count...], as: UTF8.self)), request: request)
    }
    return result
  }

  private static func data(_ text: [UInt8], encoding: UInt) throws -> Data {
    if encoding == String.Encoding.utf8.rawValue { return Data(text) }
    let string = String(decoding: text, as: UTF8.self)
    guard let data = string.data(using: String.Encoding(rawValue: encoding)) else {
      throw AFURLRequestSerializationError(.unencodableText(encoding: encoding))
    }
    return data
  }
}

private let formContentType = "application/x-www-form-urlencoded"

extension URLRequest {
  /// The request as a mutable object of its own. Bridging makes such a copy; copying it again would be for nothing.
  var mutable: NSMutableURLRequest {
    let object = self as NSURLRequest
    return object as? NSMutableURLRequest ?? object.mutableCopy() as? NSMutableURLRequest ?? .unsendable
  }
}

extension NSMutableURLRequest {
  /// What is returned beside an error where the declaration asks for a request: one that no session can send, since what
  /// was asked for must not go out half made.
  static var unsendable: NSMutableURLRequest {
    NSMutableURLRequest(url: URL(string: "about:invalid") ?? URL(fileURLWithPath: "/dev/null"))
  }
}
