import AFTestSupport
import Foundation
import Testing

@testable import AFSecurity

/// F67, B90: PKCS#12 files as keychains, Windows and old tools write them.
@Suite struct PKCS12Tests {
  struct Form: CustomTestStringConvertible, Sendable {
    var name: String
    var arguments: [String]
    /// Whether a wrong passphrase can be told at all.
    var isLocked = true
    var testDescription: String { name }
  }

  static let forms = [
    Form(name: "RC2-40 and 3DES (keychain, Windows)", arguments: ["-legacy"]),
    Form(name: "3DES", arguments: ["-certpbe", "PBE-SHA1-3DES", "-keypbe", "PBE-SHA1-3DES"]),
    Form(name: "RC2-128", arguments: ["-legacy", "-certpbe", "PBE-SHA1-RC2-128", "-keypbe", "PBE-SHA1-RC2-128"]),
    Form(name: "RC4", arguments: ["-legacy", "-certpbe", "PBE-SHA1-RC4-128", "-keypbe", "PBE-SHA1-RC4-128"]),
    Form(name: "AES", arguments: []),
    Form(name: "AES, many rounds", arguments: ["-iter", "100000"]),
    Form(name: "SHA-1 checksum", arguments: ["-macalg", "sha1"]),
    Form(name: "SHA-512 checksum", arguments: ["-macalg", "sha512"]),
    Form(name: "one round", arguments: ["-noiter", "-nomaciter"]),
    Form(name: "no checksum", arguments: ["-nomac"]),
    Form(name: "RC2-40, no checksum", arguments: ["-legacy", "-nomac"]),
    Form(name: "certificates in the clear", arguments: ["-certpbe", "NONE"]),
    Form(name: "nothing encrypted", arguments: ["-certpbe", "NONE", "-keypbe", "NONE"]),
    Form(
      name: "nothing encrypted, no checksum", arguments: ["-certpbe", "NONE", "-keypbe", "NONE", "-nomac"],
      isLocked: false),
  ]

  private let identity: TestIdentity
  private let directory: TemporaryDirectory

  init() throws {
    identity = try TestAuthority.make().issueAuthority().issue(names: ["client"])
    directory = try TemporaryDirectory()
  }

  @Test(arguments: forms, ["x", "", "pä ß", "𝄞 long enough to be honest"])
  func `F67 B90 every form opens with its passphrase, and with no other`(form: Form, passphrase: String) throws {
    let file = try export(form.arguments, passphrase)
    let opened = try AFClientIdentity(pkcs12: file, passphrase: passphrase)
    #expect(opened.certificates.map(\.derRepresentation) == identity.chain)
    // (A zero at the end is no other key to HMAC, and one alone is none to the older algorithms.)
    let withZero = passphrase.isEmpty ? [] : ["\u{0}" + passphrase]
    for wrong in ["wrong", passphrase + " "] + withZero where form.isLocked {
      let error = #expect(throws: AFSecurityError.self) { try AFClientIdentity(pkcs12: file, passphrase: wrong) }
      #expect(error?.code == .wrongPassphrase, "\(String(describing: error))")
    }
  }

