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
    for (isRevoked, code) in [(false, nil), (true, AFSecurityError.Code.revoked)] as [(Bool, AFSecurityError.Code?)] {
      let directory = try TemporaryDirectory()
      _ = try directory.write(Data(identity.chainPEM.utf8), to: "server.pem")
      _ = try directory.write(Data(identity.keyPEM.utf8), to: "server.key")
      let response = try OpenSSLTool.ocspResponse(authority, identity, isRevoked: isRevoked, in: directory)
      let nginx = try Nginx(directory, response: response)
      defer { nginx.stop() }
      let policy = try AFSecurityPolicy.trusting(authority)
      policy.revocationChecking = AFRevocationChecking(requirement: .required)
      let manager = makeManager(for: nginx.url, policy)
      manager.transportOptions.resolvedAddresses = nginx.resolvedAddresses
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
}

/// An nginx of the test's own, ended with it.
private final class Nginx {
  let url: URL
  /// Where "localhost" is to be found: on an address that nobody else has, so that no port can be taken from under it.
  let resolvedAddresses: [String: String]
  private let process = Process()

  init(_ directory: TemporaryDirectory, response: String) throws {
    let port = 4433
    let address = "127.\(Int.random(in: 100...254)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
    resolvedAddresses = ["localhost:\(port)": address]
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
          listen \(address):\(port) ssl http2;
          ssl_certificate \(directory.path)/server.pem; ssl_certificate_key \(directory.path)/server.key;
          ssl_stapling on; ssl_stapling_file \(response);
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
