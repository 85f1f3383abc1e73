public import Foundation

extension AFSecurityPolicy {
  /// The policy that a JSON file describes.
  ///
  /// `afnet pin HOST --policy` writes such a file, and `afnet pin HOST --check FILE` tries it. Every member is optional:
  ///
  ///     {
  ///       "notes": ["…"],                         // for people
  ///       "mode": "publicKey",                    // none, publicKey, certificate
  ///       "publicKeyPins": ["sha256/…"],
  ///       "backupPublicKeyPins": ["sha256/…"],
  ///       "pinExpirationDate": "2030-12-31",      // the last day of the pins
  ///       "reportOnlyPins": ["sha256/…"],
  ///       "pinReportURL": "https://…",            // where managers send reports
  ///       "pinnedCertificates": ["leaf.pem"],     // files beside this one, DER or PEM; of a chain, the server's own
  ///       "anchorCertificates": ["ca.pem"],
  ///       "usesSystemAnchors": false,
  ///       "allowInvalidCertificates": false,
  ///       "validatesDomainName": true,
  ///       "minimumTLSVersion": "1.3",             // 1.2 or 1.3
  ///       "hosts": { "*.example.com": { … } },    // policies per host; the members above are for all others
  ///       "excludedHosts": ["cdn.example.com"]    // beside "hosts": these have a default policy
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
      return try policy(json: data, directory: url.deletingLastPathComponent())
    } catch {
      throw error.prefixed(with: url.path)
    }
  }

  /// The policy that JSON describes; files that it names are in `directory`.
  package class func policy(json: Data, directory: URL) throws(AFSecurityError) -> AFSecurityPolicy {
    try PolicyFile(directory: directory).policy(PolicyFile.object(json))
  }
}
