package import Foundation

/// What goes into a certificate beside its subject's key. The defaults make a good TLS server leaf, valid for 30 days.
package struct CertificateProfile: Sendable {
  package var commonName: String?
  /// Subject alternative names in OpenSSL's form: `DNS:localhost`, `IP:127.0.0.1`, `email:…`.
  package var alternativeNames: [String] = []
  package var notBefore = Date(timeIntervalSinceNow: -3600)
  package var notAfter = Date(timeIntervalSinceNow: 30 * 86_400)
  package var isAuthority = false
  package var pathLength: Int?
  /// In OpenSSL's form, without `critical`; nil leaves the extension out.
  package var keyUsage: String? = "digitalSignature,keyEncipherment"
  package var extendedKeyUsage: String? = "serverAuth,clientAuth"
  /// In OpenSSL's form: `permitted;DNS:example.com`.
  package var nameConstraints: String?
  package var digest = Digest.sha256
  package var serial: UInt64?
  /// Further extensions, in OpenSSL's configuration form: `("authorityInfoAccess", "OCSP;URI:http://…")`.
  package var extensions: [(name: String, value: String)] = []

  package enum Digest: Sendable { case sha1, sha256, sha384, md5 }

  package init(commonName: String? = nil, names: [String] = []) {
    self.commonName = commonName ?? names.first
    alternativeNames = names.map(Self.alternativeName)
  }

  /// A certificate authority valid for a year.
  package static func authority(_ commonName: String, pathLength: Int? = nil) -> CertificateProfile {
    var profile = CertificateProfile(commonName: commonName)
    profile.isAuthority = true
    profile.pathLength = pathLength
    profile.keyUsage = "keyCertSign,cRLSign,digitalSignature"
    profile.extendedKeyUsage = nil
    profile.notBefore = Date(timeIntervalSinceNow: -86_400)
    profile.notAfter = Date(timeIntervalSinceNow: 365 * 86_400)
    return profile
  }

  /// `DNS:` or `IP:` in front of a host name or address; kept as it is when it already has a kind.
  private static func alternativeName(_ name: String) -> String {
    if ["DNS:", "IP:", "email:", "URI:", "otherName:", "dirName:"].contains(where: name.hasPrefix) { return name }
    let isIPv4 = name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { UInt8($0) != nil }
    return (isIPv4 || name.contains(":") ? "IP:" : "DNS:") + name
  }
}
