import AFTestSupport
import COpenSSL
import Foundation
import Testing

@testable import AFTransport

/// Pitfall 45: the chain that is kept in a TLS session.
@Suite struct SessionChainTests {
  // MARK: The bytes

  static let chains: [[Data]] = [
    [Data([1])], [Data([1, 2, 3]), Data([4])], [Data(count: 70_000), Data(repeating: 0xFF, count: 256), Data([0])],
  ]

  @Test(arguments: chains) func `a chain comes back as it was`(chain: [Data]) {
    #expect(SessionChain.encode(chain).withUnsafeBytes { SessionChain.decode($0) } == chain)
  }

  static let broken: [[UInt8]] = [
    [], [0], [0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 2, 9], [0, 0, 0, 1, 9, 7], [0, 0, 0, 1, 9, 0, 0, 0, 0],
    [0xFF, 0xFF, 0xFF, 0xFF, 1], [0x7F, 0xFF, 0xFF, 0xFF], [0, 0, 0, 1, 9, 0xFF, 0xFF, 0xFF, 0xFF, 1],
  ]

  @Test(arguments: broken) func `bytes that are no chain give none`(bytes: [UInt8]) {
    #expect(bytes.withUnsafeBytes { SessionChain.decode($0) } == nil)
  }

  @Test func `no chain is as good as nothing`() {
    #expect(SessionChain.encode([]).isEmpty)
  }

  // MARK: The session

  /// A client's session from a handshake in memory, and the chain that the server showed.
  private final class Handshake {
    let contexts: [OpaquePointer]
    let client: OpaquePointer
    private let server: OpaquePointer

    init(_ identity: TestIdentity, _ version: Int) throws {
      contexts = [
        try #require(SSL_CTX_new(TLS_client_method())), try #require(SSL_CTX_new(TLS_server_method())),
      ]
      for context in contexts { SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, version, nil) }
      client = try #require(SSL_new(contexts[0]))
      server = try #require(SSL_new(contexts[1]))
      try identity.certificate.withUnsafeBytes {
        try #require(SSL_use_certificate_ASN1(server, $0.bindMemory(to: UInt8.self).baseAddress, Int32($0.count)) == 1)
      }
      try #require(SSL_use_PrivateKey(server, identity.key.pointer) == 1)
      // Each writes what the other reads.
      let (up, down) = (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
      BIO_up_ref(up)
      BIO_up_ref(down)
      SSL_set_bio(client, down, up)
      SSL_set_bio(server, up, down)
      SSL_set_connect_state(client)
      SSL_set_accept_state(server)
      var turns = 0
      while SSL_is_init_finished(client) == 0 || SSL_is_init_finished(server) == 0, turns < 20 {
        SSL_do_handshake(client)
        SSL_do_handshake(server)
        turns += 1
      }
      try #require(turns < 20)
    }

    /// A new connection of the client's that begins with its session, written and read as libcurl does it.
    func resumed() throws -> OpaquePointer {
      var bytes: UnsafeMutablePointer<UInt8>?
      let count = i2d_SSL_SESSION(SSL_get_session(client), &bytes)
      defer { af_OPENSSL_free(bytes) }
      var read = UnsafePointer(bytes)
      let session = try #require(d2i_SSL_SESSION(nil, &read, Int(count)))
      defer { SSL_SESSION_free(session) }
      let ssl = try #require(SSL_new(contexts[0]))
      try #require(SSL_set_session(ssl, session) == 1)
      return ssl
    }

    deinit {
      SSL_free(client)
      SSL_free(server)
      for context in contexts { SSL_CTX_free(context) }
    }
  }

  @Test(arguments: [0x0303, 0x0304]) func `what is kept survives the session's being written and read`(
    version: Int
  ) throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    let handshake = try Handshake(identity, version)
    #expect(SessionChain.kept(in: handshake.client) == nil)
    let chain = [identity.certificate, authority.certificate]
    #expect(SessionChain.keep(chain, in: handshake.client))
    #expect(SessionChain.kept(in: handshake.client) == chain)
    let resumed = try handshake.resumed()
    defer { SSL_free(resumed) }
    #expect(SessionChain.kept(in: resumed) == chain)
  }

  @Test func `a chain with another leaf than the session's peer is none`() throws {
    let authority = try TestAuthority.make()
    let identity = try authority.issue(names: ["localhost"])
    let other = try authority.issue(names: ["localhost"])
    let handshake = try Handshake(identity, 0x0304)
    for chain in [[other.certificate, identity.certificate], [authority.certificate], []] {
      #expect(SessionChain.keep(chain, in: handshake.client))
      #expect(SessionChain.kept(in: handshake.client) == nil)
    }
  }

  @Test func `a connection without a session has no chain, and keeps none`() throws {
    let context = try #require(SSL_CTX_new(TLS_client_method()))
    let ssl = try #require(SSL_new(context))
    defer {
      SSL_free(ssl)
      SSL_CTX_free(context)
    }
    #expect(!SessionChain.keep([Data([1])], in: ssl))
    #expect(SessionChain.kept(in: ssl) == nil)
  }
}
