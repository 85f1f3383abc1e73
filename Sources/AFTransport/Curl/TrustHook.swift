import AFSupport
import CCurl
import COpenSSL
import Foundation

/// The trust decision of one connection.
///
/// libcurl is given no certificate store and no host check of its own: the verdict is the evaluator's alone. The object is
/// attached to the connection's `SSL_CTX`, which outlives the transfer that opened it, and goes when OpenSSL frees that.
///
/// Two doors lead through it. The verify callback judges the chain of a full handshake. And before every request
/// ``admit(_:)`` asserts that the connection it is about to go out on has been judged by this engine; a resumed TLS session,
/// whose handshake shows no certificate, is judged there, by the chain that came with it.
///
/// A peer that asks who the client is gets its answer here too, after it has been judged.
final class TrustHook {
  let host: String
  let port: Int
  let isProxy: Bool
  private let context: (any AnyObject & Sendable)?
  private let evaluate: TrustEvaluator
  private let identify: ClientIdentifier?
  private(set) var failure: TransferFailure?
  /// What the peer ended the connection with.
  private(set) var alert: TLSAlert?
  private var asksForCertificate = false
  private var hasShownCertificate = false
  private var judgesClientLate = false
  /// What a TLS 1.2 server showed, until it can be judged.
  private var heldChain: [Data]?

  init(host: String, port: Int, isProxy: Bool, configuration: EngineConfiguration, evaluate: @escaping TrustEvaluator) {
    self.host = host
    self.port = port
    self.isProxy = isProxy
    self.evaluate = evaluate
    context = configuration.context
    identify = configuration.identifyClient
  }

  /// Hooks itself into the context of a connection to be. False if OpenSSL has no memory for it.
  func install(on context: OpaquePointer) -> Bool {
    let owner = Unmanaged.passRetained(self).toOpaque()
    guard SSL_CTX_set_ex_data(context, Self.contextIndex, owner) == 1 else {
      Unmanaged<TrustHook>.fromOpaque(owner).release()
      return false
    }
    SSL_CTX_set_options(context, af_SSL_OP_NO_RENEGOTIATION)
    _ = af_SSL_CTX_request_ocsp(context)
    _ = af_SSL_CTX_set_status_callback(context) { ssl, _ in
      guard let ssl, let hook = TrustHook.of(ssl) else { return 0 }
      return hook.judgeHeldChain(ssl) ? 1 : 0
    }
    SSL_CTX_set_info_callback(context) { ssl, event, value in
      guard let ssl, case let number = af_SSL_received_alert(event, value), number >= 0 else { return }
      TrustHook.of(ssl)?.received(alert: UInt8(truncatingIfNeeded: number), ssl)
    }
    SSL_CTX_set_cert_verify_callback(
      context,
      { store, owner in
        guard let store, let owner else { return 0 }
        return Unmanaged<TrustHook>.fromOpaque(owner).takeUnretainedValue().verify(store)
      }, owner)
    SSL_CTX_set_cert_cb(
      context,
      { ssl, owner in
        guard let ssl, let owner else { return 0 }
        return Unmanaged<TrustHook>.fromOpaque(owner).takeUnretainedValue().answerCertificateRequest(ssl) ? 1 : 0
      }, owner)
    return true
  }

