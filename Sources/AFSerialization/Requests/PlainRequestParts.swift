internal import AFSupport
package import Foundation
package import FoundationNetworking

/// What a serializer adds to a request without parameters, in parts.
///
/// A `URLRequest` costs more than the whole rest of a small request: whoever needs none takes this.
package struct PlainRequestParts: Sendable {
  package let headers: [(name: String, value: String)]
  /// Nil until somebody has assigned it: the session configuration decides then.
  package let timeout: TimeInterval?
  package let handlesCookies: Bool?
  package let cachePolicy: NSURLRequest.CachePolicy?
}

extension AFHTTPRequestSerializer {
  /// The parts of a request with this method and neither parameters nor body, or nil if they can only be had by making it:
  /// from a subclass, with an option that a `URLRequest` has to carry, with a header that has to be refused.
  package final func plainParts(withMethod method: String) -> PlainRequestParts? {
    guard type(of: self) == AFHTTPRequestSerializer.self || type(of: self) == AFJSONRequestSerializer.self else {
      return nil
    }
    let settings = settings
    let options = settings.options
    guard settings.headerFault == nil, options.allowsCellularAccess == nil, options.usesPipelining == nil,
      options.networkServiceType == nil, settings.methodsEncodingParametersInURI.contains(method),
      HTTPHeaderValidation.fault(inMethod: method) == nil
    else { return nil }
    return PlainRequestParts(
      headers: settings.headers.map { ($0.name, $0.value) }, timeout: options.timeoutInterval,
      handlesCookies: options.handlesCookies, cachePolicy: options.cachePolicy)
  }
}
