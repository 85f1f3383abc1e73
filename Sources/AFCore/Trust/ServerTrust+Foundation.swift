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

/// A credential that accepts what one server presented.
final class ServerTrustCredential: URLCredential, @unchecked Sendable {
  // Unchecked because the superclass is not checked; what is added are constants.
  let trust: AFServerTrust
  /// Whether it is how default handling says that the policy has accepted, and no decision of the app's.
  let isPolicys: Bool

  init(_ trust: AFServerTrust, isPolicys: Bool = false) {
    self.trust = trust
    self.isPolicys = isPolicys
    super.init(user: "", password: "", persistence: .none)
  }

  required init?(coder: NSCoder) { nil }
}

/// Lets an initializer of `URLCredential` return a credential of another class: only initializers of protocols can.
public protocol AFTrustCredentialMaking {}

extension URLCredential: AFTrustCredentialMaking {}

extension AFTrustCredentialMaking where Self: URLCredential {
  /// The credential that accepts a TLS server, whatever the session's policy says: its pins do not count then.
  ///
  /// It accepts the certificates of `trust` alone. As the answer about another server it leaves the decision to the policy.
  ///
  /// - Parameter trust: What the server presented, from the challenge's protection space.
  public init(trust: AFServerTrust) {
    precondition(Self.self == URLCredential.self, "A subclass of URLCredential cannot be made from a server's trust")
    self = unsafeDowncast(ServerTrustCredential(trust), to: Self.self)
  }
}
