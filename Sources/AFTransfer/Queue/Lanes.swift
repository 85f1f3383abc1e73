import AFCore
import AFReachability
import AFSecurity
import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking

/// The managers that requests go by: one for each combination of policy, token and interface.
struct Lanes {
  struct Key: Hashable {
    var policy: ObjectIdentifier?
    var bearer: ObjectIdentifier?
    var interface: String?
  }

  private var managers: [Key: AFURLSessionManager] = [:]

  mutating func manager(
    policy: AFSecurityPolicy?, bearer: AFBearerAuthentication?, interface: String?,
    _ configuration: AFTransferQueue.Configuration
  ) -> AFURLSessionManager {
    let key = Key(
      policy: policy.map(ObjectIdentifier.init), bearer: bearer.map(ObjectIdentifier.init), interface: interface)
    if let manager = managers[key] { return manager }
    let manager = Self.make(policy, bearer, interface, configuration)
    managers[key] = manager
    return manager
  }

  mutating func close() {
    for manager in managers.values { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
    managers = [:]
  }

  private static func make(
    _ policy: AFSecurityPolicy?, _ bearer: AFBearerAuthentication?, _ interface: String?,
    _ configuration: AFTransferQueue.Configuration
  ) -> AFURLSessionManager {
    let session = URLSessionConfiguration.ephemeral
    // The queue itself looks after idle attempts; this is for the last answer.
    session.timeoutIntervalForRequest = configuration.answerTimeout + 30
    session.httpCookieStorage = nil
    session.urlCache = nil
    session.httpMaximumConnectionsPerHost = max(1, configuration.maximumConcurrencyPerOrigin)
    let manager = AFURLSessionManager(sessionConfiguration: session)
    if let policy { manager.securityPolicy = policy }
    manager.bearerAuthentication = bearer
    var options = configuration.transportOptions
    if let limit = configuration.uploadLimit { options.uploadLimit = limit }
    if let limit = configuration.downloadLimit { options.downloadLimit = limit }
    if let interface { options.networkInterface = interface }
    options.holdsUntilReachable = false
    manager.transportOptions = options
    // Every answer is judged here, whatever its status.
    let serializer = AFHTTPResponseSerializer()
    serializer.acceptableStatusCodes = nil
    manager.responseSerializer = serializer
    manager.setTaskWillPerformHTTPRedirectionBlock { _, task, response, request in
      Self.mayFollow(task.originalRequest, response, request) ? request : nil
    }
    return manager
  }

  /// Never from https to http. A body goes on only where the method and the origin stay (307 and 308): another server is another
  /// matter than the caller's.
  private static func mayFollow(_ original: URLRequest?, _ response: URLResponse, _ next: URLRequest) -> Bool {
    guard let from = response.url?.absoluteString, let to = next.url?.absoluteString, let origin = Origin(to) else {
      return false
    }
    if Origin(from)?.isSecure == true, !origin.isSecure { return false }
    if original?.httpMethod == "GET" { return true }
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    return [307, 308].contains(status) && Origin.areSame(from, to)
  }
}
