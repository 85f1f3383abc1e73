import AFCore
import AFMultipart
import AFSecurity
import AFSerialization
import AFSupport
import Dispatch
import Foundation
import FoundationNetworking

extension AFHTTPRequestOperationManager {
  typealias Success = @Sendable (AFHTTPRequestOperation, Any?) -> Void
  typealias Failure = @Sendable (AFHTTPRequestOperation?, any Error) -> Void

  /// Changes a setting. What it replaces goes when the lock is open.
  func change(_ change: (inout OperationManagerSettings) -> Void) {
    let old = settings.withLock { settings in
      let old = settings
      change(&settings)
      return old
    }
    withExtendedLifetime(old) {}
  }

  var ownBaseURL: URL? { (sessions.home.manager as? AFHTTPSessionManager)?.baseURL }

  /// The absolute URL of a path.
  private func url(_ path: String) throws -> String {
    guard let base = baseURL else { return path }
    let manager =
      base == ownBaseURL ? sessions.home.manager as? AFHTTPSessionManager : AFHTTPSessionManager(baseURL: base)
    guard let url = manager?.absoluteURL(of: path) else { throw AFOperationError.invalidPath(path) }
    return url
  }

  func makeRequest(_ method: String, _ path: String, _ parameters: Any?) throws -> URLRequest {
    try requestSerializer.request(withMethod: method, urlString: url(path), parameters: parameters) as URLRequest
  }

  func makeOperation(_ request: URLRequest) -> AFHTTPRequestOperation {
    let operation = AFHTTPRequestOperation(request: request)
    operation.core.withLock { $0.sessions = sessions }
    operation.responseSerializer = responseSerializer
    operation.shouldUseCredentialStorage = shouldUseCredentialStorage
    if let credential { operation.credential = credential }
    // A subclass may override the policy.
    let policy = securityPolicy
    if policy !== sessions.home.manager.securityPolicy { operation.securityPolicy = policy }
    operation.completionQueue = completionQueue
    operation.completionGroup = completionGroup
    return operation
  }

  func send(
    _ method: String, _ path: String, _ parameters: Any?, _ success: Success?, _ failure: Failure?
  ) -> AFHTTPRequestOperation? {
    send(success, failure) { try makeRequest(method, path, parameters) }
  }

  func sendForm(
    _ path: String, _ parameters: Any?, _ block: ((any AFMultipartFormData) -> Void)?, _ success: Success?,
    _ failure: Failure?
  ) -> AFHTTPRequestOperation? {
    send(success, failure) {
      let fields = try AFHTTPRequestSerializer.formFields(of: parameters)
      var error: NSError?
      let request = requestSerializer.multipartFormRequest(
        withMethod: "POST", urlString: try url(path), parameters: fields, constructingBodyWith: block, error: &error)
      if let error { throw error }
      return request as URLRequest
    }
  }

  private func send(_ success: Success?, _ failure: Failure?, _ make: () throws -> URLRequest)
    -> AFHTTPRequestOperation?
  {
    do {
      let operation = httpRequestOperation(with: try make(), success: success, failure: failure)
      operation.enqueue(in: operationQueue)
      return operation
    } catch {
      if let failure { (completionQueue ?? .main).async { failure(nil, error) } }
      return nil
    }
  }

  func copyAll(to copy: AFHTTPRequestOperationManager) {
    if let serializer = requestSerializer.copy() as? AFHTTPRequestSerializer { copy.requestSerializer = serializer }
    if let serializer = responseSerializer.copy() as? AFHTTPResponseSerializer { copy.responseSerializer = serializer }
    // The policy itself where a subclass of it cannot be copied. A default one might accept more.
    let policy = securityPolicy
    copy.securityPolicy = policy.copy() as? AFSecurityPolicy ?? policy
  }

  /// - Returns: False if the policy cannot be restored as it was.
  func decode(_ coder: NSCoder) -> Bool {
    let classes: [AnyClass] = [
      AFHTTPRequestSerializer.self, AFJSONRequestSerializer.self, AFPropertyListRequestSerializer.self,
      AFHTTPResponseSerializer.self, AFJSONResponseSerializer.self, AFXMLParserResponseSerializer.self,
      AFXMLDocumentResponseSerializer.self, AFPropertyListResponseSerializer.self,
    ]
    if let serializer = coder.decodeObject(of: classes, forKey: "requestSerializer") as? AFHTTPRequestSerializer {
      requestSerializer = serializer
    }
    if let serializer = coder.decodeObject(of: classes, forKey: "responseSerializer") as? AFHTTPResponseSerializer {
      responseSerializer = serializer
    }
    guard coder.containsValue(forKey: "securityPolicy") else { return true }
    guard let policy = coder.decodeObject(of: AFSecurityPolicy.self, forKey: "securityPolicy") else { return false }
    securityPolicy = policy
    return true
  }
}
