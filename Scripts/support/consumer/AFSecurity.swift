import AFSecurity
import Foundation

/// A subclass as AFNetworking's users have them: it declares no initializer, and overrides every open member.
final class Mine: AFSecurityPolicy, @unchecked Sendable {
  // Unchecked because its superclass is; it stores nothing.
  override class var supportsSecureCoding: Bool { true }
  override class func certificates(in bundle: Bundle) -> Set<Data> { [Data("no certificate".utf8)] }
  override var sslPinningMode: AFSSLPinningMode { .certificate }
  override var pinnedCertificates: Set<Data>? {
    get { super.pinnedCertificates }
    set { super.pinnedCertificates = newValue }
  }
  override var allowInvalidCertificates: Bool {
    get { super.allowInvalidCertificates }
    set { super.allowInvalidCertificates = newValue }
  }
  override var validatesDomainName: Bool {
    get { super.validatesDomainName }
    set { super.validatesDomainName = newValue }
  }
  override func evaluateServerTrust(_ serverTrust: AFServerTrust, forDomain domain: String?) -> Bool {
    super.evaluateServerTrust(serverTrust, forDomain: domain)
  }
}

final class Plain: AFSecurityPolicy, @unchecked Sendable {}

let policy = AFSecurityPolicy(pinningMode: .publicKey)
guard policy.sslPinningMode == .publicKey, policy.validatesDomainName else { exit(1) }

// Every initializer is inherited, and an overridden member is asked.
let mine = [
  Mine(), Mine(pinningMode: .publicKey), Mine(pinningMode: .none, withPinnedCertificates: []), Mine(publicKeyPins: []),
  Mine.default(), Plain(pinningMode: .none).copy() as? AFSecurityPolicy,
].compactMap(\.self)
let emptyTrust = AFServerTrust(certificates: [])
guard mine.count == 6, mine.allSatisfy({ !$0.evaluateServerTrust(emptyTrust, forDomain: "a.test") }),
  mine[1].pinnedCertificates == [Data("no certificate".utf8)], (mine[0].copy() as? Mine)?.sslPinningMode == .certificate
else { exit(2) }
print("a policy that pins public keys, and subclasses of it")
