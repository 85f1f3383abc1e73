internal import AFSupport
internal import Foundation
internal import FoundationNetworking

/// Which options of ``AFHTTPRequestSerializer`` a subclass overrides.
///
/// An option that is only stored counts once it has been assigned; one that is overridden always counts. So it has to be told
/// which of the two it is.
struct RequestOverrides: OptionSet, Sendable {
  let rawValue: Int

  static let stringEncoding = RequestOverrides(rawValue: 1 << 0)
  static let cellular = RequestOverrides(rawValue: 1 << 1)
  static let cachePolicy = RequestOverrides(rawValue: 1 << 2)
  static let cookies = RequestOverrides(rawValue: 1 << 3)
  static let pipelining = RequestOverrides(rawValue: 1 << 4)
  static let serviceType = RequestOverrides(rawValue: 1 << 5)
  static let timeout = RequestOverrides(rawValue: 1 << 6)
  static let methods = RequestOverrides(rawValue: 1 << 7)
  static let headers = RequestOverrides(rawValue: 1 << 8)
  static let queryStringEncoding = RequestOverrides(rawValue: 1 << 9)
  static let encoder = RequestOverrides(rawValue: 1 << 10)
  static let body = RequestOverrides(rawValue: 1 << 11)
  static let all = RequestOverrides(rawValue: (1 << 12) - 1)

  /// Nothing for our own classes, and everything where it cannot be told.
  static func of(_ type: AFHTTPRequestSerializer.Type) -> RequestOverrides {
    let isOurs =
      type == AFHTTPRequestSerializer.self || type == AFJSONRequestSerializer.self
      || type == AFPropertyListRequestSerializer.self
    return isOurs ? [] : table?.overrides(of: type) ?? .all
  }

  private static let table = OverrideTable<RequestOverrides>(
    base: AFHTTPRequestSerializer.self, plain: PlainProbe.self,
    probes: [
      (StringEncodingProbe.self, .stringEncoding), (CellularProbe.self, .cellular),
      (CachePolicyProbe.self, .cachePolicy), (CookiesProbe.self, .cookies), (PipeliningProbe.self, .pipelining),
      (ServiceTypeProbe.self, .serviceType), (TimeoutProbe.self, .timeout), (MethodsProbe.self, .methods),
      (HeadersProbe.self, .headers), (QueryStringEncodingProbe.self, .queryStringEncoding),
      (EncoderProbe.self, .encoder), (BodyProbe.self, .body),
    ])
}

extension AFHTTPRequestSerializer {
  /// Whether values become forms and queries: it is neither one of our other classes nor a subclass with bodies of its own.
  package final var makesFormsOfValues: Bool {
    !(self is AFJSONRequestSerializer) && !(self is AFPropertyListRequestSerializer)
      && !RequestOverrides.of(type(of: self)).contains(.body)
  }

  /// What counts for a request that is made now: what has been assigned, and what a subclass overrides of it.
  final var currentSettings: HTTPRequestSettings {
    var settings = settings
    let overrides = RequestOverrides.of(type(of: self))
    if overrides.isEmpty { return settings }
    if overrides.contains(.stringEncoding) { settings.stringEncoding = stringEncoding }
    if overrides.contains(.cellular) { settings.options.allowsCellularAccess = allowsCellularAccess }
    if overrides.contains(.cachePolicy) { settings.options.cachePolicy = cachePolicy }
    if overrides.contains(.cookies) { settings.options.handlesCookies = httpShouldHandleCookies }
    if overrides.contains(.pipelining) { settings.options.usesPipelining = httpShouldUsePipelining }
    if overrides.contains(.serviceType) { settings.options.networkServiceType = networkServiceType }
    if overrides.contains(.timeout) { settings.options.timeoutInterval = timeoutInterval }
    if overrides.contains(.methods) { settings.methodsEncodingParametersInURI = httpMethodsEncodingParametersInURI }
    if overrides.contains(.headers) { settings.setHeaders(HTTPHeaderFields(httpRequestHeaders)) }
    if overrides.contains(.queryStringEncoding) { settings.queryStringEncoding = queryStringEncoding }
    if overrides.contains(.encoder) { settings.encoder = encoder }
    return settings
  }
}

// swift-format-ignore
// Unchecked because their superclass is; they store nothing and are never made.
private final class PlainProbe: AFHTTPRequestSerializer, @unchecked Sendable {}

private final class StringEncodingProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var stringEncoding: UInt {
    get { 0 }
    set {}
  }
}

private final class CellularProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var allowsCellularAccess: Bool {
    get { false }
    set {}
  }
}

private final class CachePolicyProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var cachePolicy: NSURLRequest.CachePolicy {
    get { .useProtocolCachePolicy }
    set {}
  }
}

private final class CookiesProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var httpShouldHandleCookies: Bool {
    get { false }
    set {}
  }
}

private final class PipeliningProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var httpShouldUsePipelining: Bool {
    get { false }
    set {}
  }
}

private final class ServiceTypeProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var networkServiceType: NSURLRequest.NetworkServiceType {
    get { .default }
    set {}
  }
}

private final class TimeoutProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var timeoutInterval: TimeInterval {
    get { 0 }
    set {}
  }
}

private final class MethodsProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var httpMethodsEncodingParametersInURI: Set<String> {
    get { [] }
    set {}
  }
}

private final class QueryStringEncodingProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var queryStringEncoding: AFQueryStringEncoding {
    get { AFQueryStringEncoding() }
    set {}
  }
}

private final class EncoderProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var encoder: JSONEncoder {
    get { JSONEncoder() }
    set {}
  }
}

private final class HeadersProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override var httpRequestHeaders: [String: String] { [:] }
}

private final class BodyProbe: AFHTTPRequestSerializer, @unchecked Sendable {
  // Unchecked as above.
  override func request(bySerializingRequest request: URLRequest, withBody body: any Encodable) throws -> URLRequest {
    request
  }
}
