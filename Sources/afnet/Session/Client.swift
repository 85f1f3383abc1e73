import AFArguments
import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import Foundation
import FoundationNetworking

/// A session with the policy that a command line asks for.
struct Client: Sendable {
  let manager: AFHTTPSessionManager
  let timeout: Double?

  /// Makes the session. `targets` are what will be asked; a response with none of the `statuses` is an error.
  init(_ arguments: Arguments, _ targets: [Target], accepts statuses: IndexSet? = nil) throws(ToolFailure) {
    let environment = ProcessInfo.processInfo.environment
    let policy = try TrustOptions.policy(arguments, environment)
    let pins = arguments.has(.pin) || arguments.has(.policy) && policy.sslPinningMode != .none
    if pins, let open = targets.first(where: { !$0.isSecure }) {
      throw ToolFailure(.pin, "\(open.shown) is asked without TLS, where pins protect nothing; use https")
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    for option in [CommandOption.timeout, .maximumTime, .connectTimeout] where arguments.seconds(option) == 0 {
      throw .usage("--\(option.name) needs more than 0 seconds")
    }
    timeout = arguments.seconds(.timeout)
    // For requests that are made from resume data.
    if let timeout { configuration.timeoutIntervalForRequest = timeout }
    if let limit = arguments.seconds(.maximumTime) { configuration.timeoutIntervalForResource = limit }
    manager = AFHTTPSessionManager(baseURL: targets.first?.url, sessionConfiguration: configuration)
    manager.transportOptions = try ConnectionOptions.transport(arguments, environment)
    manager.securityPolicy = policy
    let serializer = AFHTTPResponseSerializer()
    serializer.acceptableStatusCodes = statuses
    serializer.acceptableContentTypes = nil
    manager.responseSerializer = serializer
    if arguments.has(.noFollow) { manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, _ in nil } }
  }
}
