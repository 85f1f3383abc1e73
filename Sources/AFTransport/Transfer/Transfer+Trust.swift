import AFSupport
import CCurl
import COpenSSL

extension Transfer {
  var usesSecureProxy: Bool {
    if case .proxy(let url, _, _) = request.options.proxy { return url.lowercased().hasPrefix("https:") }
    return false
  }

  /// libcurl loads no certificate and checks no name: the evaluator alone decides (see ``TrustHook``). Debian's build would
  /// otherwise parse the whole bundle for every connection (pitfall 31).
  func setTrust() {
    easy.set(CURLOPT_CAINFO, nil)
    easy.set(CURLOPT_CAPATH, nil)
    easy.set(CURLOPT_SSL_VERIFYPEER, 1)
    easy.set(CURLOPT_SSL_VERIFYHOST, 0)
    easy.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    easy.set(CURLOPT_SSL_OPTIONS, label.tlsOptions)
    easy.set(CURLOPT_PROXY_CAINFO, nil)
    easy.set(CURLOPT_PROXY_CAPATH, nil)
    easy.set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
    easy.set(CURLOPT_SSL_CTX_DATA, pointer: easy.userPointer)
    easy.setSSLContext { _, context, user in
      guard let transfer = EasyHandle.transfer(user) else { return CURLE_ABORTED_BY_CALLBACK }
      return transfer.prepareTLS(OpaquePointer(context)) ? CURLE_OK : CURLE_ABORTED_BY_CALLBACK
    }
  }

  /// Whether the handshake that begins is the proxy's. The server's follows it in the tunnel, once there is one; but a proxy may
  /// ask for credentials first and hang up, and a request that is repeated begins with the proxy again.
  private var isProxyHandshake: Bool {
    guard usesSecureProxy, authority.isSecure, wasProxyHandshake else { return usesSecureProxy }
    return easy.long(CURLINFO_HTTP_CONNECTCODE) / 100 != 2
  }

  private func prepareTLS(_ context: OpaquePointer) -> Bool {
    let isProxy = isProxyHandshake
    wasProxyHandshake = isProxy
    let peer = isProxy ? proxyAuthority : authority
    guard let peer, let evaluate = configuration.evaluateTrust else {
      tlsFailure = TransferFailure(kind: .trustRefused, message: "Nobody is set to judge the TLS peer")
      return false
    }
    if let refusal = configuration.configureTLS?(context, peer.host, peer.port) {
      tlsFailure = TransferFailure(
        kind: .trustRefused, message: "The TLS settings for \(peer.host) cannot be applied", underlying: refusal)
      return false
    }
    // A resumed handshake shows no certificate. A server's is judged before the request; a proxy is told things before that.
    if isProxy { _ = af_SSL_CTX_keep_no_sessions(context) }
    let hook = TrustHook(
      host: peer.host, port: peer.port, isProxy: isProxy, configuration: configuration, evaluate: evaluate)
    trustHook = hook
    connectionHook = hook
    return hook.install(on: context)
  }

  private var proxyAuthority: Authority? {
    if case .proxy(let url, _, _) = request.options.proxy { return Authority(url: url) }
    return nil
  }

  /// The last door before a request's first byte, on new and on reused connections alike.
  func requestWillBeSent(localPort: Int32) -> Bool {
    lastActivity = now
    let ssl = authority.isSecure || usesSecureProxy ? af_curl_ssl(easy.raw).map { OpaquePointer($0) } : nil
    if findsSpoiltConnection(ssl, localPort: localPort) {
      isConnectionSpoilt = true
      return false
    }
    if authority.isSecure || usesSecureProxy {
      if let ssl {
        isFirstOnConnection = !TrustHook.carriesRequests(ssl)
        guard !isFirstOnConnection || admit(ssl) else { return false }
        connectionHook = TrustHook.of(ssl)
        if request.options.collectsMetrics {
          tlsVersion = SSL_get_version(ssl).map { String(cString: $0) }
          tlsCipher = SSL_CIPHER_get_name(SSL_get_current_cipher(ssl)).map { String(cString: $0) }
        }
      } else if authority.isSecure {
        tlsFailure = TransferFailure(kind: .trustRefused, message: "The connection to \(authority.host) has no TLS")
        return false
      }
    }
    // The connection is chosen by now; this is for the repeat, should it die: on a new one, not on the next stale one. (NTLM
    // needs the same connection for its next message.)
    if request.options.authentication == nil, !Self.answersProxy(request.options) {
      easy.set(CURLOPT_FRESH_CONNECT, 1)
    }
    leaveTunnel()
    watchForRefusal()
    return machine.requestWillBeSent(wasRefusedUnprocessed: wasRefusedUnprocessed)
  }

  private func admit(_ ssl: OpaquePointer) -> Bool {
    // A plain request through an https proxy has no TLS but the proxy's.
    guard let peer = authority.isSecure ? authority : proxyAuthority, let evaluate = configuration.evaluateTrust else {
      tlsFailure = TransferFailure(kind: .trustRefused, message: "Nobody is set to judge the TLS peer")
      return false
    }
    let hook =
      trustHook
      ?? TrustHook(
        host: peer.host, port: peer.port, isProxy: !authority.isSecure, configuration: configuration,
        evaluate: evaluate)
    trustHook = hook
    return hook.admit(ssl)
  }
}
