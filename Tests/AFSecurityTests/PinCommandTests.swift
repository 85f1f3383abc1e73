import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// `afnet pin`, as a user runs it, against servers on loopback.
@Suite struct PinCommandTests {
  private let authority: TestAuthority
  private let identity: TestIdentity
  private let directory: TemporaryDirectory

  init() throws {
    authority = try TestAuthority.make()
    identity = try authority.issueAuthority().issue(names: ["localhost", "127.0.0.1"])
    directory = try TemporaryDirectory()
  }

  @Test func `it shows the chain of a server, curl agrees with the pin, and no request byte is sent`() async throws {
    try await withTestServer(TestServer.Options(tls: TestTLS(identity)), handler: { _ in .text("hello") }) { server in
      let result = try afnet("pin", "127.0.0.1:\(server.port)")
      #expect(result.status == 0)
      let certificates = try identity.chain.map { try $0.certificate() }
      #expect(result.output.contains("sent 2 certificates"))
      for certificate in certificates {
        let pin = certificate.publicKeyPin
        for text in [pin.description, pin.curlDescription, pin.hexDescription, certificate.subject] {
          #expect(result.output.contains(text))
        }
      }
      #expect(result.output.contains("names    localhost, 127.0.0.1"))
      #expect(result.output.contains("29 days left"))
      #expect(result.output.contains("does not trust it"))
      #expect(result.output.contains("AFPublicKeyPin(\"\(certificates[0].publicKeyPin)\")"))
      #expect(server.requestCount == 0)
      #expect(server.connections.allSatisfy { $0.bytesReceived == 0 })

      // curl compares the leaf alone.
      for (certificate, expected) in zip(certificates, [0, 90] as [Int32]) {
        let curl = try run(
          "/usr/bin/curl",
          ["-sk", "--pinnedpubkey", certificate.publicKeyPin.curlDescription, server.url().absoluteString])
        #expect(curl.status == expected)
      }
    }
  }

  @Test func `a policy file is checked against a live server, and the refusal says why`() async throws {
    let anchor = try directory.write(Data(authority.certificatePEM.utf8), to: "ca.pem").lastPathComponent
    let pin = try identity.certificate.certificate().publicKeyPin
    func policy(_ members: String) throws -> String {
      let text = "{ \"anchorCertificates\": [\"\(anchor)\"], \"usesSystemAnchors\": false, \(members) }"
      return try directory.write(Data(text.utf8), to: "\(UUID().uuidString).json").path
    }
    let good = try policy("\"mode\": \"publicKey\", \"publicKeyPins\": [\"\(pin)\"]")
    let wrong = try policy("\"publicKeyPins\": [\"\(try authority.key.pin)\"]")
    let foreign = try policy("\"publicKeyPins\": [\"\(try TestKey().pin)\"]")
    let misspelt = try policy("\"publicKeyPin\": [\"\(pin)\"]")

    try await withTestServer(TestServer.Options(tls: TestTLS(identity)), handler: { _ in .text("hello") }) { server in
      let target = "localhost:\(server.port)"
      let accepted = try afnet("pin", target, "--check", good)
      #expect(accepted.status == 0)
      #expect(accepted.output == "\(target): accepted, matched \(pin)\n")
      #expect(try afnet("pin", target, "--check", wrong).status == 0, "the root is on the path, sent or not")

      let refused = try afnet("pin", target, "--check", foreign)
      #expect(refused.status == 1)
      #expect(refused.errors.contains("no pinned certificate or key is on the server's path"))
      #expect(refused.errors.contains(pin.description))

      let renamed = try afnet("pin", target, "--servername", "other.test", "--check", good)
      #expect(renamed.status == 1)
      #expect(renamed.errors.contains("localhost, 127.0.0.1"))

      let unread = try afnet("pin", target, "--check", misspelt)
      #expect(unread.status == 1)
      #expect(unread.errors.contains("'publicKeyPin' is not a member of a policy"))
    }
  }

