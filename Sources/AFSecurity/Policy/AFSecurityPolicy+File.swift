public import Foundation

extension AFSecurityPolicy {
  /// The policy that a JSON file describes.
  ///
  /// `afnet pin HOST --policy` writes such a file, and `afnet pin HOST --check FILE` tries it. Every member is optional:
  ///
  ///     {
  ///       "mode": "publicKey",                    // none, publicKey, certificate
  ///       "publicKeyPins": ["sha256/…"],
  ///       "backupPublicKeyPins": ["sha256/…"],
  ///       "pinnedCertificates": ["leaf.pem"],     // files beside this one, DER or PEM
  ///       "anchorCertificates": ["ca.pem"],
  ///       "usesSystemAnchors": false,
  ///       "allowInvalidCertificates": false,
  ///       "validatesDomainName": true,
  ///       "minimumTLSVersion": "1.3",             // 1.2 or 1.3
  ///       "hosts": { "*.example.com": { … } }     // policies per host; the members above are for all others
  ///     }
  ///
  /// With `hosts` and nothing else, all other hosts are refused.
  ///
  /// - Throws: `AFSecurityError`: with code `invalidPolicyFile` for anything that is not understood, a member that is misspelt
  ///   included, or with the code of the certificate or pin that cannot be read.
  /// - Returns: The policy.
  public class func policy(contentsOf url: URL) throws(AFSecurityError) -> AFSecurityPolicy {
    let data = try CertificateText.contents(of: url)
    do {
      let object = try PolicyFile.object(data)
      return try PolicyFile(directory: url.deletingLastPathComponent()).policy(object)
    } catch {
      throw error.prefixed(with: url.path)
    }
  }
}
