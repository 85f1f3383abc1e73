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

  @Test func `curl and the policy agree on servers with made chains`() async throws {
    var random = SeededGenerator(state: 9_525)
    let keys = try KeyRing()
    let directory = try TemporaryDirectory()
    // Weak keys and signatures stop curl's own library before it comes to a verdict, and so prove nothing.
    let faults: [MadeChain.Fault?] = [nil] + MadeChain.Fault.allCases.filter { !$0.isWeakness }
    for (index, fault) in faults.enumerated() {
      let chain = try MadeChain(index: index, keys: keys, fault: fault, using: &random)
      let ours = try chain.policy().verdict(chain.server, chain.host)
      let anchor = try directory.write(Data(chain.root.certificatePEM.utf8), to: "root.pem").path
      try await withTestServer(TestServer.Options(tls: TestTLS(chain.server)), handler: { _ in .text("hello") }) {
        server in
        let result = try run(
          "/usr/bin/curl",
          [
            "-s", "--max-time", "20", "--cacert", anchor, "--capath", "/nonexistent", "--resolve",
            "\(chain.host):\(server.port):127.0.0.1", "https://\(chain.host):\(server.port)/",
          ])
        // A signature that cannot even be decoded ends the handshake in another way.
        let known: Set<Int32> = fault == .forgedSignature ? [0, 35, 60] : [0, 60]
        #expect(known.contains(result.status), "\(String(describing: fault)): curl ends with \(result.status)")
        let theirs = result.status == 0 && fault != .commonNameOnly
        #expect((ours == nil) == theirs, "\(String(describing: fault)): \(String(describing: ours))")
      }
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
