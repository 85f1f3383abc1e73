import AFSupport
import CCurl
import Foundation

extension Transfer {
  /// What libcurl's verdict means, or nil for success.
  func failure(for code: CURLcode) -> TransferFailure? {
    guard code != CURLE_OK else { return nil }
    if let tlsFailure { return tlsFailure }
    if let refused = trustHook?.failure { return refused }
    if let ended = alertFailure(for: code) { return ended }
    let text = easy.errorText
    let refusesFields = Self.refusesFields(code, text)
    var failure = TransferFailure(
      kind: refusesFields ? .oversizedHead : .transport,
      message: refusesFields
        ? "The response's header fields are larger than libcurl accepts"
        : text.isEmpty ? String(cString: curl_easy_strerror(code)) : text)
    failure.curlCode = Int32(code.rawValue)
    failure.osError = Int32(easy.long(CURLINFO_OS_ERRNO))
    if failure.kind == .transport,
      Self.breaksFraming(code, text) || code == CURLE_BAD_FUNCTION_ARGUMENT && machine.responseStarted
    {
      failure.kind = .badFraming
    }
    if authority.isSecure, request.options.proxy != .direct { noteRefusal(in: &failure) }
    return failure
  }

  /// Whether the response over HTTP/2 was complete before the last of the request's body was sent. libcurl sends all of it, finds
  /// the stream closed by then, and says so by an error without a word (pitfall 59); a connection that breaks has a text, or
  /// another code.
  func isAnswered(despite code: CURLcode) -> Bool {
    code == CURLE_SEND_ERROR && source.isSent && machine.isHeadDelivered && machine.failure == nil
      && source.length == bytesHandedOver && machine.head.starts(with: "HTTP/2".utf8) && easy.errorText.isEmpty
      && !Self.brokenErrors.contains(Int32(easy.long(CURLINFO_OS_ERRNO)))
  }

  /// What a send on a broken connection gives. Others may stand there from an address that was tried before the one that answered.
  private static let brokenErrors = [EPIPE, ECONNRESET, ECONNABORTED, ENOTCONN]

  /// The peer's last word, where that is why the connection ended: libcurl makes one failure of a handshake, and a lost connection
  /// of an alert that comes later (a TLS 1.3 server judges the client's certificate when the client believes itself connected).
  private func alertFailure(for code: CURLcode) -> TransferFailure? {
    let ends = [
      CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_PARTIAL_FILE, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT, CURLE_PEER_FAILED_VERIFICATION,
    ]
    let isBlind = code == CURLE_SEND_ERROR && isFirstOnConnection
    guard ends.contains(code), let hook = connectionHook ?? trustHook,
      let alert = hook.alert ?? (isBlind ? hook.unreadAlert : nil)
    else { return nil }
    var failure = TransferFailure(kind: .tlsAlert, message: alert.message(host: hook.host))
    failure.alert = alert
    failure.curlCode = Int32(code.rawValue)
    return failure
  }

  /// What libcurl itself finds wrong with a response's framing. Nothing but the server's status line leads to 1 here: the scheme
  /// was looked at before. Chunks it names in words alone.
  private static func breaksFraming(_ code: CURLcode, _ text: String) -> Bool {
    switch code {
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: true
    case CURLE_RECV_ERROR: text.hasSuffix("in chunked-encoding") || text.contains("chunk hex-length")
    default: false
    }
  }

  /// libcurl has limits of its own for header fields and trailers (pitfall 37). Where one is passed it says that memory is short;
  /// since 8.6, that something is too large; or that nghttp2 gave up: a callback of libcurl's refused a field (-902), or there
  /// were too many CONTINUATIONs (-905).
  static func refusesFields(_ code: CURLcode, _ text: String) -> Bool {
    switch code {
    case CURLE_OUT_OF_MEMORY, tooLarge: true
    case CURLE_RECV_ERROR:
      // The last counts interim responses with the final one.
      text.hasPrefix("Out of memory in chunked") || text.hasPrefix("Too large response headers")
        || text.contains("mem_recv() returned -902")
        || text.contains("mem_recv() returned -905")
    case CURLE_HTTP2: text.contains("nghttp2 recv error -905")
    default: false
    }
  }

  /// `CURLE_TOO_LARGE`, which the headers of older versions do not name.
  private static let tooLarge = CURLcode(rawValue: 100)

  /// The last reports, then the one completion.
  func complete() {
    if source.isSent { reportSending(isLast: true) }
    reportReceiving(isLast: true)
    source.close()
    // A body that nobody wanted has no end that matters.
    var outcome = TransferOutcome(failure: machine.failure?.kind == .abandoned ? nil : machine.failure)
    if case .memory = route { outcome.body = memory.take() }
    outcome.bytesSent = bytesHandedOver
    outcome.bytesReceived = bytesReceived
    if !machine.trailers.isEmpty { outcome.trailers = ResponseHead(bytes: Array("\n".utf8) + machine.trailers) }
    if request.options.collectsMetrics { outcome.metrics = metrics }
    if let sequel = handler.transfer(handle, didComplete: outcome) { turn.sequels.append(sequel) }
  }

  private var metrics: TransferMetrics {
    var metrics = TransferMetrics()
    metrics.nameLookup = easy.off(CURLINFO_NAMELOOKUP_TIME_T)
    metrics.connect = easy.off(CURLINFO_CONNECT_TIME_T)
    metrics.tlsHandshake = easy.off(CURLINFO_APPCONNECT_TIME_T)
    metrics.preTransfer = easy.off(CURLINFO_PRETRANSFER_TIME_T)
    metrics.firstByte = easy.off(CURLINFO_STARTTRANSFER_TIME_T)
    metrics.total = easy.off(CURLINFO_TOTAL_TIME_T)
    metrics.httpVersion = easy.long(CURLINFO_HTTP_VERSION)
    metrics.isReusedConnection = easy.long(CURLINFO_NUM_CONNECTS) == 0
    metrics.remoteAddress = easy.string(CURLINFO_PRIMARY_IP)
    metrics.remotePort = easy.long(CURLINFO_PRIMARY_PORT)
    metrics.localAddress = easy.string(CURLINFO_LOCAL_IP)
    metrics.localPort = easy.long(CURLINFO_LOCAL_PORT)
    metrics.requestHeaderBytes = Int64(easy.long(CURLINFO_REQUEST_SIZE))
    metrics.requestBodyBytes = easy.off(CURLINFO_SIZE_UPLOAD_T)
    metrics.responseHeaderBytes = Int64(easy.long(CURLINFO_HEADER_SIZE))
    metrics.responseBodyBytes = easy.off(CURLINFO_SIZE_DOWNLOAD_T)
    metrics.isProxied = request.options.proxy != .direct
    metrics.tlsVersion = tlsVersion
    metrics.tlsCipher = tlsCipher
    return metrics
  }
}
