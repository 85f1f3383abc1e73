import AFCore
import AFSecurity
import AFSerialization
import AFTestSupport
import Foundation
import FoundationNetworking
import Testing

/// A manager for a TLS server under `policy`.
func makeManager(for url: URL, _ policy: AFSecurityPolicy) -> AFHTTPSessionManager {
  let manager = AFHTTPSessionManager(baseURL: url, sessionConfiguration: quietConfiguration())
  manager.completionQueue = DispatchQueue(label: "test.completions")
  manager.responseSerializer = AFHTTPResponseSerializer()
  manager.securityPolicy = policy
  return manager
}

/// What became of one GET: the status, or why the server was refused.
func get(_ manager: AFHTTPSessionManager, _ path: String = "a") async -> GetOutcome {
  do throws(AFError) {
    return .status(try await manager.get(path).response?.statusCode ?? 0)
  } catch {
    return .failed(error)
  }
}

enum GetOutcome {
  case status(Int)
  case failed(AFError)

  var status: Int? {
    if case .status(let status) = self { status } else { nil }
  }

  var error: AFError? {
    if case .failed(let error) = self { error } else { nil }
  }

  /// The code of the policy's verdict under a −1202.
  var refusal: AFSecurityError.Code? {
    guard let error, error.urlError?.code == .serverCertificateUntrusted else { return nil }
    return (error.userInfo[NSUnderlyingErrorKey] as? AFSecurityError)?.code
  }
}

extension TestServer {
  /// Bytes of requests that came over all connections so far, TLS taken off.
  var requestBytes: Int64 { connections.reduce(0) { $0 + $1.bytesReceived } }
}

extension AFSecurityPolicy {
  /// A policy with one authority in the place of the system's.
  static func trusting(
    _ authority: TestAuthority, _ mode: AFSSLPinningMode = .none, pins: Set<Data> = [], allowInvalid: Bool = false
  ) throws -> AFSecurityPolicy {
    let policy = mode == .none ? AFSecurityPolicy() : AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: pins)
    policy.anchorCertificates = [try AFCertificate(derRepresentation: authority.certificate)]
    policy.usesSystemAnchors = false
    policy.allowInvalidCertificates = allowInvalid
    return policy
  }
}

extension TestIdentity {
  /// The identity as clients show it.
  func asClientIdentity() throws -> AFClientIdentity {
    try AFClientIdentity(certificatePEM: Data(chainPEM.utf8), privateKeyPEM: Data(keyPEM.utf8))
  }
}
