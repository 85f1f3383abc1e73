public import Foundation

extension AFServerTrust {
  /// What the server at `host` presents now.
  ///
  /// Connects, shakes hands without judging, and hangs up before a byte of any request. To judge the result, give it to a policy.
  ///
  /// - Parameters:
  ///   - host: A host name or an address.
  ///   - port: The TCP port. Default: 443.
  ///   - serverName: The name to ask for in the handshake (SNI). Default: `host`, unless that is an address.
  ///   - policy: Where TLS version, ciphers and client certificate come from. Default: none, so that old servers answer too.
  ///   - timeout: The time for connecting and shaking hands, in seconds. Default: 15. Resolving a name has limits of its own.
  /// - Returns: The certificates, and the OCSP response if the server stapled one.
  /// - Throws: `AFSecurityError` with code `connectionFailed`.
  public static func presented(
    by host: String, port: Int = 443, serverName: String? = nil, policy: AFSecurityPolicy? = nil,
    timeout: TimeInterval = 15
  ) async throws(AFSecurityError) -> AFServerTrust {
    let probe = HandshakeProbe(
      host: host, port: port, serverName: serverName, requirements: policy?.snapshot().requirements(forHost: host),
      timeout: timeout)
    let result = await withCheckedContinuation { continuation in
      // A thread of its own: connecting blocks, and the shared ones have other work.
      let thread = Thread {
        continuation.resume(returning: Result { () throws(AFSecurityError) in try probe.run() })
      }
      thread.name = "AFSecurity handshake"
      thread.start()
    }
    return try result.get()
  }
}