  @Test func `B90 without the legacy provider the error names the algorithm and the way out`() throws {
    let file = try export(["-legacy"], "x")
    let error = #expect(throws: AFSecurityError.self) {
      try PKCS12Contents(file, passphrase: "x", library: .withoutLegacyCiphers)
    }
    #expect(error?.code == .invalidKey)
    #expect(error?.reason.contains("RC2-40") == true && error?.reason.contains("openssl pkcs12 -legacy") == true)
    let wrong = #expect(throws: AFSecurityError.self) {
      try PKCS12Contents(file, passphrase: "y", library: .withoutLegacyCiphers)
    }
    #expect(wrong?.code == .wrongPassphrase)
    // What needs no legacy cipher needs no legacy provider.
    #expect(
      try PKCS12Contents(export([], "x"), passphrase: "x", library: .withoutLegacyCiphers).certificates.count == 2)
  }

  @Test func `B90 the process's own providers stay as they are`() throws {
    _ = try AFClientIdentity(pkcs12: export(["-legacy"], "x"), passphrase: "x")
    // A key in PEM form is read by the process's own providers.
    let key = try directory.write(Data(identity.keyPEM.utf8), to: "plain.key").path
    let locked = directory.file("locked.key").path
    let result = try run(
      "/usr/bin/openssl",
      [
        "pkcs8", "-topk8", "-in", key, "-out", locked, "-v1", "PBE-SHA1-RC2-40", "-passout", "pass:x", "-provider",
        "legacy", "-provider", "default",
      ])
    try #require(result.status == 0, "\(result.errors)")
    #expect(throws: AFSecurityError.self) {
      try AFClientIdentity(
        certificatePEM: Data(identity.certificatePEM.utf8),
        privateKeyPEM: Data(contentsOf: URL(fileURLWithPath: locked)), passphrase: "x")
    }
  }

  @Test func `a file that asks for endless hashing is refused at once`() throws {
    let file = [UInt8](try export(["-iter", "100000"], "x"))
    // INTEGER 100000 becomes 8388607, wherever it stands.
    let number: [UInt8] = [0x02, 0x03, 0x01, 0x86, 0xA0]
    let places = file.indices.dropLast(4).filter { Array(file[$0..<$0 + 5]) == number }
    #expect(places.count >= 2)
    for place in places {
      var changed = file
      changed.replaceSubrange(place..<place + 5, with: [0x02, 0x03, 0x7F, 0xFF, 0xFF])
      let began = Date()
      let error = #expect(throws: AFSecurityError.self) { try AFClientIdentity(pkcs12: Data(changed), passphrase: "x") }
      #expect(error?.code == .invalidKey || error?.code == .wrongPassphrase)
      #expect(Date().timeIntervalSince(began) < 2)
    }
  }

  @Test(
    arguments: [
      ([0x30, 0x03, 0x02, 0x01, 0x05], 5), ([0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07], 12),
      ([0x30, 0x08, 0x30, 0x06, 0x02, 0x01, 0x05, 0x02, 0x01, 0x07], 12),
      ([0x02, 0x08, 1, 0, 0, 0, 0, 0, 0, 0], Int.max),
      ([0x02, 0x09, 0, 0, 0, 0, 0, 0, 0, 1, 0], 256), ([0x30, 0x03, 0x02, 0x05, 0x05], 0), ([0x30], 0), ([], 0),
      ([0x02, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], 0), ([0x02, 0x80, 0x01], 0),
      // scrypt's cost, block size and parallelism.
      (
        [
          0x30, 0x15, 0x06, 0x09, 0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B, 0x02, 0x02, 0x40, 0x00, 0x02,
          0x01,
        ]
          + [0x08, 0x02, 0x01, 0x02], 16384 * 8 * 2
      ),
    ] as [([UInt8], Int)])
  func `the rounds that an algorithm asks for`(der: [UInt8], rounds: Int) {
    #expect(PKCS12Effort.rounds(inParameters: Data(der)) == rounds)
  }

  @Test func `damaged files are errors, wherever they are cut or changed`() throws {
    let file = [UInt8](try export(["-legacy"], "x"))
    var random = SeededGenerator(state: 67)
    for _ in 0..<120 {
      var changed = file
      changed[Int.random(in: 0..<changed.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      if Bool.random(using: &random) { changed.removeLast(Int.random(in: 0..<changed.count, using: &random)) }
      // Most are refused; a byte in a name of the file's own may not matter.
      do throws(AFSecurityError) {
        _ = try AFClientIdentity(pkcs12: Data(changed), passphrase: "x")
      } catch {
        #expect([.invalidKey, .wrongPassphrase].contains(error.code), "\(error)")
      }
    }
  }

  private func export(_ arguments: [String], _ passphrase: String) throws -> Data {
    let input = try directory.write(Data((identity.chainPEM + identity.keyPEM).utf8), to: "identity.pem").path
    let output = directory.file("identity.p12")
    let secret = try directory.write(Data("\(passphrase)\n".utf8), to: "secret.txt").path
    let result = try run(
      "/usr/bin/openssl",
      ["pkcs12", "-export", "-in", input, "-out", output.path, "-passout", "file:\(secret)"] + arguments)
    try #require(result.status == 0, "\(result.errors)")
    return try Data(contentsOf: output)
  }
}