  /// The hook of a connection.
  static func of(_ ssl: OpaquePointer) -> TrustHook? {
    SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), contextIndex).map {
      Unmanaged<TrustHook>.fromOpaque($0).takeUnretainedValue()
    }
  }

  private func received(alert number: UInt8, _ ssl: OpaquePointer) {
    alert = TLSAlert(
      number: number, asksForCertificate: asksForCertificate, hasSeenCertificate: hasShownCertificate)
  }

  /// What the end of the connection means when the peer's alert was not read. A TLS 1.3 server judges the client's certificate
  /// when requests may be on their way already, so one that asked for it and hangs up on the first request has judged it.
  var unreadAlert: TLSAlert? {
    guard judgesClientLate else { return nil }
    return TLSAlert(number: nil, asksForCertificate: true, hasSeenCertificate: hasShownCertificate)
  }

  /// Whether requests have gone out on this connection before.
  static func carriesRequests(_ ssl: OpaquePointer) -> Bool {
    SSL_get_ex_data(ssl, connectionIndex) == ConnectionState.carriesRequests.mark
  }

  /// Whether a request may go out on this connection.
  func admit(_ ssl: OpaquePointer) -> Bool {
    if SSL_get_ex_data(ssl, Self.connectionIndex) == nil {
      guard let chain = SessionChain.kept(in: ssl) else {
        failure = TransferFailure(kind: .trustRefused, message: "\(host) showed no certificate")
        return false
      }
      guard judge(chain, ssl: ssl) else { return false }
    }
    SSL_set_ex_data(ssl, Self.connectionIndex, ConnectionState.carriesRequests.mark)
    return true
  }

  private func verify(_ store: OpaquePointer) -> Int32 {
    let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()).map { OpaquePointer($0) }
    let chain = X509_STORE_CTX_get0_untrusted(store).map(Self.certificates) ?? []
    if let ssl, !SessionChain.keep(chain, in: ssl) {
      // A session that cannot be judged again is not to be resumed.
      _ = af_SSL_CTX_keep_no_sessions(SSL_get_SSL_CTX(ssl))
    }
    if let ssl, SSL_version(ssl) < TLS1_3_VERSION {
      // Here the OCSP response follows in a message of its own. It and the verdict come before this side sends anything.
      heldChain = chain
      X509_STORE_CTX_set_error(store, X509_V_OK)
      return 1
    }
    let accepted = judge(chain, ssl: ssl)
    // libcurl looks at the stored result as well as at ours.
    X509_STORE_CTX_set_error(store, accepted ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION)
    return accepted ? 1 : 0
  }

  /// Judges the chain of a TLS 1.2 handshake, now that the OCSP response is there if there is one.
  private func judgeHeldChain(_ ssl: OpaquePointer) -> Bool {
    guard let chain = heldChain else { return true }
    heldChain = nil
    return judge(chain, ssl: ssl)
  }

  /// Lets the handshake go on, with the certificate that has been set on `ssl` if one has.
  private func answerCertificateRequest(_ ssl: OpaquePointer) -> Bool {
    // A TLS 1.2 server asks before its chain has been judged. Who is not trusted hears nothing about the client.
    guard judgeHeldChain(ssl) else { return false }
    asksForCertificate = true
    judgesClientLate = SSL_version(ssl) >= TLS1_3_VERSION
    hasShownCertificate = SSL_get_certificate(ssl) != nil
    guard let identify else { return true }
    var peer = peer(SSL_get_peer_cert_chain(ssl).map(Self.certificates) ?? [], ssl)
    peer.acceptableIssuers = SSL_get_client_CA_list(ssl).map(Self.names) ?? []
    switch identify(ssl, peer) {
    case .proceed:
      hasShownCertificate = SSL_get_certificate(ssl) != nil
      return true
    // A request that is on its way cannot be taken back for a question (TLS 1.3 lets servers ask at any time).
    case .ask where Self.carriesRequests(ssl): return true
    case .ask:
      failure = TransferFailure(kind: .identityUndecided, message: "\(host) asks for a client certificate")
    case .refuse(let error):
      failure = TransferFailure(
        kind: .identityRefused, message: "The client certificate for \(host) cannot be used", underlying: error)
    }
    failure?.peer = peer
    return false
  }

  private func peer(_ chain: [Data], _ ssl: OpaquePointer?) -> PeerTrust {
    var peer = PeerTrust(
      host: host, port: port, chain: chain, stapledOCSPResponse: ssl.flatMap(Self.stapledResponse), isProxy: isProxy)
    peer.context = context
    return peer
  }

  private func judge(_ chain: [Data], ssl: OpaquePointer?) -> Bool {
    let peer = peer(chain, ssl)
    switch evaluate(peer) {
    case .accept:
      failure = nil
      if let ssl { SSL_set_ex_data(ssl, Self.connectionIndex, ConnectionState.accepted.mark) }
      return true
    case .refuse(let error):
      failure = TransferFailure(kind: .trustRefused, message: "\(host) is not trusted", underlying: error)
      failure?.peer = peer
      return false
    case .ask:
      failure = TransferFailure(kind: .trustUndecided, message: "\(host) is not trusted yet")
      failure?.peer = peer
      return false
    }
  }

  private static func certificates(_ stack: OpaquePointer) -> [Data] {
    encodings(stack) { i2d_X509(OpaquePointer($0), $1) }
  }

  private static func names(_ stack: OpaquePointer) -> [Data] {
    encodings(stack) { i2d_X509_NAME(OpaquePointer($0), $1) }
  }

  /// The members of a stack in DER form.
  private static func encodings(
    _ stack: OpaquePointer,
    _ encode: (UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
  ) -> [Data] {
    (0..<max(0, OPENSSL_sk_num(stack))).compactMap { index in
      guard let member = OPENSSL_sk_value(stack, index) else { return nil }
      var bytes: UnsafeMutablePointer<UInt8>?
      let count = encode(member, &bytes)
      defer { af_OPENSSL_free(bytes) }
      return count > 0 ? bytes.map { Data(bytes: $0, count: Int(count)) } : nil
    }
  }

  private static func stapledResponse(_ ssl: OpaquePointer) -> Data? {
    var bytes: UnsafePointer<UInt8>?
    let count = af_SSL_ocsp_response(ssl, &bytes)
    return count > 0 ? bytes.map { Data(bytes: $0, count: count) } : nil
  }

  /// The slot of a context that holds its hook; OpenSSL releases the hook with the context.
  private static let contextIndex = af_SSL_CTX_new_index { _, owner, _, _, _, _ in
    if let owner { Unmanaged<TrustHook>.fromOpaque(owner).release() }
  }

  /// The slot of a connection that says how far it is.
  private static let connectionIndex = af_SSL_new_index()

  /// What ``connectionIndex`` holds; nothing before the peer has been accepted.
  private enum ConnectionState: Int {
    case accepted = 1
    case carriesRequests

    var mark: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: rawValue) }
  }
}
