import COpenSSL
import Foundation

/// The server side `SSL_CTX` of one test server.
final class TLSContext: @unchecked Sendable {
  // Unchecked because the compiler does not know that an SSL_CTX is made for use by many threads.
  let pointer: OpaquePointer
  private let callbacks: TLSCallbackData

  init(_ options: TestTLS) throws {
    guard let context = SSL_CTX_new(TLS_server_method()) else { throw TestCertificateError("SSL_CTX_new") }
    pointer = context
    callbacks = TLSCallbackData(protocols: options.protocols, stapled: options.stapledResponse)
    try configure(options)
  }

  deinit { SSL_CTX_free(pointer) }

  private func configure(_ options: TestTLS) throws {
    // Level 0 lets tests offer what a sound client must refuse: old versions, short keys, SHA-1.
    SSL_CTX_set_security_level(pointer, 0)
    SSL_CTX_set_cipher_list(pointer, "ALL:@SECLEVEL=0")
    SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(options.minimumVersion.rawValue), nil)
    SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(options.maximumVersion.rawValue), nil)
    SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_AUTO_RETRY | SSL_MODE_RELEASE_BUFFERS), nil)
    if !options.resumesSessions {
      SSL_CTX_set_options(pointer, UInt64(1) << 14)  // SSL_OP_NO_TICKET
      SSL_CTX_set_num_tickets(pointer, 0)
      SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, 0, nil)
    }
    var sessionContext: [UInt8] = Array("AFTestSupport".utf8)
    SSL_CTX_set_session_id_context(pointer, &sessionContext, UInt32(sessionContext.count))
    try useChain(options.chain ?? options.identity.chain)
    guard SSL_CTX_use_PrivateKey(pointer, options.identity.key.pointer) == 1 else {
      throw TestCertificateError("SSL_CTX_use_PrivateKey")
    }
    try askForCertificate(options.clientCertificate)
    let argument = Unmanaged.passUnretained(callbacks).toOpaque()
    if !options.protocols.isEmpty { SSL_CTX_set_alpn_select_cb(pointer, selectProtocol, argument) }
    if options.stapledResponse != nil {
      let callback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = staple
      let erased = unsafeBitCast(callback, to: (@convention(c) () -> Void).self)
      SSL_CTX_callback_ctrl(pointer, SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB, erased)
      SSL_CTX_ctrl(pointer, SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB_ARG, 0, argument)
    }
  }

  private func useChain(_ chain: [Data]) throws {
    for (index, data) in chain.enumerated() {
      let certificate = try data.decodedCertificate()
      defer { X509_free(certificate) }
      let added =
        index == 0
        ? Int(SSL_CTX_use_certificate(pointer, certificate))
        : SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate))
      guard added == 1 else { throw TestCertificateError("certificate \(index) of the chain") }
    }
  }

  private func askForCertificate(_ choice: TestTLS.ClientCertificate) throws {
    switch choice {
    case .none:
      SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
    case .requested:
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
      SSL_CTX_set_cert_verify_callback(
        pointer,
        { context, _ in
          X509_STORE_CTX_set_error(context, X509_V_OK)
          return 1
        }, nil)
    case .required(let authorities):
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
      let store = SSL_CTX_get_cert_store(pointer)
      for authority in authorities {
        let certificate = try authority.decodedCertificate()
        defer { X509_free(certificate) }
        guard X509_STORE_add_cert(store, certificate) == 1, SSL_CTX_add_client_CA(pointer, certificate) == 1 else {
          throw TestCertificateError("client authority")
        }
      }
    }
  }
}

/// What the callbacks of a context need; lives as long as the context.
private final class TLSCallbackData: Sendable {
  let protocols: [String]
  let stapled: Data?

  init(protocols: [String], stapled: Data?) {
    self.protocols = protocols
    self.stapled = stapled
  }
}

private func callbackData(_ argument: UnsafeMutableRawPointer?) -> TLSCallbackData? {
  argument.map { Unmanaged<TLSCallbackData>.fromOpaque($0).takeUnretainedValue() }
}

/// Picks the server's first protocol that the client offers; none is agreed where there is no such one.
private func selectProtocol(
  _: OpaquePointer?, output: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, length: UnsafeMutablePointer<UInt8>?,
  offered: UnsafePointer<UInt8>?, offeredLength: UInt32, argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let data = callbackData(argument), let offered else { return SSL_TLSEXT_ERR_NOACK }
  for name in data.protocols {
    var position = 0
    while position < Int(offeredLength) {
      let count = Int(offered[position])
      let candidate = UnsafeBufferPointer(start: offered + position + 1, count: count)
      if candidate.elementsEqual(name.utf8) {
        output?.pointee = offered + position + 1
        length?.pointee = UInt8(count)
        return SSL_TLSEXT_ERR_OK
      }
      position += 1 + count
    }
  }
  return SSL_TLSEXT_ERR_NOACK
}

private func staple(_ ssl: OpaquePointer?, argument: UnsafeMutableRawPointer?) -> Int32 {
  guard let response = callbackData(argument)?.stapled, let copy = CRYPTO_malloc(response.count, nil, 0) else {
    return SSL_TLSEXT_ERR_NOACK
  }
  response.copyBytes(to: UnsafeMutableRawBufferPointer(start: copy, count: response.count))
  SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP, response.count, copy)
  return SSL_TLSEXT_ERR_OK
}
