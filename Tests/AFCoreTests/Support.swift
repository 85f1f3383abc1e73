import AFCore
import AFSecurity
import AFSerialization
import AFSupport
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// A manager that talks to a test server: completions on a queue of its own, no cookies or caches of the machine.
func makeManager(_ server: TestServer, serializer: AFHTTPResponseSerializer = AFJSONResponseSerializer())
  -> AFHTTPSessionManager
{
  let manager = AFHTTPSessionManager(baseURL: server.url(), sessionConfiguration: quietConfiguration())
  manager.completionQueue = DispatchQueue(label: "test.completions")
  manager.responseSerializer = serializer
  return manager
}

func quietConfiguration() -> URLSessionConfiguration {
  let configuration = URLSessionConfiguration.ephemeral
  configuration.httpCookieStorage = nil
  configuration.urlCache = nil
  configuration.urlCredentialStorage = nil
  configuration.timeoutIntervalForRequest = 60
  return configuration
}

/// What a completion handler was given.
struct Completion: Sendable {
  // Unchecked because `Any` is not Sendable; nobody touches the value any more.
  private struct Box: @unchecked Sendable {
    let object: Any?
  }

  let response: URLResponse
  private let box: Box
  let error: (any Error)?

  init(_ response: URLResponse, _ object: Any?, _ error: (any Error)?) {
    self.response = response
    box = Box(object: object)
    self.error = error
  }

  var object: Any? { box.object }
  var code: URLError.Code? { (error as? URLError)?.code }
  var status: Int? { (response as? HTTPURLResponse)?.statusCode }
}

extension Recorder where Element == Completion {
  var handler: @Sendable (URLResponse, Any?, (any Error)?) -> Void {
    { self.record(Completion($0, $1, $2)) }
  }

  var fileHandler: @Sendable (URLResponse, URL?, (any Error)?) -> Void {
    { self.record(Completion($0, $1, $2)) }
  }
}

extension AFSecurityPolicy {
  /// Trusts one certificate, and those that it issued.
  static func trusting(_ certificate: Data, pinning: AFSSLPinningMode = .none) throws -> AFSecurityPolicy {
    let policy = AFSecurityPolicy(pinningMode: pinning, withPinnedCertificates: pinning == .none ? [] : [certificate])
    policy.anchorCertificates = [try AFCertificate(derRepresentation: certificate)]
    policy.usesSystemAnchors = false
    return policy
  }
}

/// Runs `body`, which must throw an `AFError`.
func failure(_ body: () async throws -> Void) async throws -> AFError {
  do {
    try await body()
  } catch let error as AFError {
    return error
  }
  throw EventuallyFailure.missing
}

extension EventuallyFailure {
  static var missing: any Error { MissingError() }
}

struct MissingError: Error, CustomStringConvertible {
  var description: String { "no error was thrown" }
}
