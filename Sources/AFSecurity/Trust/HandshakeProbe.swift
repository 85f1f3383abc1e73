import AFSupport
import COpenSSL
import Foundation

/// One TLS handshake that only looks; blocks the thread it runs on.
struct HandshakeProbe: Sendable {
  var host: String
  var port: Int
  var serverName: String?
  /// Nil offers everything that OpenSSL has, for a look at old servers.
  var requirements: TLSRequirements?
  var timeout: TimeInterval

  func run() throws(AFSecurityError) -> AFServerTrust {
    ignoreBrokenPipes()
    let deadline = Date(timeIntervalSinceNow: timeout)
    let socket = try connectedSocket(until: deadline)
    defer { close(socket) }
    af_OPENSSL_outlive_threads()
    guard let context = SSL_CTX_new(TLS_client_method()) else { throw failure("OpenSSL has no memory for a context") }
    defer { SSL_CTX_free(context) }
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
    if let requirements {
      try requirements.apply(to: context)
    } else {
      SSL_CTX_set_security_level(context, 0)
      _ = af_SSL_CTX_set_min_version(context, 0)
    }
    _ = af_SSL_CTX_request_ocsp(context)
    guard let ssl = SSL_new(context), SSL_set_fd(ssl, socket) == 1 else {
      throw failure("OpenSSL has no memory for a connection")
    }
    defer {
      SSL_free(ssl)
      ERR_clear_error()
    }
    if let name = nameToAskFor, af_SSL_set_server_name(ssl, name) != 1 { throw failure("'\(name)' is no server name") }
    let outcome = shakeHands(ssl, socket, until: deadline)
    let presented = X509Stack.members(of: SSL_get_peer_cert_chain(ssl))
    // A server that demands a client certificate fails the handshake, but has shown its own by then.
    guard !presented.isEmpty else { throw failure(outcome ?? "the server showed no certificate") }
    var staple: UnsafePointer<UInt8>?
    let count = af_SSL_ocsp_response(ssl, &staple)
    let response = count > 0 ? staple.map { Data(bytes: $0, count: count) } : nil
    return AFServerTrust(certificates: presented.map(AFCertificate.init(handle:)), stapledOCSPResponse: response)
  }

  private var nameToAskFor: String? {
    if let serverName { return serverName }
    guard case .dns(let name) = ServerName(host) else { return nil }
    return name
  }

  /// Nil when the handshake is done, otherwise why it is not.
  private func shakeHands(_ ssl: OpaquePointer, _ socket: Int32, until deadline: Date) -> String? {
    while true {
      ERR_clear_error()
      let result = SSL_connect(ssl)
      if result == 1 { return nil }
      switch SSL_get_error(ssl, result) {
      case SSL_ERROR_WANT_READ:
        guard wait(socket, for: POLLIN, until: deadline) else { return "the TLS handshake timed out" }
      case SSL_ERROR_WANT_WRITE:
        guard wait(socket, for: POLLOUT, until: deadline) else { return "the TLS handshake timed out" }
      default:
        let code = ERR_peek_error()
        guard code != 0, let text = ERR_reason_error_string(code) else { return "the server closed the connection" }
        return "the TLS handshake failed: \(String(cString: text))"
      }
    }
  }

  private func connectedSocket(until deadline: Date) throws(AFSecurityError) -> Int32 {
    guard (1...65_535).contains(port) else { throw failure("\(port) is no TCP port") }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    var name = host
    if case .dns(let ascii) = ServerName(host) { name = ascii }
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    let status = getaddrinfo(name, String(port), &hints, &list)
    guard status == 0 else { throw failure("the name cannot be resolved: \(String(cString: gai_strerror(status)))") }
    defer { freeaddrinfo(list) }
    var reason = "it has no address"
    for address in sequence(first: list, next: { $0?.pointee.ai_next }).compactMap({ $0?.pointee }) {
      switch connect(to: address, until: deadline) {
      case .success(let socket): return socket
      case .failure(let error): reason = error.description
      }
    }
    throw failure("port \(port) does not answer: \(reason)")
  }

  private func connect(to address: addrinfo, until deadline: Date) -> Result<Int32, ConnectFailure> {
    let descriptor = socket(
      address.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return .failure(ConnectFailure(number: errno)) }
    var number = Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno
    if number == EINPROGRESS {
      var length = socklen_t(MemoryLayout<Int32>.size)
      if !wait(descriptor, for: POLLOUT, until: deadline) {
        number = ETIMEDOUT
      } else {
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
      }
    }
    guard number == 0 else {
      close(descriptor)
      return .failure(ConnectFailure(number: number))
    }
    return .success(descriptor)
  }

  private struct ConnectFailure: Error {
    var number: Int32
    var description: String { String(cString: strerror(number)) }
  }

  private func wait(_ descriptor: Int32, for events: Int32, until deadline: Date) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while true {
      let left = deadline.timeIntervalSinceNow
      guard left > 0 else { return false }
      let count = poll(&entry, 1, Int32(min(left * 1000 + 1, 60_000)))
      if count > 0 { return true }
      if count < 0 && errno != EINTR { return false }
    }
  }

  /// OpenSSL writes with `write`, which signals when the other side is gone. The thread is the probe's own, and so is its mask.
  private func ignoreBrokenPipes() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func failure(_ reason: String) -> AFSecurityError {
    var error = AFSecurityError(.connectionFailed, reason)
    error.host = host
    return error
  }
}
