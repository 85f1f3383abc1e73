import AFSecurity
import AFTestSupport
import Foundation
import Testing

@Suite struct ClientIdentityTests {
  private let identity: TestIdentity
  private var chain: Data { Data(identity.chainPEM.utf8) }

  init() throws { identity = try TestAuthority.make().issueAuthority().issue(names: ["client"]) }

  @Test func `PEM and PKCS12 give the same identity`() throws {
    let key = Data(try identity.keyPEM.utf8)
    let locked = Data(try identity.key.pem(passphrase: "secret").utf8)
    let directory = try TemporaryDirectory()
    let identities = [
      try AFClientIdentity(certificatePEM: chain, privateKeyPEM: key),
      try AFClientIdentity(certificatePEM: chain, privateKeyPEM: locked, passphrase: "secret"),
      try AFClientIdentity(pkcs12: identity.pkcs12(passphrase: "secret"), passphrase: "secret"),
      try AFClientIdentity(pkcs12: identity.pkcs12(passphrase: ""), passphrase: ""),
      try AFClientIdentity(contentsOf: directory.write(chain + key, to: "both.pem")),
      try AFClientIdentity(
        contentsOf: directory.write(identity.pkcs12(passphrase: "pass"), to: "a.p12"), passphrase: "pass"),
    ]
    for item in identities { #expect(item.certificates.map(\.derRepresentation) == identity.chain) }
    let dump = String(reflecting: identities[0])
    #expect(!dump.contains("PRIVATE") && dump.contains("CN=client"))
  }

  @Test func `a wrong or missing passphrase is told from a broken key`() throws {
    let locked = Data(try identity.key.pem(passphrase: "secret").utf8)
    let strangerKey = Data(try TestKey().pem().utf8)
    func code(_ make: () throws -> AFClientIdentity) -> AFSecurityError.Code? {
      #expect(throws: AFSecurityError.self) { try make() }?.code
    }
    for passphrase in ["wrong", "", nil] {
      #expect(
        code { try AFClientIdentity(certificatePEM: chain, privateKeyPEM: locked, passphrase: passphrase) }
          == .wrongPassphrase)
    }
    let file = try identity.pkcs12(passphrase: "secret")
    #expect(code { try AFClientIdentity(pkcs12: file, passphrase: "wrong") } == .wrongPassphrase)
    #expect(code { try AFClientIdentity(pkcs12: file, passphrase: "") } == .wrongPassphrase)
    #expect(code { try AFClientIdentity(pkcs12: Data(), passphrase: "") } == .invalidKey)
    #expect(code { try AFClientIdentity(pkcs12: file.dropLast(), passphrase: "secret") } == .invalidKey)
    #expect(code { try AFClientIdentity(certificatePEM: chain, privateKeyPEM: chain) } == .invalidKey)
    #expect(code { try AFClientIdentity(certificatePEM: chain, privateKeyPEM: strangerKey) } == .invalidKey)
    #expect(code { try AFClientIdentity(certificatePEM: locked, privateKeyPEM: locked) } == .invalidCertificate)
  }
}
