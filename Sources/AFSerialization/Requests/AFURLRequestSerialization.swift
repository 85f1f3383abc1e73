public import Foundation
public import FoundationNetworking

/// What turns parameters into a request.
public protocol AFURLRequestSerialization: NSObjectProtocol, NSSecureCoding, NSCopying, Sendable {
  /// Makes a copy of a request with parameters encoded into it.
  /// - Parameters:
  ///   - request: The request to start from. It is not changed.
  ///   - parameters: The parameters; each serializer says what it accepts.
  ///   - error: Set when the result is nil.
  /// - Returns: The new request, or nil if it cannot be made.
  @discardableResult
  func request(
    bySerializingRequest request: URLRequest,
    withParameters parameters: Any?,
    error: NSErrorPointer
  ) -> URLRequest?
}

/// How parameters become a query string. See ``AFQueryStringEncoding`` for more choice.
public enum AFHTTPRequestQueryStringSerializationStyle: UInt, Sendable {
  /// AFNetworking's own style.
  case defaultStyle = 0
}
