import AFTestSupport
import Foundation
import Testing

/// The chains every other test is built from must be what they claim: OpenSSL's own command is the judge.
@Suite struct TestAuthorityTests {
  @Test(arguments: TestKey.Kind.allCases)
  func `a chain of every key kind is accepted by openssl verify`(kind: TestKey.Kind) throws {
    let root = try TestAuthority.make(key: TestKey(kind))
    let intermediate = try root.issueAuthority(key: TestKey(kind))
    let leaf = try intermediate.issue(names: ["localhost", "127.0.0.1"], key: TestKey(kind))
    // 1024-bit RSA is below security level 1, which the command does not set by default.
    #expect(try verify(leaf, root: root, host: "localhost") == 0)
    #expect(try verify(leaf, root: root, host: "other.test") != 0)
  }

  @Test func `a PKCS12 file opens with its passphrase alone`() throws {
    let leaf = try TestAuthority.make().issueAuthority().issue(names: ["client"])
    let directory = try temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.appendingPathComponent("client.p12")
    try leaf.pkcs12(passphrase: "secret").write(to: file)
    #expect(try run("pkcs12", "-in", file.path, "-passin", "pass:secret", "-nodes", "-out", "/dev/null") == 0)
    #expect(try run("pkcs12", "-in", file.path, "-passin", "pass:wrong", "-nodes", "-out", "/dev/null") != 0)
  }

  private func verify(_ leaf: TestIdentity, root: TestAuthority, host: String) throws -> Int32 {
    let directory = try temporaryDirectory()
    defer { try? FileManager.default.removeItem(at: directory) }
    let (anchor, chain) = (directory.appendingPathComponent("root.pem"), directory.appendingPathComponent("chain.pem"))
    try Data(root.certificatePEM.utf8).write(to: anchor)
    try Data(leaf.chainPEM.utf8).write(to: chain)
    return try run(
      "verify", "-no-CApath", "-no-CAstore", "-CAfile", anchor.path, "-untrusted", chain.path,
      "-purpose", "sslserver", "-verify_hostname", host, chain.path)
  }

  private func run(_ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func temporaryDirectory() throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("af-certificates-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}
