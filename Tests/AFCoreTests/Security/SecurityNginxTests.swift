import AFCore
import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// nginx with certificates of our making, and an OCSP response by `openssl ocsp` stapled to its handshakes.
@Suite struct SecurityNginxTests {
  @Test func `nginx staples what openssl ocsp says, and the policy hears it`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    for (status, code) in [("V", nil), ("R", AFSecurityError.Code.revoked)] as [(String, AFSecurityError.Code?)] {
      let directory = try TemporaryDirectory()
      try write(authority, identity, status, to: directory)
      let nginx = try Nginx(directory)
      defer { nginx.stop() }
      let policy = try AFSecurityPolicy.trusting(authority)
      policy.revocationChecking = AFRevocationChecking(requirement: .required)
      let manager = makeManager(for: nginx.url, policy)
      // nginx answers as soon as it listens, which is a moment after it was started.
      try await eventually(within: 20, "nginx answers") {
        await get(manager, "").error?.urlError?.code != .cannotConnectToHost
      }
      let outcome = await get(manager, "")
      #expect(outcome.refusal == code, "\(outcome)")
      #expect((outcome.status == 200) == (code == nil))
      policy.publicKeyPins = [try AFCertificate(derRepresentation: identity.certificate).publicKeyPin]
      #expect(await get(manager, "").refusal == code)
    }
  }

  private func write(
    _ authority: TestAuthority, _ identity: TestIdentity, _ status: String, to directory: TemporaryDirectory
  ) throws {
    let issuer = try directory.write(Data(authority.certificatePEM.utf8), to: "ca.pem").path
    let issuerKey = try directory.write(Data(authority.key.pem().utf8), to: "ca.key").path
    let leaf = try directory.write(Data(identity.chainPEM.utf8), to: "server.pem").path
    _ = try directory.write(Data(identity.keyPEM.utf8), to: "server.key")
    let serial = try AFCertificate(derRepresentation: identity.certificate).serialNumber
    let revoked = status == "R" ? "200101000000Z" : ""
    let index = "\(status)\t401231000000Z\t\(revoked)\t\(serial)\tunknown\t/CN=localhost\n"
    let indexFile = try directory.write(Data(index.utf8), to: "index.txt").path
    let query = directory.file("query.der").path
    try openssl(["ocsp", "-issuer", issuer, "-cert", leaf, "-reqout", query, "-no_nonce"])
    try openssl([
      "ocsp", "-index", indexFile, "-rsigner", issuer, "-rkey", issuerKey, "-CA", issuer, "-reqin", query, "-respout",
      directory.file("response.der").path, "-ndays", "1",
    ])
  }

  private func openssl(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "openssl \(arguments.joined(separator: " "))")
  }
}

/// An nginx of the test's own, ended with it.
private final class Nginx {
  let url: URL
  private let process = Process()

  init(_ directory: TemporaryDirectory) throws {
    // A port that the kernel has just given away and taken back.
    let probe = try RawServer { _ in }
    let port = probe.port
    try probe.stop()
    guard let url = URL(string: "https://localhost:\(port)/") else { throw EventuallyFailure.missing }
    self.url = url
    let configuration = """
      \(geteuid() == 0 ? "user root;" : "")
      daemon off; worker_processes 1; pid \(directory.path)/pid; error_log \(directory.path)/log;
      events {}
      http {
        access_log off;
        client_body_temp_path \(directory.path)/b; proxy_temp_path \(directory.path)/p;
        fastcgi_temp_path \(directory.path)/f; uwsgi_temp_path \(directory.path)/u; scgi_temp_path \(directory.path)/s;
        server {
          listen 127.0.0.1:\(port) ssl http2;
          ssl_certificate \(directory.path)/server.pem; ssl_certificate_key \(directory.path)/server.key;
          ssl_stapling on; ssl_stapling_file \(directory.path)/response.der;
          location / { return 200 'reached'; }
        }
      }
      """
    let file = try directory.write(Data(configuration.utf8), to: "nginx.conf")
    process.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
    process.arguments = ["-p", directory.path, "-e", directory.file("log").path, "-c", file.path]
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }
}
