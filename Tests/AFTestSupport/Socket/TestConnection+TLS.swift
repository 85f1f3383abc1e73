import COpenSSL
import Foundation

extension TestConnection {
  /// The server's side of the handshake.
  func startTLS(_ context: TLSContext) throws {
    try handshake(context.pointer, SSL_accept)
  }

  func handshake(_ context: OpaquePointer, _ shake: (OpaquePointer) -> Int32) throws {
    guard let ssl = SSL_new(context) else { throw TestCertificateError("SSL_new") }
    self.ssl = ssl
    SSL_set_fd(ssl, descriptor)
    ERR_clear_error()
    let result = shake(ssl)
    countWireBytes(ssl)
    guard result == 1 else {
      _ = try ended(ssl, result)
      throw ConnectionEnd.peerClosed
    }
    let record = ConnectionRecord.TLSRecord(
      version: String(cString: SSL_get_version(ssl)),
      cipher: SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) } ?? "",
      serverName: SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) },
      agreedProtocol: agreedProtocol(ssl),
      isResumed: SSL_session_reused(ssl) == 1,
      clientCertificate: clientCertificate(ssl))
    shared.update { $0.tls = record }
  }

  private func agreedProtocol(_ ssl: OpaquePointer) -> String? {
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    SSL_get0_alpn_selected(ssl, &name, &length)
    return name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self) }
  }

  private func clientCertificate(_ ssl: OpaquePointer) -> Data? {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
    defer { X509_free(certificate) }
    return try? der { i2d_X509(certificate, $0) }
  }

  func countWireBytes(_ ssl: OpaquePointer) {
    let received = Int64(BIO_number_read(SSL_get_rbio(ssl)))
    let sent = Int64(BIO_number_written(SSL_get_wbio(ssl)))
    shared.update {
      $0.wireBytesReceived = received
      $0.wireBytesSent = sent
    }
  }

  /// 0 for an orderly end; throws for every other reason why a TLS call gave no bytes.
  func ended(_ ssl: OpaquePointer, _ result: Int32) throws -> Int {
    let code = errno
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_ZERO_RETURN: return 0
    case SSL_ERROR_SYSCALL where ERR_peek_error() == 0:
      throw code == 0 ? ConnectionEnd.peerClosed : ConnectionEnd.broken(errno: code)
    default: throw ConnectionEnd.tls(TestCertificateError("TLS").description)
    }
  }
}
