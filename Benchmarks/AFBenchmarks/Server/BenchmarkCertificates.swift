import AFTestSupport
import Foundation

/// An authority and a server certificate for 127.0.0.1, made for one run.
struct BenchmarkCertificates {
  let directory: String
  /// PEM files: the authority to trust, the same together with the system's, the server's chain, and its key.
  let authority: String
  let allAuthorities: String
  let certificate: String
  let key: String

  /// The system's authorities in one file, as Debian has them.
  static let systemFile = "/etc/ssl/certs/ca-certificates.crt"

  init(in directory: String) throws {
    self.directory = directory
    authority = "\(directory)/authority.pem"
    allAuthorities = "\(directory)/authorities.pem"
    certificate = "\(directory)/server.pem"
    key = "\(directory)/server.key"
    let issuer = try TestAuthority.make(.authority("AFBenchmarks"))
    let identity = try issuer.issue(names: ["127.0.0.1", "localhost"])
    try issuer.certificatePEM.write(toFile: authority, atomically: true, encoding: .utf8)
    let system = (try? String(contentsOfFile: Self.systemFile, encoding: .utf8)) ?? ""
    try (system + issuer.certificatePEM).write(toFile: allAuthorities, atomically: true, encoding: .utf8)
    try identity.chainPEM.write(toFile: certificate, atomically: true, encoding: .utf8)
    try identity.keyPEM.write(toFile: key, atomically: true, encoding: .utf8)
  }
}
