import AFTestSupport
import Foundation

/// An authority and a server certificate for 127.0.0.1, made for one run.
struct BenchmarkCertificates {
  let directory: String
  /// PEM files: the authority to trust, the server's chain, and its key.
  let authority: String
  let certificate: String
  let key: String

  init(in directory: String) throws {
    self.directory = directory
    authority = "\(directory)/authority.pem"
    certificate = "\(directory)/server.pem"
    key = "\(directory)/server.key"
    let issuer = try TestAuthority.make(.authority("AFBenchmarks"))
    let identity = try issuer.issue(names: ["127.0.0.1", "localhost"])
    try issuer.certificatePEM.write(toFile: authority, atomically: true, encoding: .utf8)
    try identity.chainPEM.write(toFile: certificate, atomically: true, encoding: .utf8)
    try identity.keyPEM.write(toFile: key, atomically: true, encoding: .utf8)
  }
}
