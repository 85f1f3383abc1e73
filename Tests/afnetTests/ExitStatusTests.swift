import AFSecurity
import AFTestSupport
import Foundation
import Testing

/// What scripts rely on.
@Suite struct ExitStatusTests {
  static let wrongLines: [(words: [String], message: String)] = [
    (["get"], "URL is missing"), (["get", "ftp://h/"], "neither http nor https"), (["get", "http://"], "is no URL"),
    (["get", "http://h:99999/"], "port above"), (["get", "http://a b/"], "is no URL"),
    (["get", "http://h", "x"], "one argument too many"),
    (["get", "http://h", "-H", "nocolon"], "no colon"),
    (["get", "http://h", "-H", "a b: c"], "is not a header field name"),
    (["get", "http://h", "-H", "A: b\r\nC: d"], "holds CR"), (["post", "http://h", "-F", "x"], "a form field is"),
    (["post", "http://h", "-d", "x", "--json", "1"], "exclude each other"),
    (["get", "http://h", "-d", "x"], "there is no option"),
    (["get", "http://h", "--pin", "x", "--policy", "y"], "exclude each other"),
    (["get", "https://h", "--pin", "sha256/x"], "--pin"),
    (["get", "http://h", "--resolve", "x"], "--resolve takes"),
    (["get", "http://h", "--proxy", "http://u:pw@p"], "takes no user"),
    (["get", "http://h", "--timeout", "soon"], "--timeout"), (["get", "http://h", "--key", "k"], "--key needs --cert"),
    (["get", "http://h", "--token"], "AFNET_TOKEN"), (["get", "http://h", "--timeout", "0"], "more than 0"),
    (["get", "http://h", "--limit-rate", "0"], "more than 0"), (["nonsense"], "there is no command"),
    ([], "Usage: afnet"),
  ]

  @Test(arguments: wrongLines)
  func `wrong command lines are told in one line, with status 2`(words: [String], message: String) async throws {
    let result = try await Afnet.run(words)
    #expect(result.status == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.output.isEmpty)
    #expect(words.isEmpty || result.errors.split(separator: "\n").count == 1)
    #expect(!result.errors.contains("pw@"))
  }

  static let missingFiles: [(words: [String], status: Int32)] = [
    (["post", "http://h", "-d", "@/nonexistent"], 11), (["post", "http://h", "-F", "a=@/nonexistent"], 11),
    (["post", "http://h", "-F", "a=@/"], 11), (["get", "http://h", "-H", "@/nonexistent"], 11),
    (["get", "https://h", "--cacert", "/nonexistent"], 11), (["get", "https://h", "--policy", "/nonexistent"], 11),
    (["get", "https://h", "--cert", "/nonexistent", "--key", "/nonexistent"], 11),
    (["get", "http://h", "--config", "/nonexistent"], 11), (["get", "http://h", "--netrc-file", "/nonexistent"], 11),
    (["get", "http://h", "-u", "a", "--password-file", "/nonexistent"], 11),
  ]

  @Test(arguments: missingFiles)
  func `files that are not there have status 11`(words: [String], status: Int32) async throws {
    let result = try await Afnet.run(words)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func `not resolved, refused, timed out, no HTTP`() async throws {
    let unresolved = try await Afnet.run("get", "http://nothing.invalid/?token=hidden")
    #expect(unresolved.status == 3 && !unresolved.errors.contains("hidden"))
    #expect(try await Afnet.run("get", "http://127.0.0.1:1/").status == 4)
    let silent = try RawServer { connection in while try !connection.read().isEmpty {} }
    let timedOut = try await Afnet.run("get", "http://127.0.0.1:\(silent.port)/", "--timeout", "0.3")
    #expect(timedOut.status == 5 && timedOut.errors.contains("--timeout"))
    try silent.stop()
    let loop = try TestServer { _ in .redirect(to: "/") }
    #expect(try await Afnet.run("get", loop.url().absoluteString).status == 12)
    try loop.stop()
  }

  @Test func `TLS and pins`() async throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost", "127.0.0.1"])
    let directory = try TemporaryDirectory()
    let anchors = try directory.write(Data(authority.certificatePEM.utf8), to: "ca.pem").path
    let pin = try AFCertificate(derRepresentation: identity.certificate).publicKeyPin.description
    let policy = try directory.write(
      Data("{\"anchorCertificates\":[\"ca.pem\"],\"usesSystemAnchors\":false,\"publicKeyPins\":[\"\(pin)\"]}".utf8),
      to: "p.json"
    ).path
    try await withTestServer(TestServer.Options(tls: TestTLS(identity)), handler: { _ in .text("safe") }) { server in
      let url = "https://localhost:\(server.port)/"
      let untrusted = try await Afnet.run("get", url)
      #expect(untrusted.status == 6 && untrusted.errors.contains("--cacert"))
      #expect(untrusted.errors.split(separator: "\n").count == 1)
      #expect(try await Afnet.run("get", url, "--cacert", anchors).text == "safe")
      #expect(try await Afnet.run("get", url, "--cacert", anchors, "--pin", pin).text == "safe")
      #expect(try await Afnet.run("get", url, "--policy", policy).text == "safe")
      let other = try AFPublicKeyPin(sha256: Data(repeating: 7, count: 32)).description
      let refused = try await Afnet.run("get", url, "--cacert", anchors, "--pin", other)
      #expect(refused.status == 7 && refused.errors.contains("afnet pin"))
      let open = try await Afnet.run("get", "http://localhost/", "--pin", pin)
      #expect(open.status == 7 && open.errors.contains("use https"))
      let resolved = try await Afnet.run(
        "get", "https://a.test:\(server.port)/", "--resolve", "a.test:\(server.port):127.0.0.1", "--cacert", anchors)
      #expect(resolved.status == 6 && resolved.errors.contains("localhost"), "the name is not the certificate's")
    }
  }

  @Test func `the configuration file is in XDG's place, and the command line wins`() async throws {
    let directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(at: directory.file("afnet"), withIntermediateDirectories: true)
    _ = try directory.write(Data("timeout = 0.3\n".utf8), to: "afnet/config")
    let silent = try RawServer { connection in while try !connection.read().isEmpty {} }
    let url = "http://127.0.0.1:\(silent.port)/"
    let environment = ["XDG_CONFIG_HOME": directory.path]
    #expect(try await Afnet.run("get", url, environment: environment).status == 5)
    #expect(try await Afnet.run("get", url, "--no-config", "--max-time", "0.2", environment: environment).status == 5)
    try silent.stop()
    _ = try directory.write(Data("tmeout = 3\n".utf8), to: "afnet/config")
    let wrong = try await Afnet.run("get", url, environment: environment)
    #expect(wrong.status == 2 && wrong.errors.contains("line 1: 'tmeout'") && wrong.errors.contains("timeout?"))
  }

  @Test func `help and version have status 0 and are on standard output`() async throws {
    for words in [["--help"], ["get", "--help"], ["help", "get"], ["--version"], ["manual"], ["completion", "bash"]] {
      let result = try await Afnet.run(words)
      #expect(result.status == 0 && !result.output.isEmpty && result.errors.isEmpty)
    }
    #expect(try await Afnet.run("completion", "csh").status == 2)
  }
}
