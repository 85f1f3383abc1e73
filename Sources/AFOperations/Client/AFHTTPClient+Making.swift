import AFCore
import AFMultipart
import AFReachability
import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking

extension AFHTTPClient {
  /// The base URL that the client was made with, with its slash.
  var ownBaseURL: URL {
    (sessions.home.manager as? AFHTTPSessionManager)?.baseURL ?? URL(fileURLWithPath: "/")
  }

  /// The absolute URL of a path.
  private func url(_ path: String?) throws -> String {
    let path = path ?? ""
    let base = baseURL
    let manager =
      base == ownBaseURL ? sessions.home.manager as? AFHTTPSessionManager : AFHTTPSessionManager(baseURL: base)
    guard let url = manager?.absoluteURL(of: path), URL(string: url, encodingInvalidCharacters: false) != nil else {
      throw AFOperationError.invalidPath(path)
    }
    return url
  }

  func makeRequest(_ method: String, _ path: String?, _ parameters: Any?) throws -> NSMutableURLRequest {
    let url = try url(path)
    let isInQuery = ["GET", "HEAD", "DELETE"].contains(method.uppercased())
    let request = try headers.request(withMethod: method, urlString: url, parameters: isInQuery ? parameters : nil)
    if isInQuery { return request }
    // What a request serializer gives a request without parameters, 1.x does not.
    request.httpBody = nil
    request.setValue(defaultValue(forHeader: "Content-Type"), forHTTPHeaderField: "Content-Type")
    guard let parameters else { return request }
    let (kind, encoding) = settings.withLock { ($0.parameterEncoding, $0.stringEncoding) }
    let body = try ParameterBody(parameters, kind, encoding, for: request as URLRequest)
    request.setValue(body.contentType, forHTTPHeaderField: "Content-Type")
    request.httpBody = body.data
    return request
  }

  /// Makes a form the body of a request.
  func setForm(
    of request: NSMutableURLRequest, _ parameters: [String: Any]?, _ block: ((any AFMultipartFormData) -> Void)?
  ) throws {
    var error: NSError?
    var isEmpty = parameters?.isEmpty ?? true
    let form = headers.multipartFormRequest(
      withMethod: request.httpMethod ?? "GET", urlString: request.url?.absoluteString ?? "", parameters: parameters,
      constructingBodyWith: { data in
        block?(data)
        isEmpty = isEmpty && (data as? AFMultipartForm)?.isEmpty ?? false
      }, error: &error)
    if let error { throw error }
    // A form without parts leaves the request as it is.
    if isEmpty { return }
    request.httpBodyStream = form.httpBodyStream
    for field in ["Content-Type", "Content-Length"] {
      request.setValue(form.value(forHTTPHeaderField: field), forHTTPHeaderField: field)
    }
  }

  func makeOperation(_ request: URLRequest) -> AFHTTPRequestOperation {
    let classes = settings.withLock { $0.operationClasses }
    let type = classes.first { $0.canProcess(request) } ?? AFHTTPRequestOperation.self
    let operation = type.made(for: request)
    operation.core.withLock { $0.sessions = sessions }
    if let credential = defaultCredential { operation.credential = credential }
    return operation
  }

  func send(
    _ method: String, _ path: String?, _ parameters: Any?,
    _ success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
    _ failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)?
  ) {
    let request = request(withMethod: method, path: path, parameters: parameters)
    enqueue(httpRequestOperation(with: request as URLRequest, success: success, failure: failure))
  }

  func keepReachabilityBlock(_ block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?) {
    let old = settings.withLock { settings in
      defer { settings.reachabilityBlock = block }
      return settings.reachabilityBlock
    }
    reachability.setReachabilityStatusChange(block)
    withExtendedLifetime(old) {}
  }

  // MARK: Copies and archives

  func copyAll(to copy: AFHTTPClient) {
    let own = settings.withLock { $0 }
    copy.stringEncoding = own.stringEncoding.rawValue
    copy.parameterEncoding = own.parameterEncoding
    copy.settings.withLock { $0.operationClasses = own.operationClasses }
    copy.replaceHeaders(with: headers.httpRequestHeaders)
    copy.setReachabilityStatusChange(own.reachabilityBlock)
  }

  private func replaceHeaders(with fields: [String: String]) {
    for name in headers.httpRequestHeaders.keys { headers.setValue(nil, forHTTPHeaderField: name) }
    for (name, value) in fields { headers.setValue(value, forHTTPHeaderField: name) }
  }

  func encodeSettings(_ coder: NSCoder) {
    let own = settings.withLock { $0 }
    coder.encode(ownBaseURL as NSURL, forKey: "baseURL")
    coder.encode(Int(clamping: own.stringEncoding.rawValue), forKey: "stringEncoding")
    coder.encode(Int(own.parameterEncoding.rawValue), forKey: "parameterEncoding")
    coder.encode(
      own.operationClasses.map { String(reflecting: $0) } as NSArray, forKey: "registeredHTTPOperationClassNames")
    coder.encode(headers.httpRequestHeaders as NSDictionary, forKey: "defaultHeaders")
  }

  func decode(_ coder: NSCoder) {
    stringEncoding = UInt(clamping: coder.decodeInteger(forKey: "stringEncoding"))
    parameterEncoding =
      AFHTTPClientParameterEncoding(rawValue: UInt(clamping: coder.decodeInteger(forKey: "parameterEncoding")))
      ?? .formURL
    let names = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "registeredHTTPOperationClassNames")
    for case let name as String in (names as? NSArray ?? []).reversed() {
      // Foundation finds no class that stands within another type.
      guard name.split(separator: ".").count == 2, let type = NSClassFromString(name) else { continue }
      registerHTTPOperationClass(type)
    }
    let fields = coder.decodeObject(of: [NSDictionary.self, NSString.self], forKey: "defaultHeaders") as? NSDictionary
    var all: [String: String] = [:]
    for case let (name as String, value as String) in fields ?? [:] { all[name] = value }
    replaceHeaders(with: all)
  }
}

extension URL {
  /// The path as it stands in the URL.
  var escapedPath: String {
    let path = path(percentEncoded: true)
    return path.isEmpty ? "/" : path
  }
}
