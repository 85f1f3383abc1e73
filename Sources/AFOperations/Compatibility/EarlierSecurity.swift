public import AFCore
public import AFSecurity
import AFSupport
import Foundation
public import FoundationNetworking

// How versions before 2.0 said what a security policy says now, and before 1.2 what the challenge block does.

extension AFURLConnectionOperation {
  /// What the operation pins. Setting it gives the operation a policy of its own, which pins every `.cer` file of the main bundle. The host
  /// name is checked in every mode.
  public var sslPinningMode: AFSSLPinningMode {
    get { securityPolicy.sslPinningMode }
    set { securityPolicy = securityPolicy.pinning(newValue) }
  }

  /// Whether chains that lead to no trusted authority may pass; see ``AFHTTPClient/allowsInvalidSSLCertificate``. Setting it gives the
  /// operation a policy of its own.
  public var allowsInvalidSSLCertificate: Bool {
    get { securityPolicy.allowInvalidCertificates }
    set {
      guard let policy = securityPolicy.copy() as? AFSecurityPolicy else { return }
      policy.allowInvalidCertificates = newValue
      securityPolicy = policy
    }
  }

  /// Sets who says whether the challenge block is asked about a protection space; where it is not, and without a block, the credential and
  /// the policy are.
  @preconcurrency
  public func setAuthenticationAgainstProtectionSpaceBlock(
    _ block: (@Sendable (AFURLSessionTask, URLProtectionSpace) -> Bool)?
  ) {
    replace { $0.blocks.mayAuthenticate = block }
  }

  /// ``setWillSendRequestForAuthenticationChallenge(_:)``.
  @preconcurrency
  public func setAuthenticationChallengeBlock(
    _ block: (@Sendable (AFURLSessionTask, URLAuthenticationChallenge) -> Void)?
  ) {
    setWillSendRequestForAuthenticationChallenge(block)
  }

  /// ``batch(of:progressBlock:completionBlock:)``, as the importer spells it. What is no operation of this package is left out.
  @preconcurrency @discardableResult
  public class func batch(
    ofRequestOperations operations: [Any]?, progressBlock: (@Sendable (UInt, UInt) -> Void)?,
    completionBlock: (@Sendable ([Any]) -> Void)? = nil
  ) -> [Any] {
    batch(
      of: (operations ?? []).compactMap { $0 as? AFURLConnectionOperation }, progressBlock: progressBlock,
      completionBlock: { completionBlock?($0) })
  }
}

extension AFSecurityPolicy {
  /// A policy that pins every `.cer` file of the main bundle in this mode, with this one's other settings of version 1.x.
  func pinning(_ mode: AFSSLPinningMode) -> AFSecurityPolicy {
    let policy = AFSecurityPolicy(pinningMode: mode)
    policy.allowInvalidCertificates = allowInvalidCertificates
    policy.validatesDomainName = validatesDomainName
    return policy
  }
}
