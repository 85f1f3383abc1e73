public import AFMultipart
import AFSerialization
import AFSupport
public import Foundation
public import FoundationNetworking

// Forms that only versions 0.10 to 1.3 have, each by what does it today.

// MARK: Multipart forms of 0.10

extension AFMultipartFormData {
  /// Adds bytes to the body as they are, without a delimiter or header fields: whatever the caller wants between two parts. Empty data
  /// adds nothing. It works in the forms of this package alone.
  public func appendData(_ data: Data) {
    if !data.isEmpty { (self as? AFMultipartForm)?.append(AFMultipartPart(bare: data)) }
  }

  /// Adds a text to the body as ``appendData(_:)`` does. A text that the encoding does not have adds nothing.
  public func appendString(_ string: String, encoding: String.Encoding = .utf8) {
    if let data = string.data(using: encoding) { appendData(data) }
  }
}

// MARK: Query strings

/// The parameters as a query string, sorted by key. The encoding has no effect: all query strings are UTF-8 now.
public func AFQueryStringFromParametersWithEncoding(_ parameters: [AnyHashable: Any], _ encoding: UInt) -> String {
  AFQueryStringFromParameters(parameters)
}

/// The text, percent-escaped as a query key or value. The encoding has no effect: all query strings are UTF-8 now.
public func AFURLEncodedStringFromStringWithEncoding(_ string: String, _ encoding: UInt) -> String {
  AFPercentEscapedStringFromString(string)
}

// MARK: Names

/// The domain of errors about responses. Versions 0.10 and 1.x had one for everything, with another text.
public let AFNetworkingErrorDomain = AFURLResponseSerializationErrorDomain

/// ``AFHTTPClientParameterEncoding/formURL``.
public let AFFormURLParameterEncoding = AFHTTPClientParameterEncoding.formURL
/// ``AFHTTPClientParameterEncoding/json``.
public let AFJSONParameterEncoding = AFHTTPClientParameterEncoding.json
/// ``AFHTTPClientParameterEncoding/propertyList``.
public let AFPropertyListParameterEncoding = AFHTTPClientParameterEncoding.propertyList

extension AFHTTPClient {
  /// ``defaultCredential``, set.
  public func setDefaultCredential(_ credential: URLCredential?) { defaultCredential = credential }

  /// ``enqueue(_:)``.
  public func enqueueHTTPRequestOperation(_ operation: AFHTTPRequestOperation) { enqueue(operation) }

  /// ``enqueueBatchOfHTTPRequestOperations(_:progressBlock:completionBlock:)``.
  @preconcurrency
  public func enqueueBatch(
    ofHTTPRequestOperations operations: [AFHTTPRequestOperation], progressBlock: (@Sendable (UInt, UInt) -> Void)?,
    completionBlock: (@Sendable ([AFHTTPRequestOperation]) -> Void)?
  ) {
    enqueueBatchOfHTTPRequestOperations(operations, progressBlock: progressBlock, completionBlock: completionBlock)
  }
}

extension AFHTTPRequestOperation {
  /// ``canProcess(_:)``.
  public class func canProcessRequest(_ urlRequest: URLRequest) -> Bool { canProcess(urlRequest) }
}

extension AFJSONRequestOperation {
  /// ``init(request:success:failure:)``.
  @preconcurrency
  public class func jsonRequestOperation(
    with urlRequest: URLRequest, success: (@Sendable (URLRequest, HTTPURLResponse?, Any?) -> Void)?,
    failure: (@Sendable (URLRequest, HTTPURLResponse?, any Error, Any?) -> Void)? = nil
  ) -> AFJSONRequestOperation {
    AFJSONRequestOperation(request: urlRequest, success: success, failure: failure)
  }
}

extension AFPropertyListRequestOperation {
  /// ``init(request:success:failure:)``.
  @preconcurrency
  public class func propertyListRequestOperation(
    with urlRequest: URLRequest, success: (@Sendable (URLRequest, HTTPURLResponse?, Any?) -> Void)?,
    failure: (@Sendable (URLRequest, HTTPURLResponse?, any Error, Any?) -> Void)? = nil
  ) -> AFPropertyListRequestOperation {
    AFPropertyListRequestOperation(request: urlRequest, success: success, failure: failure)
  }
}
