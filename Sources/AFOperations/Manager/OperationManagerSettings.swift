import AFReachability
import AFSerialization
import Dispatch
import Foundation
import FoundationNetworking

/// What an ``AFHTTPRequestOperationManager`` can be told; behind its lock.
struct OperationManagerSettings: Sendable {
  var requestSerializer = AFHTTPRequestSerializer()
  var responseSerializer: AFHTTPResponseSerializer = AFJSONResponseSerializer()
  var queue = OperationQueue()
  var usesCredentialStorage = true
  var credential: URLCredential?
  var reachabilityManager: AFNetworkReachabilityManager?
  var completionQueue: DispatchQueue?
  var completionGroup: DispatchGroup?
}
