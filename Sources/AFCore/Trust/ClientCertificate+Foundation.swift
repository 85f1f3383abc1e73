public import AFSecurity
public import Foundation
public import FoundationNetworking

/// The method of a challenge that asks for a client certificate, of a manager whose policy has no `clientIdentity` for the host.
/// The answer is `URLCredential(identity:certificates:persistence:)`; whatever else lets the handshake go on is an answer without a
/// certificate.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

/// A protection space that holds what the server said it would take.
final class ClientCertificateSpace: URLProtectionSpace, @unchecked Sendable {
  // Unchecked because the superclass is not checked; what is added is a constant.
  let issuers: [Data]

  init(issuers: [Data], host: String, port: Int) {
    self.issuers = issuers
    super.init(
      host: host, port: port, protocol: "https", realm: nil,
      authenticationMethod: NSURLAuthenticationMethodClientCertificate)
  }

  required init?(coder: NSCoder) { nil }
}

extension URLProtectionSpace {
  /// The authorities whose certificates the server takes from clients, when that is what the challenge asks about: distinguished
  /// names in DER form (X.501). Empty if the server does not say.
  ///
  /// Apple's `distinguishedNames` also exists on Linux, deprecated and always nil, and cannot be declared again.
  public var acceptedIssuers: [Data]? { (self as? ClientCertificateSpace)?.issuers }
}

/// A credential that shows a client certificate. The key stays where it is: no archive and no description holds it.
final class IdentityCredential: URLCredential, @unchecked Sendable {
  // Unchecked because the superclass is not checked; what is added is a constant.
  let shownIdentity: AFClientIdentity

  init(_ identity: AFClientIdentity, persistence: URLCredential.Persistence) {
    shownIdentity = identity
    super.init(user: "", password: "", persistence: persistence)
  }

  required init?(coder: NSCoder) { nil }
}

/// Lets an initializer of `URLCredential` return a credential of another class: only initializers of protocols can.
public protocol AFIdentityCredentialMaking {}

extension URLCredential: AFIdentityCredentialMaking {
  /// The client identity of the credential, or nil.
  public var identity: AFClientIdentity? { (self as? IdentityCredential)?.shownIdentity }
}

extension AFIdentityCredentialMaking where Self: URLCredential {
  /// The credential that shows a client certificate to a server that asks for one.
  ///
  /// - Parameters:
  ///   - identity: The certificate with its key.
  ///   - certificates: Certificates to send along, beside those of the identity.
  ///   - persistence: What Foundation asks for. The answer to a challenge holds for the session, whatever it says.
  public init(
    identity: AFClientIdentity, certificates: [AFCertificate]? = nil, persistence: URLCredential.Persistence
  ) {
    precondition(Self.self == URLCredential.self, "A subclass of URLCredential cannot be made from an identity")
    self = unsafeDowncast(
      IdentityCredential(identity.sending(certificates ?? []), persistence: persistence), to: Self.self)
  }
}
