import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// The policy beside other people's judges: 200 made chains, good and bad, and the same verdict for each.
@Suite struct OpenSSLComparisonTests {
  @Test func `openssl verify and the policy agree on 200 chains`() throws {
    var random = SeededGenerator(state: 20_261_130)
    let keys = try KeyRing()
    let directory = try TemporaryDirectory()
    var verdicts: [Bool: Int] = [:]
    for index in 0..<200 {
      let chain = try MadeChain(index: index, keys: keys, using: &random)
      let ours = try chain.policy().verdict(chain.server, chain.host)
      let theirs = try openSSLAccepts(chain, directory)
      // The one difference: the command falls back to the common name, RFC 9525 does not.
      let usesCommonName = chain.faults.contains(.commonNameOnly)
      let expected = theirs && !usesCommonName
      #expect(
        (ours == nil) == expected, "chain \(index), \(chain.faults): \(String(describing: ours)), theirs \(theirs)")
      #expect((ours == nil) == chain.faults.isEmpty, "chain \(index), \(chain.faults): \(String(describing: ours))")
      verdicts[ours == nil, default: 0] += 1
    }
    #expect(verdicts[true, default: 0] > 40 && verdicts[false, default: 0] > 100, "\(verdicts)")
  }

  @Test(.timeLimit(.minutes(5))) func `curl and the policy agree on servers with the same 200 chains`() async throws {
    var random = SeededGenerator(state: 20_261_130)
    let keys = try KeyRing()
    let directory = try TemporaryDirectory()
    var verdicts: [Bool: Int] = [:]
    for index in 0..<200 {
      let chain = try MadeChain(index: index, keys: keys, using: &random)
      let ours = try chain.policy().verdict(chain.server, chain.host)
      let theirs = try await curlAccepts(chain, directory)
      // curl, too, falls back to the common name.
      let expected = theirs && !chain.faults.contains(.commonNameOnly)
      #expect(
        (ours == nil) == expected, "chain \(index), \(chain.faults): \(String(describing: ours)), theirs \(theirs)")
      verdicts[ours == nil, default: 0] += 1
    }
    #expect(verdicts[true, default: 0] > 40 && verdicts[false, default: 0] > 100, "\(verdicts)")
  }

  private func curlAccepts(_ chain: MadeChain, _ directory: TemporaryDirectory) async throws -> Bool {
    let anchor = try directory.write(Data(chain.root.certificatePEM.utf8), to: "root.pem").path
    return try await withTestServer(TestServer.Options(tls: TestTLS(chain.server)), handler: { _ in .text("hello") }) {
      server in
      let result = try run(
        "/usr/bin/curl",
        [
          "-s", "--max-time", "20", "--cacert", anchor, "--capath", "/nonexistent", "--resolve",
          "\(chain.host):\(server.port):127.0.0.1", "https://\(chain.host):\(server.port)/",
        ])
      // A signature that cannot even be decoded, and a key or digest that OpenSSL finds too weak to look at, end the
      // handshake in another way.
      let isEarly = chain.faults.contains(.forgedSignature) || chain.faults.contains { $0.isWeakness }
      let known: Set<Int32> = isEarly ? [0, 35, 60] : [0, 60]
      #expect(known.contains(result.status), "\(chain.faults): curl ends with \(result.status)")
      return result.status == 0
    }
  }

  private func openSSLAccepts(_ chain: MadeChain, _ directory: TemporaryDirectory) throws -> Bool {
    let anchor = try directory.write(Data(chain.root.certificatePEM.utf8), to: "root.pem").path
    let sent = try directory.write(Data(chain.server.chainPEM.utf8), to: "sent.pem").path
    let result = try run(
      "/usr/bin/openssl",
      [
        "verify", "-no-CApath", "-no-CAstore", "-no-CAfile", "-trusted", anchor, "-partial_chain", "-untrusted", sent,
        "-purpose", "sslserver", "-verify_depth", "16", "-auth_level", "2", "-verify_hostname", chain.host, sent,
      ])
    return result.status == 0
  }
}
