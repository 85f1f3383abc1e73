internal import AFSupport
internal import Foundation
internal import FoundationNetworking

/// What makes the query string in the place of the package's own rules.
typealias QueryStringBlock = @Sendable (URLRequest, Any, NSErrorPointer) -> String?

/// Everything an ``AFHTTPRequestSerializer`` can be told: the value behind its lock.
struct HTTPRequestSettings: Sendable {
  var stringEncoding = String.Encoding.utf8.rawValue
  var options = HTTPRequestOptions()
  var methodsEncodingParametersInURI: Set<String> = ["GET", "HEAD", "DELETE"]
  var queryStringEncoding = AFQueryStringEncoding()
  var queryStringBlock: QueryStringBlock?
  var encoder = JSONEncoder()

  private(set) var headers = DefaultHeaders.fields
  /// `headers` as Foundation takes them, made when they change, not for each request.
  private(set) var headerDictionary = DefaultHeaders.fields.dictionary
  /// The first thing wrong with `headers`. Setting a header cannot fail, so each request does.
  private(set) var headerFault: HTTPHeaderFault?

  mutating func setHeaders(_ fields: HTTPHeaderFields) {
    headers = fields
    headerDictionary = fields.dictionary
    headerFault = fields.lazy.compactMap { HTTPHeaderValidation.fault(inField: $0.name, value: $0.value) }.first
  }

  func encodesParametersInURI(of request: URLRequest) -> Bool {
    methodsEncodingParametersInURI.contains((request.httpMethod ?? "GET").uppercased())
  }
}

/// The six options of a request that are set on it only once they have been assigned, so that those of the session
/// configuration count until then.
struct HTTPRequestOptions: Sendable {
  var allowsCellularAccess: Bool?
  var cachePolicy: NSURLRequest.CachePolicy?
  var handlesCookies: Bool?
  var usesPipelining: Bool?
  var networkServiceType: NSURLRequest.NetworkServiceType?
  var timeoutInterval: TimeInterval?

  func apply(to request: inout URLRequest) {
    if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
    if let cachePolicy { request.cachePolicy = cachePolicy }
    if let handlesCookies { request.httpShouldHandleCookies = handlesCookies }
    if let usesPipelining { request.setPipelining(usesPipelining) }
    if let networkServiceType { request.networkServiceType = networkServiceType }
    if let timeoutInterval { request.timeoutInterval = timeoutInterval }
  }
}

/// Foundation has deprecated the property, and AFNetworking has the option; going through a protocol keeps both quiet.
private protocol Pipelining {
  var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: Pipelining {
  fileprivate mutating func setPipelining(_ value: Bool) {
    func set(_ request: inout some Pipelining) { request.httpShouldUsePipelining = value }
    set(&self)
  }
}
