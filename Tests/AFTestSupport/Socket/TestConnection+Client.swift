import AFSupport
import COpenSSL
import Glibc

extension TestConnection {
  /// A connection that this process opens, for raw clients and for what a proxy forwards.
  package static func connect(to host: String = "127.0.0.1", port: UInt16) throws -> TestConnection {
    let address = try SocketAddress(host: host, port: port)
    let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXFailure(call: "socket") }
    guard address.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let failure = POSIXFailure(call: "connect", path: "\(host) port \(port)")
      Glibc.close(descriptor)
      throw failure
    }
    return TestConnection(SharedConnection(index: 0, descriptor: descriptor), descriptor: descriptor)
  }

  /// The client's side of a TLS handshake that trusts whatever the server shows.
  package func startTLS(serverName: String, protocols: [String] = []) throws {
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw TestCertificateError("SSL_CTX_new") }
    defer { SSL_CTX_free(context) }
    if !protocols.isEmpty {
      let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
      SSL_CTX_set_alpn_protos(context, list, UInt32(list.count))
    }
    try handshake(context) { ssl in
      _ = serverName.withCString { name in
        SSL_ctrl(
          ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: name))
      }
      return SSL_connect(ssl)
    }
  }
}