  @Test func `the policy it prints is the policy that --check accepts`() async throws {
    let file = try directory.write(Data(identity.chainPEM.utf8), to: "chain.pem").path
    let printed = try afnet("pin", "--policy", file)
    #expect(printed.status == 0)
    let policyFile = try directory.write(Data(printed.output.utf8), to: "policy.json")
    let policy = try AFSecurityPolicy.policy(contentsOf: policyFile)
    #expect(policy.publicKeyPins == [try identity.certificate.certificate().publicKeyPin])
    policy.anchorCertificates = [try authority.certificate.certificate()]
    #expect(try policy.verdict(identity, "localhost") == nil)
  }

  @Test func `wrong command lines and unreachable hosts have their own exit status`() async throws {
    #expect(try afnet().status == 2)
    #expect(try afnet("pin").status == 2)
    #expect(try afnet("pin", "--nonsense").status == 2)
    #expect(try afnet("pin", "host:99999").status == 2)
    #expect(try afnet("pin", "--check").status == 2)
    #expect(try afnet("pin", "--help").status == 0)
    let missing = try afnet("pin", "./missing.pem")
    #expect(missing.status == 1 && missing.errors.contains("missing.pem"))
    // A plain HTTP server does not answer a handshake with one.
    try await withTestServer(
      {
        var options = TestServer.Options(); options.reportsMalformedRequests = false; return options
      }(),
      handler: { _ in .text("hello") }
    ) { server in
      let plain = try afnet("pin", "127.0.0.1:\(server.port)")
      #expect(plain.status == 1)
      #expect(plain.errors.contains("127.0.0.1: "))
    }
  }

  @Test func `a silent server costs the timeout and no more`() async throws {
    let server = try RawServer { connection in
      while try !connection.read().isEmpty {}
    }
    let result = try afnet("pin", "127.0.0.1:\(server.port)", "--timeout", "0.3")
    #expect(result.status == 1)
    #expect(result.errors.contains("timed out"))
    try server.stop()
  }

  @Test(arguments: [
    "[]", "", "{\"mode\": \"publickey\"}", "{\"publicKeyPins\": \"sha256/x\"}", "{\"publicKeyPins\": [\"sha256/x\"]}",
    "{\"allowInvalidCertificates\": \"yes\"}", "{\"allowInvalidCertificates\": 1}", "{\"minimumTLSVersion\": 1.3}",
    "{\"pinnedCertificates\": [\"missing.pem\"]}", "{\"hosts\": {\"*\": {}}}", "{\"hosts\": []}", "{\"mode\": null}",
  ])
  func `a policy file that is not understood is refused whole`(text: String) throws {
    let file = try directory.write(Data(text.utf8), to: "policy.json")
    let error = #expect(throws: AFSecurityError.self) { try AFSecurityPolicy.policy(contentsOf: file) }
    #expect(error?.reason.hasPrefix(file.path) == true)
  }

  @Test func `a policy file can say all that it promises`() throws {
    _ = try directory.write(Data(authority.certificatePEM.utf8), to: "ca.pem")
    _ = try directory.write(identity.certificate, to: "leaf.der")
    let text = """
      { "mode": "certificate", "pinnedCertificates": ["leaf.der"], "anchorCertificates": ["ca.pem"],
        "usesSystemAnchors": false, "allowInvalidCertificates": false, "validatesDomainName": false,
        "minimumTLSVersion": "1.3", "reportOnlyPins": [], "hosts": { "*.refused.test": { "mode": "publicKey" } } }
      """
    let policy = try AFSecurityPolicy.policy(contentsOf: directory.write(Data(text.utf8), to: "policy.json"))
    #expect(try policy.verdict(identity, "any.test") == nil)
    #expect(try policy.verdict(identity, "a.refused.test") == .noPins)
    #expect(policy.snapshot().requirements(forHost: "any.test").minimumVersion == .tls13)
  }

