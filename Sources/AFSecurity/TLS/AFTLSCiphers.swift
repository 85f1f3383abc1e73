import COpenSSL

/// The ciphers that a client offers, in OpenSSL's words.
public struct AFTLSCiphers: Sendable, Hashable, Codable {
  /// The cipher list for TLS 1.2, such as `ECDHE+AESGCM:ECDHE+CHACHA20`; nil leaves OpenSSL's own.
  public let tls12: String?
  /// The cipher suites for TLS 1.3, such as `TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256`; nil leaves OpenSSL's own.
  public let tls13: String?

  /// A choice of ciphers, tried out on OpenSSL.
  ///
  /// - Throws: `AFSecurityError` with code `invalidCiphers` when OpenSSL does not understand a list or knows none of its ciphers.
  public init(tls12: String? = nil, tls13: String? = nil) throws(AFSecurityError) {
    self.tls12 = tls12
    self.tls13 = tls13
    af_OPENSSL_outlive_threads()
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw AFSecurityError(.invalidCiphers, "OpenSSL has no memory for a context")
    }
    defer { SSL_CTX_free(context) }
    try apply(to: context)
  }

  func apply(to context: OpaquePointer) throws(AFSecurityError) {
    defer { ERR_clear_error() }
    if let tls12, SSL_CTX_set_cipher_list(context, tls12) != 1 {
      throw AFSecurityError(.invalidCiphers, "OpenSSL knows no cipher of '\(tls12)'")
    }
    if let tls13, SSL_CTX_set_ciphersuites(context, tls13) != 1 {
      throw AFSecurityError(.invalidCiphers, "OpenSSL does not know every cipher suite of '\(tls13)'")
    }
  }
}
