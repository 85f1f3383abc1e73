import COpenSSL
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
        certificates += Self.pins(among: try CertificateText.certificates(in: item)).map(\.handle)
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

  /// The certificates of one text that are meant when it is pinned: those that issued none of the others.
  ///
  /// A server's file holds its whole chain. To pin all of it would pin the authority, and with it every server that the authority
  /// certifies; who means that gives the authority's certificate by itself.
  static func pins(among certificates: [AFCertificate]) -> [AFCertificate] {
    guard certificates.count > 1 else { return certificates }
    defer { ERR_clear_error() }
    return certificates.filter { candidate in
      !certificates.contains { other in
        // Two certificates of one root name each other as their issuer.
        other != candidate && isIssuer(candidate, of: other) && !isIssuer(other, of: candidate)
      }
    }
  }

  private static func isIssuer(_ issuer: AFCertificate, of subject: AFCertificate) -> Bool {
    X509_check_issued(issuer.handle.pointer, subject.handle.pointer) == X509_V_OK
  }
}