  @Test func `F85 it reads standard input, takes https URLs, and says its version`() async throws {
    let printed = try afnet("pin", "-", input: Data(identity.chainPEM.utf8))
    #expect(printed.status == 0)
    #expect(printed.output.hasPrefix("standard input holds 2 certificates"))
    let nothing = try afnet("pin", "-", input: Data())
    #expect(nothing.status == 1 && nothing.errors.contains("hold no certificate"))
    try await withTestServer(TestServer.Options(tls: TestTLS(identity)), handler: { _ in .text("hello") }) { server in
      for url in ["https://127.0.0.1:\(server.port)/a?b", "HTTPS://u:p@127.0.0.1:\(server.port)#x"] {
        let shown = try afnet("pin", url)
        #expect(shown.status == 0)
        #expect(shown.output.contains("127.0.0.1 port \(server.port) sent 2 certificates"))
      }
    }
    for url in ["http://127.0.0.1/", "ftp://host/", "https://", "https:///path", "https://:443/"] {
      #expect(try afnet("pin", url).status == 2)
    }
    #expect(try afnet("pin", "http://127.0.0.1/").errors.contains("without TLS"))
    let version = try afnet("--version")
    #expect(version.status == 0 && version.output.wholeMatch(of: /afnet \d+\.\d+\.\d+\S*\n/) != nil)
  }

  @Test func `F85 a file that is checked without a name says that its names were not looked at`() throws {
    let anchor = try directory.write(Data(authority.certificatePEM.utf8), to: "ca.pem").lastPathComponent
    let policy = try directory.write(
      Data("{ \"anchorCertificates\": [\"\(anchor)\"], \"usesSystemAnchors\": false }".utf8), to: "p.json")
    let file = try directory.write(Data(identity.chainPEM.utf8), to: "chain.pem")
    let unnamed = try afnet("pin", file.path, "--check", policy.path)
    #expect(unnamed.status == 0 && unnamed.output.contains("names were not checked"))
    let named = try afnet("pin", file.path, "--check", policy.path, "--servername", "localhost")
    #expect(named.status == 0 && !named.output.contains("not checked"))
    #expect(try afnet("pin", file.path, "--check", policy.path, "--servername", "other.test").status == 1)
  }

  @Test func `F70 names with control characters neither move the cursor nor forge a line`() throws {
    let hostile = "a\u{1B}]0;owned\u{7}b\nsubject  CN=forged\r\u{202E}x"
    let certificate = try authority.issue(names: [hostile])
    let file = try directory.write(Data(certificate.chainPEM.utf8), to: "hostile.pem")
    let shown = try afnet("pin", file.path)
    #expect(shown.status == 0)
    for text in [shown.output, shown.errors] {
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
      #expect(!text.unicodeScalars.contains("\u{202E}"))
      #expect(!text.contains("\nsubject  CN=forged"))
    }
    #expect(shown.output.contains("\\u{1B}]0;owned"))
    let parsed = try #require(try AFCertificate.certificates(contentsOf: file).first)
    let policy = AFSecurityPolicy.default()
    let error = #expect(throws: AFSecurityError.self) {
      try policy.evaluate(AFServerTrust(certificates: [parsed]), forDomain: "h\u{1B}[2J")
    }
    let texts = [
      "\(parsed)", parsed.alternativeNames.map { "\($0)" }.joined(), "\(error as Any)",
      error?.detailedDescription ?? "",
    ]
    for text in texts { #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{7}" || $0 == "\r" }) }
  }

  private func afnet(_ arguments: String..., input: Data? = nil) throws -> ToolResult {
    let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    return try run(products.appendingPathComponent("afnet").path, arguments, input: input)
  }
}

struct ToolResult {
  var status: Int32
  var output: String
  var errors: String
}

/// Runs a program to its end.
func run(_ path: String, _ arguments: [String], input: Data? = nil) throws -> ToolResult {
  let process = Process()
  let (output, errors) = (Pipe(), Pipe())
  process.executableURL = URL(fileURLWithPath: path)
  process.arguments = arguments
  process.standardOutput = output
  process.standardError = errors
  let entry = Pipe()
  if input != nil { process.standardInput = entry }
  try process.run()
  if let input {
    try entry.fileHandleForWriting.write(contentsOf: input)
    try entry.fileHandleForWriting.close()
  }
  // What these programs write fits into a pipe's buffer, so one can be read after the other.
  let text = try output.fileHandleForReading.readAll()
  let complaints = try errors.fileHandleForReading.readAll()
  process.waitUntilExit()
  return ToolResult(
    status: process.terminationStatus, output: String(decoding: text, as: UTF8.self),
    errors: String(decoding: complaints, as: UTF8.self))
}
