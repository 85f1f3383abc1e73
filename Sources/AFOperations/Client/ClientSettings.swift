import AFReachability
import Foundation
import FoundationNetworking

/// How an ``AFHTTPClient`` puts parameters into the body of a request.
public enum AFHTTPClientParameterEncoding: UInt, Sendable {
  /// `application/x-www-form-urlencoded`.
  case formURL
  /// `application/json`.
  case json
  /// `application/x-plist`, an XML property list.
  case propertyList
}

/// What a client can be told; behind its lock.
struct ClientSettings: Sendable {
  var stringEncoding = String.Encoding.utf8
  var parameterEncoding = AFHTTPClientParameterEncoding.formURL
  var credential: URLCredential?
  var reachabilityBlock: (@Sendable (AFNetworkReachabilityStatus) -> Void)?
  /// The latest first.
  var operationClasses: [AFHTTPRequestOperation.Type] = []
}
