public import AFSecurity
import Foundation
public import FoundationNetworking

/// The method of a challenge that asks whether a TLS server is trusted; its protection space has a `serverTrust`.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

/// A protection space that holds what the server presented.
final class ServerTrustSpace: URLProtectionSpace, @unchecked Sendable {
  // Unchecked because the superclass is not checked; what is added is a constant.
  let trust: AFServerTrust

  init(_ trust: AFServerTrust, host: String, port: Int) {
    self.trust = trust
    super.init(
      host: host, port: port, protocol: "https", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodServerTrust)
  }

  required init?(coder: NSCoder) { nil }
}

extension URLProtectionSpace {
  /// What the TLS server presented, when that is what the challenge asks about.
  public var serverTrust: AFServerTrust? { (self as? ServerTrustSpace)?.trust }
}

extension URLCredential {
  /// The credential that accepts a TLS server.
  public convenience init(trust: AFServerTrust) {
    self.init(user: "", password: "", persistence: .none)
  }
}
