import Foundation

/// The pinned certificates of a policy, decoded once.
final class PinnedCertificates: Sendable {
  /// As they were given.
  let data: Set<Data>
  let certificates: [X509Handle]
  /// Their DER forms.
  let encodings: Set<Data>
  let keys: Set<AFPublicKeyPin>
  /// Why one of them cannot be used; a policy that pins then accepts nobody.
  let failure: AFSecurityError?
  /// The pins as the only anchors.
  let store: TrustStore

  static let none = PinnedCertificates([])

  init(_ data: Set<Data>) {
    var certificates: [X509Handle] = []
    var failure: AFSecurityError?
    for item in data {
      do throws(AFSecurityError) {
        certificates += try CertificateText.certificates(in: item).map(\.handle)
      } catch {
        failure = AFSecurityError(.invalidPin, "a pinned certificate is unusable: \(error.reason)")
      }
    }
    self.data = data
    self.certificates = certificates
    self.failure = failure
    encodings = Set(certificates.map(\.der))
    keys = Set(certificates.map(\.publicKeyPin))
    store = TrustStore(anchors: certificates, includesSystem: false)
  }
}
